/** Accumulators used as expressions: over the elements of one array, or over their arguments. */
import { accumulators } from '../aggregation/accumulators';
import type { Accumulator } from '../aggregation/accumulators';
import type { Value } from '../bson/values';
import type { Builder } from './arguments';

function overArguments(name: '$sum' | '$avg' | '$min' | '$max'): Builder {
  const create = accumulators.get(name) as () => Accumulator;
  return (argument, scope) => {
    const operands = (Array.isArray(argument) ? argument : [argument]).map((operand) => scope.compile(operand));
    return (environment) => {
      const state = create();
      let values: (Value | undefined)[] = operands.map((operand) => operand(environment));
      if (values.length === 1 && Array.isArray(values[0])) values = values[0];
      for (const value of values) state.add(value);
      return state.result();
    };
  };
}

export const accumulationOperators: Record<string, Builder> = {
  $sum: overArguments('$sum'),
  $avg: overArguments('$avg'),
  $min: overArguments('$min'),
  $max: overArguments('$max'),
};
