/**
 * Byte intervals over encoded index keys. Encoded components have an end mark, so "everything with this prefix" is an
 * interval, and intervals of a descending component are those of the ascending one with all bytes inverted.
 */
import { createHash } from 'node:crypto';

/** `low` is included, `high` is not. */
export interface Interval {
  low: Buffer;
  high: Buffer;
}

const keepBytes = 1800;
const hashBytes = 32;
const maxBytes = keepBytes + hashBytes;

/** The first byte string after all strings that begin with `prefix`. */
export function successor(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) return Buffer.alloc(maxBytes + 16, 0xff);
  const result = Buffer.from(prefix.subarray(0, length));
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

export const everything: Interval = { low: Buffer.alloc(0), high: Buffer.alloc(maxBytes + 16, 0xff) };

/** The bytes of a key in the form of a component with the opposite direction. */
export const inverted = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => ~byte));

/** The interval in the form of a component with the opposite direction. */
export function descending(interval: Interval): Interval {
  return { low: successor(inverted(interval.high)), high: successor(inverted(interval.low)) };
}

export function intersect(a: Interval, b: Interval): Interval {
  return {
    low: Buffer.compare(a.low, b.low) >= 0 ? a.low : b.low,
    high: Buffer.compare(a.high, b.high) <= 0 ? a.high : b.high,
  };
}

export const holds = (interval: Interval, key: Buffer): boolean =>
  Buffer.compare(interval.low, key) <= 0 && Buffer.compare(key, interval.high) < 0;

const isEmpty = (interval: Interval): boolean => Buffer.compare(interval.low, interval.high) >= 0;

/** Sorted, disjoint intervals covering the given ones. */
export function unite(intervals: Interval[]): Interval[] {
  const sorted = intervals.filter((interval) => !isEmpty(interval)).sort((a, b) => Buffer.compare(a.low, b.low));
  const result: Interval[] = [];
  for (const interval of sorted) {
    const last = result.at(-1);
    if (last && Buffer.compare(interval.low, last.high) <= 0) {
      if (Buffer.compare(interval.high, last.high) > 0) last.high = interval.high;
    } else {
      result.push({ ...interval });
    }
  }
  return result;
}

/**
 * Key bytes that the storage engine can store: of long keys a prefix and a digest are kept, so equality still works.
 */
export function storableKey(encoded: Buffer): { bytes: Buffer; shortened: boolean } {
  if (encoded.length <= maxBytes) return { bytes: encoded, shortened: false };
  const digest = createHash('sha256').update(encoded).digest();
  return { bytes: Buffer.concat([encoded.subarray(0, keepBytes), digest]), shortened: true };
}

/** Widens an interval so that it also covers shortened keys; the caller checks each document again anyway. */
export function storableInterval(interval: Interval): Interval {
  const low = interval.low.length > keepBytes ? interval.low.subarray(0, keepBytes) : interval.low;
  const high =
    interval.high.length > keepBytes && interval.high !== everything.high
      ? successor(interval.high.subarray(0, keepBytes))
      : interval.high;
  return { low, high };
}
