/** What the store offers, read from the tables that the code runs on; the README's table is generated from it. */
import { ACCUMULATORS } from './aggregation/accumulators';
import { STAGES } from './aggregation/pipeline';
import { commandNames } from './commands/dispatch';
import { OPERATORS } from './expressions/operators';
import { FILTER_OPERATORS } from './query/compile-filter';
import { KNOWN_OPERATORS } from './update/parse-update';

export interface SupportedFeatures {
  commands: string[];
  stages: string[];
  accumulators: string[];
  expressions: string[];
  filters: string[];
  updates: string[];
}

export function supportedFeatures(): SupportedFeatures {
  return {
    commands: commandNames(),
    stages: [...STAGES],
    accumulators: [...ACCUMULATORS.keys()],
    expressions: [...OPERATORS.keys()].sort(),
    filters: [...FILTER_OPERATORS],
    updates: [...KNOWN_OPERATORS],
  };
}
