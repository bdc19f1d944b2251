/**
 * The owner's outcome becomes the event's result, by a fenced write that names the admission (specification §6). An
 * event that stopped only because of a restart is completed by a final outcome; any other outcome is kept as evidence.
 */
import { decide, onceOnly, type Decision } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { alertEntry } from '@platform/kernel';
import { providerEventMessageIds, type ProviderOutcomeMessage } from '@platform/contracts-provisioning';
import {
  complete,
  decideCompletion,
  endOf,
  noteLateOutcome,
  workspaceOf,
  type PendingEvent,
  type StoppedEvent,
  type WebhookEvent,
} from '../domain/webhook-event';
import type { WebhookPorts } from './ports';

export type Completed =
  | 'recorded'
  /** There is no such event, or another process admitted it. */
  | 'not_ours'
  /** The store may or may not have written it: deliver the outcome again. */
  | 'again';

type CompletePorts = Pick<
  WebhookPorts,
  'events' | 'digests' | 'clock' | 'executor' | 'publishNow' | 'notifier' | 'meter' | 'log'
>;

/** Writes an outcome into its event. */
export async function completeEvent(ports: CompletePorts, outcome: ProviderOutcomeMessage): Promise<Completed> {
  const decided = await decide<WebhookEvent, Checked<WebhookEvent>, WebhookEvent | 'not_ours' | null>(
    { retryPolicy: onceOnly },
    ports.events,
    outcome.eventId,
    (event) => (event ? decisionOn(ports, event, outcome) : { answer: null }),
  );
  if (decided.kind === 'unknown') return 'again';
  if (decided.kind === 'answered') {
    if (decided.answer === null) return (await ports.digests.findById(outcome.eventId)) ? 'recorded' : 'not_ours';
    return decided.answer === 'not_ours' ? 'not_ours' : close(ports, decided.answer);
  }
  const { record, announced } = decided;
  if (endOf(record).lateOutcome)
    ports.log.warn(
      { eventId: record._id, outcome: outcome.outcome },
      'an outcome came for an event that had been stopped; kept as evidence',
    );
  else ports.meter.reached(record.result);
  ports.publishNow(record._id, announced);
  return close(ports, record);
}

function decisionOn(
  ports: CompletePorts,
  event: WebhookEvent,
  outcome: ProviderOutcomeMessage,
): Decision<Checked<WebhookEvent>, WebhookEvent | 'not_ours'> {
  const now = ports.clock.now();
  switch (decideCompletion(event, outcome)) {
    case 'foreign':
      return { answer: 'not_ours' };
    case 'known':
      return { answer: event };
    case 'late':
      return { write: noteLateOutcome(event as StoppedEvent, outcome, now) };
    case 'complete': {
      const next = complete(event as PendingEvent | StoppedEvent, outcome, now);
      return next.result === 'reconciliation_required'
        ? { write: next, announce: [eventAlert(ports, event, next.errorMessage)] }
        : { write: next };
    }
  }
}

/** The owner's record exists: a delivery that waits is notified, and the dispatch is confirmed as ended. */
async function close(ports: CompletePorts, event: WebhookEvent): Promise<Completed> {
  ports.notifier.notify(event);
  await ports.events.outbox.confirm(event._id, providerEventMessageIds.event(event._id));
  return 'recorded';
}

/** The alert to people about a stop (law 3). */
export function eventAlert(
  { executor, clock }: Pick<WebhookPorts, 'executor' | 'clock'>,
  event: WebhookEvent,
  reason: string,
) {
  return alertEntry(
    {
      service: executor.service,
      kind: 'webhook_event',
      id: event._id,
      tenantId: workspaceOf(event),
      reason: `${event.type}: ${reason}`,
      at: clock.now(),
    },
    event.admittedRevision,
  );
}
