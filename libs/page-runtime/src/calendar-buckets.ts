/** Bucket keys as days of a calendar: where a bucket begins, and which one comes next. */
import type { Bucket } from './vocabulary';

/** The first day of a bucket: 202603 is `2026-03-01`, 20263 is `2026-07-01`. */
export function firstDayOf(x: number, bucket: Bucket): string {
  const parts = {
    day: () => [Math.floor(x / 10_000), Math.floor(x / 100) % 100, x % 100],
    month: () => [Math.floor(x / 100), x % 100, 1],
    quarter: () => [Math.floor(x / 10), (x % 10) * 3 - 2, 1],
    year: () => [x, 1, 1],
  }[bucket]();
  return parts.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-');
}

/** The bucket after this one. */
export function nextBucket(x: number, bucket: Bucket): number {
  if (bucket === 'year') return x + 1;
  if (bucket === 'quarter') return x % 10 === 4 ? (Math.floor(x / 10) + 1) * 10 + 1 : x + 1;
  if (bucket === 'month') return x % 100 === 12 ? (Math.floor(x / 100) + 1) * 100 + 1 : x + 1;
  const next = new Date(0);
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  next.setUTCFullYear(Math.floor(x / 10_000), (Math.floor(x / 100) % 100) - 1, (x % 100) + 1);
  return next.getUTCFullYear() * 10_000 + (next.getUTCMonth() + 1) * 100 + next.getUTCDate();
}
