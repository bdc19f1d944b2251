/** What the figures of an answer do not show, in words: the same on a chart page, in a preview and in a terminal. */
import type { Bucket, Ordering } from '../vocabulary';
import { formatNumber } from './format';

/** Which points a cut series keeps. */
export type Kept = 'newest' | 'first';

interface Order {
  readonly bucket?: Bucket | undefined;
  readonly orderBy?: Ordering | undefined;
}

/** A series in the order of its periods keeps its newest points, any other series the first of its order. */
export function keptOf({ bucket, orderBy }: Order): Kept {
  return bucket !== undefined && orderBy === 'group' ? 'newest' : 'first';
}

/** `truncated` of an answer; without `kept` it stays open which of its points are shown. */
export function cutWords(truncated: unknown, kept?: Kept): string {
  const { shown, total } = numbersIn(truncated);
  if (shown === undefined || total === undefined) return 'Not all points are shown';
  return `${kept === undefined ? '' : `The ${kept} `}${formatNumber(shown)} of ${formatNumber(total)} points are shown`;
}

/** `leftOut` of an answer: rows that match its query and are in none of its figures; undefined when there are none. */
export function leftOutWords(leftOut: unknown): string | undefined {
  const { withoutDate, withoutNumber } = numbersIn(leftOut);
  const reasons = [
    withoutDate !== undefined && `${formatNumber(withoutDate)} without a date`,
    withoutNumber !== undefined && `${formatNumber(withoutNumber)} without a number in the measured field`,
  ].filter((reason) => reason !== false);
  return reasons.length > 0 ? `Rows left out: ${reasons.join(', ')}` : undefined;
}

function numbersIn(value: unknown): Readonly<Record<string, number | undefined>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry) => typeof entry[1] === 'number'));
}
