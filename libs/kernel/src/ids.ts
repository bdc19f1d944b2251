/**
 * Identifiers are an argument, like the clock. UUID version 7 (RFC 9562) sorts by creation time, so new records use
 * recent index pages; it is used for revisions, incarnations, outbox rows and receipts.
 */
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from './clock';

export interface Ids {
  /** A new UUID version 7 in its canonical lower-case text form (36 characters). */
  next(): string;
}

/**
 * Builds a version 7 from a time and a version 4, whose random digits (and variant) it keeps: the runtime generates
 * those in advance, many at a time.
 */
function version7(milliseconds: number, version4: string): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${version4.slice(15)}`;
}

/** Identifiers from the machine's random source. */
export function createIds(clock: Clock = systemClock): Ids {
  return { next: () => version7(clock.now().getTime(), randomUUID()) };
}

/** Repeatable identifiers: equal `seed`, equal sequence. For tests and simulations only. */
export function createSequentialIds(seed = 1): Ids {
  let count = 0;
  return {
    next: () => {
      count += 1;
      const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
      const [high, low] = [0x8000 | ((seed >>> 16) & 0x3fff), seed & 0xffff];
      return version7(count, `00000000-0000-4000-${hex(high, 4)}-${hex(low, 4)}${hex(count, 8)}`);
    },
  };
}
