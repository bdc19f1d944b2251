/** Every expression operator that the store offers, by name. */
import type { Builder } from './arguments';
import { COMPARISON_OPERATORS } from './operators-comparison';
import { LOGIC_OPERATORS } from './operators-logic';

export const OPERATORS: ReadonlyMap<string, Builder> = new Map<string, Builder>(
  Object.entries({ ...COMPARISON_OPERATORS, ...LOGIC_OPERATORS }),
);
