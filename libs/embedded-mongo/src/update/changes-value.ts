/** Update operators that compute one value from the current one: set, unset, arithmetic, minimum, maximum, current date. */
import { failCommand } from '../errors';
import { compareValues, identicalValues } from '../bson/compare';
import { combine, compareNumbers, isNaNValue, isNumeric } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { BsonDate, Int32, Timestamp } from '../bson/values';
import { describeValue } from '../query/describe';
import { unchanged } from './apply-result';
import type { Change } from './update-tree';

export function setChange(value: Value): Change {
  return {
    operator: '$set',
    creates: true,
    apply: (current) => (current !== undefined && identicalValues(current, value) ? unchanged : value),
  };
}

export function setOnInsertChange(value: Value): Change {
  return {
    operator: '$setOnInsert',
    creates: true,
    apply: (_current, context) => (context.inserting ? value : unchanged),
  };
}

export const unsetChange = (): Change => ({
  operator: '$unset',
  creates: false,
  apply: (current) => (current === undefined ? unchanged : undefined),
});

/** `$inc` and `$mul`; a long that would overflow is refused with code 2, not widened. */
export function arithmeticChange(operator: '$inc' | '$mul', operand: Value, path: string): Change {
  if (!isNumeric(operand)) {
    failCommand(
      14,
      `Cannot ${operator === '$inc' ? 'increment' : 'multiply'} with non-numeric argument: {${path}: ${describeValue(operand)}}`,
    );
  }
  return {
    operator,
    creates: true,
    apply: (current) => {
      if (current === undefined) return operator === '$inc' ? operand : multiplied(new Int32(0), operand);
      if (!isNumeric(current)) {
        return failCommand(
          14,
          `Cannot apply ${operator} to a value of non-numeric type. The field '${path}' is of type ${typeName(current)}`,
        );
      }
      const result = combine(operator === '$inc' ? 'add' : 'multiply', current, operand);
      if (result === undefined) {
        return failCommand(
          2,
          `Failed to apply ${operator} operations to current value for field '${path}': the result does not fit a 64-bit integer`,
        );
      }
      const sameKind = typeName(current) === typeName(result);
      return sameKind && !isNaNValue(result) && compareNumbers(current, result) === 0 ? unchanged : result;
    },
  };
}

function multiplied(zero: Int32, operand: Parameters<typeof combine>[1]): Value {
  return combine('multiply', zero, operand) ?? operand;
}

export function extremeChange(operator: '$min' | '$max', operand: Value): Change {
  return {
    operator,
    creates: true,
    apply: (current) => {
      if (current === undefined) return operand;
      const order = compareValues(operand, current);
      return (operator === '$min' ? order < 0 : order > 0) ? operand : unchanged;
    },
  };
}

export function currentDateChange(operand: Value, path: string): Change {
  const kind =
    operand instanceof Map && operand.size === 1
      ? operand.get('$type')
      : operand === true || operand === false
        ? 'date'
        : undefined;
  if (kind !== 'date' && kind !== 'timestamp') {
    failCommand(2, `${path} must be a boolean or {$type: 'timestamp' | 'date'} for $currentDate`);
  }
  const now = BigInt(Date.now());
  return {
    operator: '$currentDate',
    creates: true,
    apply: () => (kind === 'date' ? new BsonDate(now) : new Timestamp(((now / 1000n) << 32n) | 1n)),
  };
}
