/** Joins the pages of the work queue as a reader scrolls. */
import type { WorkItemView } from '@platform/contracts-operator';

/** Names a row of the queue. */
export const keyOf = ({ kind, id }: Pick<WorkItemView, 'kind' | 'id'>): string => `${kind}:${id}`;

/**
 * The rows with those of the next page. A record that changed between the two pages can have moved behind the place
 * that the cursor names, and comes again: its row keeps its place, with what the later page says, because nothing moves
 * under a reader.
 */
export function joinPages<T extends Pick<WorkItemView, 'kind' | 'id'>>(rows: readonly T[], next: readonly T[]): T[] {
  const joined = new Map(rows.map((row) => [keyOf(row), row]));
  for (const row of next) joined.set(keyOf(row), row);
  return [...joined.values()];
}
