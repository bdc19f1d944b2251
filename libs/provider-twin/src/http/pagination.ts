/**
 * Cursor pages as the provider returns them: newest first, ten at a time, continued with the id of the last (or first)
 * object seen.
 */
import type { ListEnvelope } from '../stored';
import { errors } from './errors';

export interface PageParams {
  limit?: number;
  starting_after?: string;
  ending_before?: string;
}

function position<T extends { id: string }>(rows: T[], id: string, param: string, kind: string): number {
  const at = rows.findIndex((row) => row.id === id);
  if (at < 0) throw errors.noSuchReference(kind, id, param);
  return at;
}

/** Cuts one page out of rows that are ordered newest first. */
export function pageOf<T extends { id: string }>(
  rows: T[],
  params: PageParams,
  url: string,
  kind: string,
): ListEnvelope<T> {
  const limit = params.limit ?? 10;
  const { starting_after: after, ending_before: before } = params;
  if (after !== undefined && before !== undefined)
    throw errors.invalid(
      'You may only specify one of these parameters: ending_before, starting_after.',
      'ending_before',
    );
  if (before !== undefined) {
    const end = position(rows, before, 'ending_before', kind);
    const start = Math.max(0, end - limit);
    return { object: 'list', data: rows.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : position(rows, after, 'starting_after', kind) + 1;
  return { object: 'list', data: rows.slice(start, start + limit), has_more: rows.length > start + limit, url };
}

/** A complete embedded collection. */
export const listOf = <T>(data: T[], url: string): ListEnvelope<T> => ({ object: 'list', data, has_more: false, url });
