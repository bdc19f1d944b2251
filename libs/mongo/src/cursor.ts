/** Positions of lists in `createdAt, _id` order, as opaque texts that a caller passes back to continue. */
import { Buffer } from 'node:buffer';

export type CreationPosition = readonly [Date, string];

export function encodeCursor({ createdAt, _id }: { readonly createdAt: Date; readonly _id: string }): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');
}

/** The position, or null for a text that {@link encodeCursor} did not make. */
export function decodeCursor(cursor: string): CreationPosition | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(position) || position.length !== 2) return null;
    const [at, id] = position as unknown[];
    return Number.isSafeInteger(at) && typeof id === 'string' ? [new Date(at as number), id] : null;
  } catch {
    return null;
  }
}
