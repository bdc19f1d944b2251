/**
 * Arranges the result of a calculation for the block that shows it. The headline is calculated from all points,
 * including those that a cut series leaves out: counts and sums add up, a minimum is the least of the groups, and an
 * average is the mean of the groups' averages.
 */
import type { Point } from './chain';
import { cutOf, toFiniteNumber, type LeftOut, type SeriesTotals } from './results';
import type { MeasureOp, ResponseShape } from './vocabulary';

export type Computed = number | null | readonly Point[];

export interface Arrangement {
  readonly response: ResponseShape;
  readonly measure: MeasureOp;
  /** The same calculation over the preceding period. */
  readonly previous?: Computed;
}

export interface Arranged {
  readonly value?: number | null;
  readonly series?: readonly Point[];
  readonly items?: readonly Point[];
  readonly sparkline?: readonly Point[];
  readonly previousValue?: number | null;
  readonly delta?: number;
  readonly comparisonSeries?: readonly Point[];
}

/**
 * The answer of a route in the requested shape. `delta` is a fraction of the previous value and absent where none
 * exists.
 */
export function arrange(computed: Computed, { response, measure, previous }: Arrangement): Arranged {
  const points = pointsOf(computed);
  const comparison = previous === undefined ? {} : { comparisonSeries: pointsOf(previous) };
  switch (response) {
    case 'series':
      return { series: points, ...comparison };
    case 'items':
      return { items: points };
    case 'card':
      return { ...headlines(computed, measure, previous), series: points, ...comparison };
    case 'value':
      return { ...headlines(computed, measure, previous), ...(Array.isArray(computed) ? { sparkline: points } : {}) };
  }
}

function headlines(
  computed: Computed,
  measure: MeasureOp,
  previous: Computed | undefined,
): Pick<Arranged, 'value' | 'previousValue' | 'delta'> {
  const value = headlineOf(computed, measure);
  if (previous === undefined) return { value };
  const previousValue = headlineOf(previous, measure);
  const delta = deltaOf(value, previousValue);
  return { value, previousValue, ...(delta === undefined ? {} : { delta }) };
}

/** One figure from a calculation's result; without points, 0 for counts and sums and null for the others. */
export function headlineOf(computed: Computed, measure: MeasureOp): number | null {
  if (typeof computed === 'number' || computed === null) return computed;
  const cut = cutOf(computed);
  if (cut) return headlineOfCut(cut, measure);
  const figures = computed.map(({ y }) => y).filter((y) => y !== null);
  const total = toFiniteNumber(figures.reduce((sum, y) => sum + y, 0));
  if (measure === 'count' || measure === 'sum') return total;
  if (figures.length === 0) return null;
  if (measure === 'avg') return total === null ? null : total / figures.length;
  return figures.reduce((best, y) => (measure === 'min' ? Math.min(best, y) : Math.max(best, y)));
}

function headlineOfCut({ measured, total, least, most }: SeriesTotals, measure: MeasureOp): number | null {
  if (measure === 'count' || measure === 'sum') return total;
  if (measure === 'avg') return measured === 0 || total === null ? null : total / measured;
  return measure === 'min' ? least : most;
}

/** How many points of a series an answer contains, and how many there are. */
export interface Shown {
  readonly shown: number;
  readonly total: number;
}

/**
 * The answer of a route with `truncated` in it when one of its lists was cut: how many points it shows and how many
 * there are, and the same for the compared period. Any other answer is returned unchanged.
 */
export function withTruncation(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || 'truncated' in answer) return answer;
  const lists = Object.entries(answer).filter((entry): entry is [string, readonly Point[]] => Array.isArray(entry[1]));
  if (!lists.some(([, list]) => cutOf(list))) return answer;
  const shownOf = (list: readonly Point[]): Shown => ({
    shown: list.length,
    total: cutOf(list)?.groups ?? list.length,
  });
  const own = lists.filter(([name]) => name !== 'comparisonSeries');
  const main = own.find(([, list]) => cutOf(list)) ?? own[0];
  const comparison = lists.find(([name, list]) => name === 'comparisonSeries' && cutOf(list));
  return {
    ...answer,
    truncated: { ...shownOf(main?.[1] ?? []), ...(comparison && { comparison: shownOf(comparison[1]) }) },
  };
}

/**
 * The answer of a route with `leftOut` in it when its figures leave rows out: how many, by what they lack. Any other
 * answer is returned unchanged.
 */
export function withLeftOut(answer: unknown, { withoutDate, withoutNumber }: LeftOut): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || 'leftOut' in answer) return answer;
  if (withoutDate === 0 && withoutNumber === 0) return answer;
  return {
    ...answer,
    leftOut: { ...(withoutDate > 0 && { withoutDate }), ...(withoutNumber > 0 && { withoutNumber }) },
  };
}

function deltaOf(value: number | null, previous: number | null): number | undefined {
  if (value === null || previous === null) return undefined;
  if (previous === 0) return value === 0 ? 0 : undefined;
  return toFiniteNumber((value - previous) / Math.abs(previous)) ?? undefined;
}

function pointsOf(computed: Computed): readonly Point[] {
  return Array.isArray(computed) ? computed : [];
}
