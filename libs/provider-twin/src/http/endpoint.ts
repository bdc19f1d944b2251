/**
 * One endpoint of the provider's interface: its path, its declared parameters and its function. Keys, faults, ledger
 * and expansion are the same for all endpoints, and belong to the pipeline.
 */
import type { Twin } from '../twin';
import { hash, integer, list, text, timestamp, either, type Param, type Read, type Shape } from './params';

export type Ids = Record<string, string>;

export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  params: Shape;
  run(twin: Twin, params: Read<Shape>, ids: Ids): object;
  /** A POST that only reads; it creates no ledger entry. */
  readOnly?: true;
}

const expandable = { expand: list(text()) };

/** Declares an endpoint; `run` gets the parameters with the types of its declaration. */
export function endpoint<S extends Shape>(
  method: Endpoint['method'],
  path: string,
  params: S,
  run: (twin: Twin, params: Read<S>, ids: Ids) => object,
): Endpoint {
  return {
    method,
    path,
    params: { ...params, ...expandable },
    run: (twin, given, ids) => run(twin, given as Read<S>, ids),
  };
}

interface Range {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

export const created: Param<number | Range> = either(
  timestamp,
  hash({ gt: timestamp, gte: timestamp, lt: timestamp, lte: timestamp }),
);

/** Whether a moment satisfies a `created` filter. */
export function within(at: number, range: number | Range | undefined): boolean {
  if (range === undefined) return true;
  if (typeof range === 'number') return at === range;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return at > gt && at >= gte && at < lt && at <= lte;
}

/** The parameters of every list. */
export const page = { limit: integer(1, 100), starting_after: text(), ending_before: text() };
