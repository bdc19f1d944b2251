/** The store's features, read from the tables that the code uses; the README's table is generated from it. */
import { accumulators } from './aggregation/accumulators';
import { stageNames } from './aggregation/pipeline';
import { commandNames } from './commands/dispatch';
import { operators } from './expressions/operators';
import { filterOperators } from './query/compile-filter';
import { knownOperators } from './update/parse-update';

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
    stages: [...stageNames],
    accumulators: [...accumulators.keys()],
    expressions: [...operators.keys()].sort(),
    filters: [...filterOperators],
    updates: [...knownOperators],
  };
}
