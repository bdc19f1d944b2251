/** The figures of one card as comma-separated values: those that its picture and its table show, unrounded. */
import { csvLine } from '@platform/kernel';
import type { Point } from '@platform/page-runtime';
import { formatGroup, isoBucket } from './format';
import { drawnOn, isSeries } from './render-block';
import type { Period } from './period';
import type { QueryResult } from './run-queries';

/** `result` has an answer; what its figures are in is in the first line. A bucket is written as ISO 8601 has it, a quarter as `2026-Q1`; a gap is an empty cell. */
export function chartCsv(result: QueryResult, unit?: string): string {
  const { answer, bucket } = result;
  const measured = unit === undefined ? 'value' : `value (${unit})`;
  const body = answer.kind === 'answered' ? answer.body : {};
  const points = ['series', 'items', 'sparkline'].map((name) => body[name]).find(isSeries);
  if (!points) {
    const figures = Object.entries(body).filter(([, figure]) => figure === null || typeof figure === 'number');
    return csvLine(figures.map(([name]) => name)) + csvLine(figures.map(([, figure]) => figure as number | null));
  }
  if (bucket === undefined)
    return [['group', measured], ...points.map(({ x, y, label }) => [label ?? groupCell(x), y])].map(csvLine).join('');
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

/** A group as a program reads it: a number unrounded, everything else in the words of the page. */
const groupCell = (x: Point['x']): string | number => (typeof x === 'number' ? x : formatGroup(x, undefined));

/** Says of which query, and of which days, so that two files of one chart differ by name. */
export function csvName({ route, answer }: QueryResult, { from, to }: Period): string {
  const cut = answer.kind === 'answered' && answer.truncated ? '-newest' : '';
  return `${route.note.method}-${from}-${to}${cut}.csv`;
}
