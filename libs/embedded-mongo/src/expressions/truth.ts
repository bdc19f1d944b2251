/** Truth of a value in expressions: null, missing, false and every zero are false, everything else is true. */
import { compareNumbers, isNumeric } from '../bson/numbers';
import type { Value } from '../bson/values';
import { isNullish } from '../bson/values';

export function isTruthy(value: Value | undefined): boolean {
  if (value === true) return true;
  if (isNullish(value) || value === false) return false;
  return !isNumeric(value) || compareNumbers(value, 0) !== 0;
}
