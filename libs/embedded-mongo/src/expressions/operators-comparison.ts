/** Comparison in expressions: the total order over all types, without the type brackets of filters. Missing sorts before null. */
import { compareOptional } from '../bson/compare';
import type { Value } from '../bson/values';
import { BsonDate, Int32 } from '../bson/values';
import type { Builder } from './arguments';
import { binary } from './arguments';

const test = (accept: (order: number) => boolean): Builder => binary((a, b) => accept(orderOf(a, b)));

/** A fast path for doubles and dates, which guards of charts compare for every document. */
function orderOf(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') {
    if (a < b) return -1;
    if (a > b) return 1;
    // NaN is neither smaller nor greater, and not equal.
    return a === b ? 0 : compareOptional(a, b);
  }
  if (a instanceof BsonDate && b instanceof BsonDate) return a.ms < b.ms ? -1 : a.ms > b.ms ? 1 : 0;
  return compareOptional(a, b);
}

export const comparisonOperators: Record<string, Builder> = {
  $cmp: binary((a, b) => new Int32(Math.sign(compareOptional(a, b)))),
  $eq: test((order) => order === 0),
  $ne: test((order) => order !== 0),
  $gt: test((order) => order > 0),
  $gte: test((order) => order >= 0),
  $lt: test((order) => order < 0),
  $lte: test((order) => order <= 0),
};
