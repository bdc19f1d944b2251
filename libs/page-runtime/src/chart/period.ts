/**
 * The period that a chart page shows: whole days, both ends included; they are read in a zone only when a query runs.
 */
import { isDateText } from '../coercions';
import type { FilterOp } from '../vocabulary';
import { startOfDay } from '../zoned-day';

export interface Period {
  /** First day, `2026-03-01`. */
  readonly from: string;
  /** Last day. */
  readonly to: string;
}

const day = 86_400_000;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

export function isDay(text: unknown): text is string {
  return isDateText(text) && dayPattern.test(text);
}

export function addDays(from: string, count: number): string {
  return new Date(Date.parse(`${from}T00:00:00Z`) + count * day).toISOString().slice(0, 10);
}

export function dayCount({ from, to }: Period): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / day) + 1;
}

/** The calendar day of an instant in a zone. */
export function dayIn(zone: string, instant: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(instant);
  const read = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${read('year').padStart(4, '0')}-${read('month')}-${read('day')}`;
}

/** The year that ends today in the zone. */
export function defaultPeriod(now: Date, zone = 'UTC'): Period {
  const to = dayIn(zone, now);
  return { from: addDays(to, -364), to };
}

/** The period of equal length that ends the day before. */
export function precedingPeriod(period: Period): Period {
  return { from: addDays(period.from, -dayCount(period)), to: addDays(period.from, -1) };
}

/** The bound of a period as the instant that a comparison needs to include exactly its days. */
export function lowerBound({ from }: Period, op: FilterOp, zone: string): string {
  const start = startOfDay(from, zone).getTime();
  return new Date(op === 'gt' ? start - 1 : start).toISOString();
}

export function upperBound({ to }: Period, op: FilterOp, zone: string): string {
  const end = startOfDay(addDays(to, 1), zone).getTime();
  return new Date(op === 'le' ? end - 1 : end).toISOString();
}
