/** The figures of one card as comma-separated values: the same figures as in its picture and table, unrounded. */
import { csvLine } from '@platform/kernel';
import type { Bucket, Point } from '@platform/page-runtime';
import { isoBucket, type Period } from '@platform/page-runtime/chart';
import { drawnOn, linesOf } from './render-block';
import { labelOf, partLabels } from './render-breakdown';
import type { Breakdown } from './breakdown';
import { pointsIn, type QueryResult } from './run-queries';

/**
 * `result` must have an answer. The first line names the units. A bucket has the form of ISO 8601, a quarter is
 * `2026-Q1`, and a gap is an empty cell.
 */
export function chartCsv(result: QueryResult, unit?: string): string {
  const { answer, bucket } = result;
  const measured = unit === undefined ? 'value' : `value (${unit})`;
  const body = answer.kind === 'answered' ? answer.body : {};
  const points = pointsIn(body);
  const breakdown = result.breakdown && 'cells' in result.breakdown ? result.breakdown : undefined;
  if (!points && breakdown)
    return [[breakdown.field, measured], ...breakdown.parts.map((part) => [groupCell(part), part.y])]
      .map(csvLine)
      .join('');
  if (!points) {
    const figures = Object.entries(body).filter(([, figure]) => figure === null || typeof figure === 'number');
    return csvLine(figures.map(([name]) => name)) + csvLine(figures.map(([, figure]) => figure as number | null));
  }
  if (bucket === undefined) {
    const parts = (x: Point['x']) =>
      breakdown ? partLabels(breakdown).map((_l, at) => breakdown.cells.get(x)?.[at]) : [];
    return [
      ['group', measured, ...(breakdown ? partLabels(breakdown) : [])],
      ...points.map((point) => [groupCell(point), point.y, ...parts(point.x)]),
    ]
      .map(csvLine)
      .join('');
  }
  if (breakdown) return partsByPeriod(result, points, bucket, breakdown, measured);
  const { buckets, values, partial, before, beforeBuckets } = drawnOn(result, points, bucket);
  const length = Math.max(buckets.length, before?.length ?? 0);
  const name = (each: number | undefined): string => (each === undefined ? '' : isoBucket(each, bucket));
  const lines = Array.from({ length }, (_unused, at) => [
    name(buckets[at]),
    values[at],
    partial[at] ? 'yes' : '',
    ...(before ? [name(beforeBuckets?.[at]), before[at]] : []),
  ]);
  return [[bucket, measured, 'only a part', ...(before ? [`${bucket} before`, `${measured} before`] : [])], ...lines]
    .map(csvLine)
    .join('');
}

function partsByPeriod(
  result: QueryResult,
  points: readonly Point[],
  bucket: Bucket,
  breakdown: Breakdown,
  measured: string,
): string {
  const { buckets, values, partial } = drawnOn(result, points, bucket);
  const lines = linesOf(result, points, bucket, breakdown);
  return [
    [bucket, measured, 'only a part', ...partLabels(breakdown)],
    ...buckets.map((each, at) => [
      isoBucket(each, bucket),
      values[at],
      partial[at] ? 'yes' : '',
      ...lines.map((line) => line[at]),
    ]),
  ]
    .map(csvLine)
    .join('');
}

/** A group in the form for programs: a number unrounded, everything else in the words of the page. */
const groupCell = (point: Point): string | number =>
  typeof point.x === 'number' && point.label === undefined ? point.x : labelOf(point);

/** A name from the query and its days, so that two files of one chart have different names. */
export function csvName({ route, answer, keeps }: QueryResult, { from, to }: Period): string {
  const cut = answer.kind === 'answered' && answer.truncated ? `-${keeps}` : '';
  return `${route.note.method}-${from}-${to}${cut}.csv`;
}
