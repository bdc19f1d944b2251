/** Every expression operator that the store offers, by name. */
import type { Builder } from './arguments';
import { ACCUMULATION_OPERATORS } from './operators-accumulation';
import { ARITHMETIC_OPERATORS } from './operators-arithmetic';
import { ARRAY_OPERATORS } from './operators-array';
import { BINDING_OPERATORS } from './operators-binding';
import { COMPARISON_OPERATORS } from './operators-comparison';
import { CONVERSION_OPERATORS } from './operators-conversion';
import { DATE_OPERATORS } from './operators-date';
import { LOGIC_OPERATORS } from './operators-logic';
import { OBJECT_OPERATORS } from './operators-object';
import { STRING_OPERATORS } from './operators-string';

export const OPERATORS: ReadonlyMap<string, Builder> = new Map<string, Builder>(
  Object.entries({
    ...COMPARISON_OPERATORS,
    ...LOGIC_OPERATORS,
    ...ARITHMETIC_OPERATORS,
    ...ACCUMULATION_OPERATORS,
    ...CONVERSION_OPERATORS,
    ...STRING_OPERATORS,
    ...ARRAY_OPERATORS,
    ...BINDING_OPERATORS,
    ...OBJECT_OPERATORS,
    ...DATE_OPERATORS,
  }),
);
