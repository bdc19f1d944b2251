/** Positions in the lists of a migration as opaque texts. */
import { Buffer } from 'node:buffer';

export type Position = readonly (string | number)[];

export function encodePosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The position, or null for a text that was not given out for a list of this kind. */
export function decodePosition<P extends readonly ('string' | 'number')[]>(
  cursor: string,
  kinds: P,
): { [K in keyof P]: P[K] extends 'string' ? string : number } | null {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (
      !Array.isArray(position) ||
      position.length !== kinds.length ||
      !kinds.every((kind, at) => typeof position[at] === kind)
    )
      return null;
    return position as unknown as { [K in keyof P]: P[K] extends 'string' ? string : number };
  } catch {
    return null;
  }
}
