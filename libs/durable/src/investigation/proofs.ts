/**
 * What every resolution rests on (specification §1): how it is known that the executor is stopped, what the provider's own
 * records show, and who answers for it. The same bounds and words for every kind of record.
 */
import { lateEffectWarning, type PossiblySent } from '@platform/payment-provider';

/** The first proof, and who answers for the end of this record. */
export interface Proofs {
  readonly id: string;
  /** How it was established that the previous executor is stopped or quiescent. */
  readonly executorStopped: string;
  /** E-mail address. */
  readonly by: string;
}

/** With the second proof: what came of the effect, and the provider's object behind it, or null when the provider has none. */
export interface OutcomeProofs extends Proofs {
  readonly outcome: 'applied' | 'not_applied';
  readonly providerObject: string | null;
}

const proofCharacters = { min: 10, max: 2_000 };
const address = /^[^\s@]+@[^\s@]+$/;

/** What is wrong with the first proof or with the one who answers for it; null when nothing is. */
export function proofRefusal({ executorStopped, by }: Omit<Proofs, 'id'>, executor = 'executor'): string | null {
  const { length } = executorStopped.trim();
  if (length < proofCharacters.min || length > proofCharacters.max)
    return `The first proof is missing: say in ${proofCharacters.min} to ${proofCharacters.max} characters how you know that the ${executor} is stopped (--executor-stopped).`;
  return address.test(by) ? null : 'Say who resolves it, by e-mail address (--by).';
}

/** What is wrong with the second proof, given the calls that the record holds; null when nothing is. */
export function objectRefusal(request: Proofs & Partial<OutcomeProofs>, calls: readonly PossiblySent[]): string | null {
  const named = request.outcome !== 'applied' || request.providerObject !== null;
  return named || calls.every(({ skipped }) => skipped !== undefined)
    ? null
    : "The second proof is missing: an applied outcome needs the provider's object (--provider-object <id>).";
}

/** What the investigator should know of requests that may still be on their way. */
export function lateWarnings(
  { outcome }: Partial<OutcomeProofs>,
  calls: readonly PossiblySent[],
  now: Date,
): readonly string[] {
  const late = outcome === 'not_applied' ? lateEffectWarning(calls, now) : null;
  return late === null ? [] : [late];
}
