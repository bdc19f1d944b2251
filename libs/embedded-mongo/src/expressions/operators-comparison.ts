/** Comparison in expressions: the total order over all types, without the type brackets of filters. Missing sorts before null. */
import { compareOptional } from '../bson/compare';
import { Int32 } from '../bson/values';
import type { Builder } from './arguments';
import { binary } from './arguments';

const test = (accept: (order: number) => boolean): Builder => binary((a, b) => accept(compareOptional(a, b)));

export const comparisonOperators: Record<string, Builder> = {
  $cmp: binary((a, b) => new Int32(Math.sign(compareOptional(a, b)))),
  $eq: test((order) => order === 0),
  $ne: test((order) => order !== 0),
  $gt: test((order) => order > 0),
  $gte: test((order) => order >= 0),
  $lt: test((order) => order < 0),
  $lte: test((order) => order <= 0),
};
