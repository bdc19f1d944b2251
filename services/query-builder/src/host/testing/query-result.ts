/** Answers of queries on a chart page, for tests of how they are drawn. */
import type { QueryResult } from '../chart-page/run-queries';

export const day = (x: number, y: number) => ({ x, y });

export const result = (body: Readonly<Record<string, unknown>>, more: Partial<QueryResult> = {}): QueryResult => ({
  route: { note: { method: 'refunds' } } as QueryResult['route'],
  answer: { kind: 'answered', body, truncated: false, asOf: new Date('2026-06-15T12:00:00Z') },
  zone: 'UTC',
  grouped: false,
  span: {},
  now: new Date('2026-06-15T12:00:00Z'),
  today: '2026-06-15',
  narrowed: 'period',
  whole: true,
  keeps: 'newest',
  values: new Map(),
  ...more,
});
