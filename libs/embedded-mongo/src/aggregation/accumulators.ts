/** Accumulators of `$group`: each has its own state per group. */
import { failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import { identityOf } from '../bson/key-encoding';
import { isNumeric } from '../bson/numbers';
import type { Value } from '../bson/values';
import { int, isNullish } from '../bson/values';
import { Total } from './sum';

export interface Accumulator {
  add(value: Value | undefined): void;
  result(): Value;
}

function sum(): Accumulator {
  const total = new Total();
  return {
    add: (value) => {
      if (isNumeric(value)) total.add(value);
    },
    result: () => total.result(),
  };
}

function avg(): Accumulator {
  const total = new Total();
  let count = 0;
  return {
    add: (value) => {
      if (!isNumeric(value)) return;
      total.add(value);
      count += 1;
    },
    result: () => (count === 0 ? null : total.average(count)),
  };
}

function extreme(better: (order: number) => boolean): Accumulator {
  let best: Value | undefined;
  return {
    add: (value) => {
      if (isNullish(value)) return;
      if (best === undefined || better(compareValues(value, best))) best = value;
    },
    result: () => best ?? null,
  };
}

function first(): Accumulator {
  let seen = false;
  let kept: Value | undefined;
  return {
    add: (value) => {
      if (!seen) kept = value;
      seen = true;
    },
    result: () => kept ?? null,
  };
}

function last(): Accumulator {
  let kept: Value | undefined;
  return { add: (value) => void (kept = value), result: () => kept ?? null };
}

function push(): Accumulator {
  const values: Value[] = [];
  return {
    add: (value) => {
      if (value !== undefined) values.push(value);
    },
    result: () => values,
  };
}

function addToSet(): Accumulator {
  const values = new Map<string, Value>();
  return {
    add: (value) => {
      if (value === undefined) return;
      const identity = identityOf(value);
      if (!values.has(identity)) values.set(identity, value);
    },
    result: () => [...values.values()],
  };
}

function mergeObjects(): Accumulator {
  let merged = new Map<string, Value>();
  return {
    add: (value) => {
      if (isNullish(value)) return;
      if (!(value instanceof Map)) failCommand(40400, '$mergeObjects requires object inputs');
      merged = new Map([...merged, ...(value as Map<string, Value>)]);
    },
    result: () => merged,
  };
}

function count(): Accumulator {
  const total = new Total();
  return { add: () => total.add(int(1)), result: () => total.result() };
}

export const accumulators: ReadonlyMap<string, () => Accumulator> = new Map(
  Object.entries({
    $sum: sum,
    $avg: avg,
    $min: () => extreme((order) => order < 0),
    $max: () => extreme((order) => order > 0),
    $first: first,
    $last: last,
    $push: push,
    $addToSet: addToSet,
    $mergeObjects: mergeObjects,
    $count: count,
  }),
);
