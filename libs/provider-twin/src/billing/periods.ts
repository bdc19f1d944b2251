/**
 * Billing periods by the provider's calendar rule: months and years are counted from the anchor, so an anchor on the
 * 31st bills on the last day of shorter months and returns to the 31st afterwards.
 */

export interface Every {
  interval: string;
  interval_count: number;
}

const daySeconds = 86_400;

function addMonths(anchor: number, months: number): number {
  const from = new Date(anchor * 1000);
  const firstOfMonth = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1));
  const lastDay = new Date(Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1, 0)).getUTCDate();
  const midnight = Date.UTC(
    firstOfMonth.getUTCFullYear(),
    firstOfMonth.getUTCMonth(),
    Math.min(from.getUTCDate(), lastDay),
  );
  return midnight / 1000 + (anchor - Math.floor(anchor / daySeconds) * daySeconds);
}

/** The start of the `n`-th period after the anchor, in seconds. */
export function periodStart(anchor: number, { interval, interval_count: count }: Every, n: number): number {
  if (interval === 'day') return anchor + n * count * daySeconds;
  if (interval === 'week') return anchor + n * count * 7 * daySeconds;
  return addMonths(anchor, n * count * (interval === 'year' ? 12 : 1));
}

function lengthGuess({ interval, interval_count: count }: Every): number {
  return count * daySeconds * ({ day: 1, week: 7, month: 30.436875, year: 365.2425 }[interval] ?? 1);
}

/** The period that contains the moment `at`: start inclusive, end exclusive. */
export function periodAround(anchor: number, every: Every, at: number): { start: number; end: number } {
  let n = Math.floor((at - anchor) / lengthGuess(every));
  while (periodStart(anchor, every, n) > at) n -= 1;
  while (periodStart(anchor, every, n + 1) <= at) n += 1;
  return { start: periodStart(anchor, every, n), end: periodStart(anchor, every, n + 1) };
}
