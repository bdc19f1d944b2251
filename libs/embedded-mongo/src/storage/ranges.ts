/**
 * Byte intervals over encoded index keys. Encoded components end themselves, so "everything with this prefix" is an
 * interval, and intervals of a descending component are those of the ascending one with all bytes inverted.
 */
import { createHash } from 'node:crypto';

/** `low` is included, `high` is not. */
export interface Interval {
  low: Buffer;
  high: Buffer;
}

const KEEP_BYTES = 1800;
const HASH_BYTES = 32;
const MAX_BYTES = KEEP_BYTES + HASH_BYTES;

/** The first byte string after all strings that begin with `prefix`. */
export function successor(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) return Buffer.alloc(MAX_BYTES + 16, 0xff);
  const result = Buffer.from(prefix.subarray(0, length));
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

export const everything: Interval = { low: Buffer.alloc(0), high: Buffer.alloc(MAX_BYTES + 16, 0xff) };

/** The bytes of a key as a component with the opposite direction stores it. */
export const inverted = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => ~byte));

/** The interval as a component with the opposite direction stores it. */
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

/** Key bytes that the storage engine can hold: long keys keep a prefix and a digest, so equality still works. */
export function storableKey(encoded: Buffer): { bytes: Buffer; shortened: boolean } {
  if (encoded.length <= MAX_BYTES) return { bytes: encoded, shortened: false };
  const digest = createHash('sha256').update(encoded).digest();
  return { bytes: Buffer.concat([encoded.subarray(0, KEEP_BYTES), digest]), shortened: true };
}

/** Widens an interval so that it also covers shortened keys; the caller checks each document again anyway. */
export function storableInterval(interval: Interval): Interval {
  const low = interval.low.length > KEEP_BYTES ? interval.low.subarray(0, KEEP_BYTES) : interval.low;
  const high =
    interval.high.length > KEEP_BYTES && interval.high !== everything.high
      ? successor(interval.high.subarray(0, KEEP_BYTES))
      : interval.high;
  return { low, high };
}
