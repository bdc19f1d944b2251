/**
 * The basis of every resolution (specification §1): how it is known that the executor is stopped, what the provider's
 * own records show, and who answers for it. The same limits and texts for every kind of record.
 */
import { lastPossibleSend, type PossiblySent } from '@platform/payment-provider';
import type { AppliedProposal, Override } from './resolution';
import { samePerson } from './signed-proposal';

/** The first proof, and the person who answers for the end of this record. */
export interface Proofs {
  readonly id: string;
  /** How it was established that the previous executor is stopped or quiescent. */
  readonly executorStopped: string;
  /** E-mail address, from a verified token. */
  readonly by: string;
}

/** With the second proof: whether the effect happened, and its object at the provider, or null when there is none. */
export interface OutcomeProofs extends Proofs {
  readonly outcome: 'applied' | 'not_applied';
  readonly providerObject: string | null;
  /** Used only for an outcome that the evidence refuses; otherwise it is not stored. */
  readonly override?: Override;
  /** Present when the proofs come from an approved proposal. */
  readonly proposal?: AppliedProposal;
}

const proofCharacters = { min: 10, max: 2_000 };
const address = /^[^\s@]+@[^\s@]+$/;

/** What is wrong with the first proof or with the person who answers for it; null when nothing is. */
export function proofRefusal({ executorStopped, by }: Omit<Proofs, 'id'>, executor = 'executor'): string | null {
  const { length } = executorStopped.trim();
  if (length < proofCharacters.min || length > proofCharacters.max)
    return `The first proof is missing: say in ${proofCharacters.min} to ${proofCharacters.max} characters how you know that the ${executor} is stopped (--executor-stopped).`;
  return address.test(by) ? null : 'Say who resolves it, by e-mail address (--by).';
}

/** What is wrong with the second proof, given the calls in the record; null when nothing is. */
export function objectRefusal(request: Proofs & Partial<OutcomeProofs>, calls: readonly PossiblySent[]): string | null {
  const named = request.outcome !== 'applied' || request.providerObject !== null;
  return named || calls.every(({ skipped }) => skipped !== undefined)
    ? null
    : "The second proof is missing: an applied outcome needs the provider's object (--provider-object <id>).";
}

/** What is wrong with an override; null when there is none or nothing is wrong. */
export function overrideRefusal(
  { by, override }: Pick<Proofs, 'by'> & Pick<OutcomeProofs, 'override'>,
  secondPerson: 'named' | 'later' = 'named',
): string | null {
  if (!override) return null;
  const { length } = override.reason.trim();
  if (length < proofCharacters.min || length > proofCharacters.max)
    return `An override says why in ${proofCharacters.min} to ${proofCharacters.max} characters (--override).`;
  if (secondPerson === 'later') return null;
  if (!address.test(override.approvedBy)) return 'Say who approves the override, by e-mail address (--approved-by).';
  return samePerson({ id: by, email: by }, { id: override.approvedBy, email: override.approvedBy })
    ? `An override needs a second person: ${by} cannot approve what ${by} proposes.`
    : null;
}

/** What the investigator should know about requests that were sent. */
export function sentWarnings({ outcome }: Partial<OutcomeProofs>, calls: readonly PossiblySent[]): readonly string[] {
  if (outcome !== 'not_applied') return [];
  if (lastPossibleSend(calls) !== null)
    return [
      "The request may have been sent. Make sure that the provider's own log shows no effect of it, also not a late one.",
    ];
  return calls.some((call) => call.outcome === 'succeeded')
    ? ['The provider answered a call as done. Make sure that what it did is undone there.']
    : [];
}
