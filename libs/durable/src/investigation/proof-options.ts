/** The proofs of a resolution as options of a command line. Throws `Misuse` for what is not there. */
import { Misuse } from '@platform/command-line';
import type { OutcomeProofs, Proofs } from './proofs';

interface ProofValues {
  readonly by: string | undefined;
  readonly 'executor-stopped': string | undefined;
}

interface OutcomeValues extends ProofValues {
  readonly outcome: OutcomeProofs['outcome'] | undefined;
  readonly 'provider-object': string | undefined;
}

/** Whether they suffice is judged with the record. */
export function proofsOf(id: string, { by = '', 'executor-stopped': executorStopped = '' }: ProofValues): Proofs {
  return { id, executorStopped, by };
}

export function outcomeOf({ outcome }: Pick<OutcomeValues, 'outcome'>): OutcomeProofs['outcome'] {
  if (outcome === undefined) throw new Misuse('--outcome is missing');
  return outcome;
}

export function outcomeProofsOf(id: string, values: OutcomeValues): OutcomeProofs {
  const outcome = outcomeOf(values);
  const object = values['provider-object'];
  if (object === undefined) throw new Misuse("--provider-object is missing: the id of the provider's object, or none");
  return { ...proofsOf(id, values), outcome, providerObject: object === 'none' ? null : object };
}
