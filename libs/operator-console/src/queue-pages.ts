/** Joins the pages of the work queue as a reader scrolls, and says what an empty one means. */
import type { WorkCounters, WorkItemView } from '@platform/contracts-operator';

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

/**
 * An empty list means that all work has ended only when every owner of records was read; `counters` is null while that
 * is not known.
 */
export function emptyWords(counters: WorkCounters | null): { readonly title: string; readonly text: string } {
  const all = counters?.sources.every(({ state }) => state === 'current') === true;
  return all
    ? { title: 'Nothing is unresolved here.', text: 'Every operation, event, attempt and delivery has ended.' }
    : { title: 'Nothing unresolved is known here.', text: 'Not every owner of records has been read.' };
}
