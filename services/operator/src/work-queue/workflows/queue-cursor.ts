/** A place in the queue as an opaque text, with which a caller continues the list. */
import { Buffer } from 'node:buffer';
import type { QueuePosition } from '../domain/rank';

export function encodeQueueCursor({ asOf, last }: QueuePosition): string {
  return Buffer.from(JSON.stringify([asOf.getTime(), last.weight, last.since.getTime(), last._id])).toString(
    'base64url',
  );
}

/** The position, or null for a text that {@link encodeQueueCursor} did not make. */
export function decodeQueueCursor(cursor: string): QueuePosition | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length !== 4) return null;
    const [asOf, weight, since, id] = parts as unknown[];
    if (
      !isInstant(asOf) ||
      !isInstant(since) ||
      typeof id !== 'string' ||
      typeof weight !== 'number' ||
      !Number.isSafeInteger(weight) ||
      weight < 0
    )
      return null;
    return { asOf: new Date(asOf), last: { _id: id, weight, since: new Date(since) } };
  } catch {
    return null;
  }
}

function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15;
}
