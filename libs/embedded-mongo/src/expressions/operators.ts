/** Every expression operator that the store offers, by name. */
import type { Builder } from './arguments';
import { accumulationOperators } from './operators-accumulation';
import { arithmeticOperators } from './operators-arithmetic';
import { arrayOperators } from './operators-array';
import { bindingOperators } from './operators-binding';
import { comparisonOperators } from './operators-comparison';
import { conversionOperators } from './operators-conversion';
import { dateOperators } from './operators-date';
import { logicOperators } from './operators-logic';
import { objectOperators } from './operators-object';
import { stringOperators } from './operators-string';

export const operators: ReadonlyMap<string, Builder> = new Map<string, Builder>(
  Object.entries({
    ...comparisonOperators,
    ...logicOperators,
    ...arithmeticOperators,
    ...accumulationOperators,
    ...conversionOperators,
    ...stringOperators,
    ...arrayOperators,
    ...bindingOperators,
    ...objectOperators,
    ...dateOperators,
  }),
);
