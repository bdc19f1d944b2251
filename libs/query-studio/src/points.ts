/** The points of an answer, whatever its shape, with the labels that people read. Pure; tested in Node. */
import { csvLine } from '@platform/kernel/csv';
import type { Preview } from './form';

export interface Point {
  readonly label: string;
  readonly value: number | null;
}

export interface Shown {
  /** A figure above the chart. */
  readonly headline?: number | null;
  /** Change against the period before, as a fraction. */
  readonly delta?: number;
  /** The headline of the period before. */
  readonly previous?: number | null;
  readonly points?: readonly Point[];
  /** The points of the period before, by their position. */
  readonly before?: readonly Point[];
  /** Points follow each other in time. */
  readonly timeline: boolean;
}

const isPoint = (value: unknown): value is { x: unknown; y: unknown; label?: unknown } =>
  typeof value === 'object' && value !== null && 'x' in value && 'y' in value;
const isPoints = (value: unknown): boolean => Array.isArray(value) && value.every(isPoint);
const isFigure = (value: unknown): value is number | null => value === null || typeof value === 'number';

/** What an answer shows; the shape is found by looking, so that a new response shape still shows its points. */
export function shownOf(body: Preview['body'], bucket: unknown): Shown {
  const values = Object.entries(body);
  const list = values.find(([name, value]) => name !== 'comparisonSeries' && isPoints(value));
  const compared = body['comparisonSeries'];
  const { value, delta, previousValue } = body;
  const points = (given: unknown) => (given as { x: unknown; y: unknown }[]).map((each) => pointOf(each, bucket));
  return {
    timeline: typeof bucket === 'string' && bucket !== '',
    ...(isFigure(value) && { headline: value }),
    ...(typeof delta === 'number' && { delta }),
    ...('previousValue' in body && isFigure(previousValue) && { previous: previousValue }),
    ...(list && { points: points(list[1]) }),
    ...(isPoints(compared) && { before: points(compared) }),
  };
}

function pointOf({ x, y, label }: { x: unknown; y: unknown; label?: unknown }, bucket: unknown): Point {
  return { label: typeof label === 'string' ? label : labelOf(x, bucket), value: figure(y) };
}

const figure = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Bucket keys are numbers: 2026, 20261 (a quarter), 202601, 20260131. */
export function labelOf(x: unknown, bucket: unknown): string {
  if (x === null || x === undefined || x === '') return '(none)';
  const text = String(x);
  if (bucket === 'day' && /^\d{8}$/.test(text)) return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  if (bucket === 'month' && /^\d{6}$/.test(text)) return `${text.slice(0, 4)}-${text.slice(4)}`;
  if (bucket === 'quarter' && /^\d{5}$/.test(text)) return `${text.slice(0, 4)} Q${text.slice(4)}`;
  return text;
}

/** The points as comma-separated values; a cell that a spreadsheet would run as a formula is quoted as text. */
export const csvOf = (points: readonly Point[]): string =>
  [['group', 'value'], ...points.map(({ label, value }) => [label, value])].map(csvLine).join('');
