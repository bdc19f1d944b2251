/** Positions of lists in the order of time, as opaque texts that a caller passes back to continue. */
import type { Position } from './bounded-page';
import { decodePosition, encodePosition } from './position-text';

/** `via` names the read that continues the list, where it has several. */
export interface ListPosition extends Position {
  readonly via?: string;
}

export function encodeListCursor({ at, id, via = '' }: ListPosition): string {
  return encodePosition([at.getTime(), id, via]);
}

/** The position, or null for a text that {@link encodeListCursor} did not make. */
export function decodeListCursor(cursor: string): ListPosition | null {
  const [at, id, via] = decodePosition(cursor, ['number', 'string', 'string'] as const) ?? [];
  if (at === undefined || id === undefined || !Number.isSafeInteger(at) || Math.abs(at) > 8.64e15) return null;
  return { at: new Date(at), id, ...(via && { via }) };
}
