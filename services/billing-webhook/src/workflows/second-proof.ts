/**
 * The second proof of an event's resolution: the current durable record of its owner. Pure. A finished record proves
 * the outcome. A record still in progress must be waited for. Without a record, the broker may still deliver the event.
 */
import type { ProviderAdmission } from '@platform/contracts-provisioning';
import type { OutcomeProofs, SecondProof } from '@platform/durable/investigation';
import { describeExecutor, isInterrupted } from '@platform/kernel';
import type { WebhookEvent } from '../domain/webhook-event';

type Answer = ProviderAdmission | 'unavailable';

/** The owner's record, in one sentence. */
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

/** Why the owner's record contradicts this outcome; null when it supports the outcome or contains no evidence. */
function contradictionOf(outcome: OutcomeProofs['outcome'], { status }: ProviderAdmission): string | null {
  const against = outcome === 'applied' ? ['skipped', 'not_admitted'] : ['success'];
  return against.includes(status) ? `It cannot be recorded as ${outcome}` : null;
}

/**
 * Why the owner's record contradicts a recorded resolution; null when it does not, or when the owner does not answer.
 */
export function ownersContradiction(
  { owner }: Pick<WebhookEvent, 'owner'>,
  answer: Answer,
  outcome: OutcomeProofs['outcome'],
): string | null {
  if (answer === 'unavailable') return null;
  const contradiction = contradictionOf(outcome, answer);
  return contradiction && `${contradiction}: ${saidBy(owner ?? 'no service', answer)}`;
}

/** What the owner's record proves for this outcome, and what speaks against recording it now; `answer` as read at `readAt`. */
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
