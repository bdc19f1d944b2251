/**
 * The second proof of an event's resolution: what its owner's durable record says of it now. Pure. An owner that finished it
 * knows the end, one that has it in hand is waited for, and one that never saw it may still be given it by the broker.
 */
import type { ProviderAdmission } from '@platform/contracts-provisioning';
import type { OutcomeProofs, SecondProof } from '@platform/durable/investigation';
import { describeExecutor, isInterrupted } from '@platform/kernel';
import type { WebhookEvent } from '../domain/webhook-event';

type Answer = ProviderAdmission | 'unavailable';

/** What the owner says, in a sentence. */
function saidBy(owner: string, answer: Answer): string {
  if (answer === 'unavailable') return `${owner} does not answer.`;
  const { status, error, executor } = answer;
  const why = error === undefined ? '' : ` (${error})`;
  switch (status) {
    case 'not_admitted':
      return `${owner} has never admitted it.`;
    case 'pending':
      return executor
        ? `${owner} has admitted it without an outcome. ${describeExecutor('Its handler', executor)}`
        : `${owner} has admitted it without an outcome.`;
    default:
      return `${owner} has recorded it as ${status}${why}.`;
  }
}

/** Why the owner's answer does not bear this outcome; null when it does, or says nothing of it. */
function contradictionOf(outcome: OutcomeProofs['outcome'], { status }: ProviderAdmission): string | null {
  const against = outcome === 'applied' ? ['skipped', 'not_admitted'] : ['success'];
  return against.includes(status) ? `It cannot be recorded as ${outcome}` : null;
}

/** Why its owner's record does not bear a recorded end; null when it does, or when the owner does not answer now. */
export function ownersContradiction(
  { owner }: Pick<WebhookEvent, 'owner'>,
  answer: Answer,
  outcome: OutcomeProofs['outcome'],
): string | null {
  if (answer === 'unavailable') return null;
  const contradiction = contradictionOf(outcome, answer);
  return contradiction && `${contradiction}: ${saidBy(owner ?? 'no service', answer)}`;
}

export function ownersProof(
  { owner }: Pick<WebhookEvent, 'owner'>,
  answer: Answer,
  outcome: OutcomeProofs['outcome'],
  readAt: Date,
): SecondProof {
  const who = owner ?? 'no service';
  const text = saidBy(who, answer);
  const statements = [{ text, readAt }];
  if (answer === 'unavailable')
    return {
      findings: [],
      statements,
      unread: `${text} Try again when it does; without its record no outcome is written.`,
    };
  const { status, executor } = answer;
  const working = status === 'pending' && executor !== undefined && !isInterrupted(executor);
  return {
    findings: [],
    statements,
    atWork: working ? `${text} Wait for its outcome, or end that process and look again.` : null,
    contradiction: ownersContradiction({ owner }, answer, outcome),
    mayStillCome:
      status === 'not_admitted' ? `${text} The broker may still give it to ${who}, which then handles it.` : null,
  };
}
