/**
 * Builds that break a law on purpose: in each, one piece of one source file is replaced during bundling; the product
 * itself never contains the change. A simulation that misses one of them proves too little.
 */

import { accessMutants } from './access';
import { creationAndEventMutants } from './creations-and-events';
import { libraryMutants } from './libraries';
import type { Compound, Mutant } from './mutant';
import { operatorMutants } from './operator';
import { resolutionMutants } from './resolutions';
import { serviceMutants } from './services';
import { timeAndRaceMutants } from './time-and-races';

export type { Mutant };

export const mutants: readonly Mutant[] = [
  ...operatorMutants,
  ...serviceMutants,
  ...libraryMutants,
  ...resolutionMutants,
  ...accessMutants,
  ...timeAndRaceMutants,
  ...creationAndEventMutants,
];

/** Two builds that once passed a whole proof; each of their changes is also a separate build. */
export const compounds: readonly Compound[] = [
  {
    id: 'eight-in-one',
    parts: [
      'leaves-access-open',
      'opens-access-early',
      'answers-200-unresolved',
      'forgets-the-values',
      'leases-running-operations',
      'sends-again-after-an-hour',
      'leaves-interrupted-events',
      'never-clears-what-a-crash-left',
    ],
  },
  {
    id: 'seven-in-one',
    parts: [
      'leases-running-operations',
      'sends-again-after-an-hour',
      'counts-the-window-from-the-last-write',
      'executes-pending-events-again',
      'computes-payloads-again',
      'sends-after-a-lost-race',
      'migrates-what-it-did-not-reserve',
    ],
  },
];

/** The changes of a build, by the name of a mutant or a compound; throws for any other name. */
export function changesOf(name: string): readonly Mutant[] {
  const parts = compounds.find(({ id }) => id === name)?.parts ?? [name];
  return parts.map((part) => {
    const found = mutants.find(({ id }) => id === part);
    if (!found) throw new Error(`no law-breaking build is called ${part}`);
    return found;
  });
}
