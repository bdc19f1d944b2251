/**
 * Builds that break a law on purpose: in each, one piece of one source file is replaced while it is bundled; nothing of
 * it ever stands in the product. A simulation that does not notice one of them is not worth its green line.
 */

import { accessMutants } from './access';
import { libraryMutants } from './libraries';
import type { Mutant } from './mutant';
import { operatorMutants } from './operator';
import { resolutionMutants } from './resolutions';
import { serviceMutants } from './services';

export type { Mutant };

export const mutants: readonly Mutant[] = [
  ...operatorMutants,
  ...serviceMutants,
  ...libraryMutants,
  ...resolutionMutants,
  ...accessMutants,
];
