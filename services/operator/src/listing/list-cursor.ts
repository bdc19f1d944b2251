/** Positions of lists as opaque texts: what a caller is given to continue with, and nothing else. */
import { Buffer } from 'node:buffer';
import type { Position } from './bounded-page';

/** `via` names the read that the list goes on with, where it has several. */
export interface ListPosition extends Position {
  readonly via?: string;
}

export function encodeListCursor({ at, id, via }: ListPosition): string {
  return Buffer.from(JSON.stringify([at.getTime(), id, ...(via === undefined ? [] : [via])])).toString('base64url');
}

/** The position, or null for a text that {@link encodeListCursor} did not make. */
export function decodeListCursor(cursor: string): ListPosition | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length < 2 || parts.length > 3) return null;
    const [at, id, via] = parts as unknown[];
    if (!Number.isSafeInteger(at) || Math.abs(at as number) > 8.64e15 || typeof id !== 'string') return null;
    if (via !== undefined && typeof via !== 'string') return null;
    return { at: new Date(at as number), id, ...(via !== undefined && { via }) };
  } catch {
    return null;
  }
}
