/**
 * Identifiers are an argument like the clock. UUID version 7 (RFC 9562) sorts by creation time, which keeps the
 * index pages of a fresh record warm; it serves for revisions, incarnations, outbox rows and receipts.
 */
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from './clock';

export interface Ids {
  /** A fresh UUID version 7 in its canonical lower-case text form (36 characters). */
  next(): string;
}

function formatVersion7(milliseconds: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Identifiers from the machine's random source. */
export function createIds(clock: Clock = systemClock): Ids {
  return { next: () => formatVersion7(clock.now().getTime(), randomBytes(10)) };
}

/** Repeatable identifiers: equal `seed`, equal sequence. For tests and simulations only. */
export function createSequentialIds(seed = 1): Ids {
  let count = 0;
  return {
    next: () => {
      count += 1;
      const random = Buffer.alloc(10);
      random.writeUInt32BE(seed, 2);
      random.writeUInt32BE(count, 6);
      return formatVersion7(count, random);
    },
  };
}
