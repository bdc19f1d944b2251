/**
 * The owner's outcome becomes the event's result, by a fenced write that names the admission (specification §6). What
 * arrives for an event that was stopped meanwhile is kept as evidence and changes no result.
 */
import { alertEntry } from '@platform/kernel';
import { providerEventMessageIds, type ProviderOutcomeMessage } from '@platform/contracts-provisioning';
import {
  complete,
  decideCompletion,
  noteLateOutcome,
  type PendingEvent,
  type StoppedEvent,
  type WebhookEvent,
} from '../domain/webhook-event';
import type { WebhookPorts } from './ports';

export type Completed =
  | 'recorded'
  /** No such event, or admitted by somebody else. */
  | 'not_ours'
  /** The store did not take it: deliver the outcome again. */
  | 'again';

const races = 8;

type CompletePorts = Pick<
  WebhookPorts,
  'events' | 'digests' | 'clock' | 'executor' | 'publishNow' | 'notifier' | 'meter' | 'log'
>;

/** Takes an outcome into its event. Throws StoreUnavailableError when nothing could be read. */
export async function completeEvent(ports: CompletePorts, outcome: ProviderOutcomeMessage): Promise<Completed> {
  for (let race = 0; race < races; race += 1) {
    const event = await ports.events.findById(outcome.eventId);
    if (!event) return (await ports.digests.findById(outcome.eventId)) ? 'recorded' : 'not_ours';
    const decision = decideCompletion(event, outcome);
    if (decision === 'foreign') return 'not_ours';
    if (decision === 'known') return close(ports, event);
    const written =
      decision === 'complete'
        ? await writeResult(ports, event as PendingEvent, outcome)
        : await writeLate(ports, event as StoppedEvent, outcome);
    if (written.outcome === 'unknown') return 'again';
    if (written.outcome === 'applied') return close(ports, written.record);
  }
  return 'again';
}

async function writeResult(ports: CompletePorts, event: PendingEvent, outcome: ProviderOutcomeMessage) {
  const next = complete(event, outcome, ports.clock.now());
  const alerts = next.result === 'reconciliation_required' ? [eventAlert(ports, event, next.errorMessage)] : [];
  const written = await ports.events.mutate(event, next, alerts);
  if (written.outcome === 'applied') {
    ports.meter.reached(next.result);
    ports.publishNow(event._id, alerts);
  }
  return written;
}

function writeLate(ports: CompletePorts, event: StoppedEvent, outcome: ProviderOutcomeMessage) {
  ports.log.warn(
    { eventId: event._id, outcome: outcome.outcome },
    'an outcome came for an event that had been stopped; kept as evidence',
  );
  return ports.events.mutate(event, noteLateOutcome(event, outcome, ports.clock.now()));
}

/** The owner's record exists, so the dispatch has ended; then whoever waits hears of it. */
async function close(ports: CompletePorts, event: WebhookEvent): Promise<Completed> {
  ports.notifier.notify(event);
  await ports.events.outbox.confirm(event._id, providerEventMessageIds.event(event._id));
  return 'recorded';
}

/** Law 3: a stop is announced to people. */
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
      tenantId: event.object.metadata?.tenantId ?? null,
      reason: `${event.type}: ${reason}`,
      at: clock.now(),
    },
    event.admittedRevision,
  );
}
