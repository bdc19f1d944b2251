/**
 * Handles one provider event once (workflows §6): the insert of its admission decides which executor handles it, the
 * outcome is recorded together with the message to the receiver, and a redelivery only sends that message again.
 */
import { insertFenced, writeFenced } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { failedWith, notKnown, type HandlerOutcome } from '../../operations/domain/event-outcome';
import {
  finish,
  newAdmission,
  outcomeEntry,
  type PendingAdmission,
  type ProviderEventAdmission,
} from '../domain/provider-event';
import { completeCheckout } from '../../checkout/workflows/complete-checkout';
import type { EventPorts } from './event-ports';
import { expireCheckout } from '../../checkout/workflows/expire-checkout';
import { admissionKey } from './admission-key';
import { mirrorEvent } from './mirror-event';

export type EventHandling =
  /** Recorded, or left to the executor that was admitted. */
  | 'done'
  /** No handling began, or the receiver could not be notified: deliver the message again. */
  | 'again';

type Handler = (ports: EventPorts, event: ProviderEventMessage) => Promise<HandlerOutcome>;

/** Less than a minute of looking; an executor that needs longer is left to people together with its event. */
const looks = 12;

/**
 * A callback of the same session may be at work, as a round of this or another replica is. Its end is the outcome of
 * this event too, so the event looks again until it finds that; a failure would call people to a sale that is well.
 */
const onceFree =
  (handle: Handler): Handler =>
  async (ports, event) => {
    for (let look = 1; ; look += 1) {
      const { busy, ...outcome } = await handle(ports, event);
      if (!busy || look >= looks) return outcome;
      await ports.retryPolicy.pause(look);
    }
  };

const handlers: Readonly<Record<string, Handler>> = {
  'checkout.session.completed': onceFree(completeCheckout),
  'checkout.session.async_payment_succeeded': onceFree(completeCheckout),
  'checkout.session.async_payment_failed': onceFree(completeCheckout),
  'checkout.session.expired': onceFree(expireCheckout),
};

/**
 * The admission is found out before the message is given back: one that no process knows of would stay pending, and no
 * other may handle it.
 */
export async function handleProviderEvent(ports: EventPorts, event: ProviderEventMessage): Promise<EventHandling> {
  return ports.work.run(admissionKey(event.eventId), async ({ retryPolicy }) => {
    const patient = { ...ports, retryPolicy };
    const draft = newAdmission(event, ports.executor, ports.ids.next());
    const insertion = await insertFenced(ports.admissions, draft, retryPolicy);
    if (insertion.kind === 'written') return execute(patient, event, insertion.record as PendingAdmission);
    const standing = insertion.kind === 'exists' ? insertion.record : null;
    return standing ? publishOutcomeAgain(patient, event, standing) : 'again';
  });
}

/** Everything from here on belongs to the one admitted executor. */
async function execute(
  ports: EventPorts,
  event: ProviderEventMessage,
  admission: PendingAdmission,
): Promise<EventHandling> {
  const outcome = { tenantId: event.object.metadata?.tenantId, ...(await runHandler(ports, event)) };
  const now = ports.clock.now();
  const next = finish(admission, outcome, now);
  const entry = outcomeEntry(next, now);
  const written = await writeFenced(ports.admissions, admission, next, [entry], ports.retryPolicy);
  if (written.kind === 'written') ports.publishEventNow(event.eventId, [entry]);
  else
    ports.log.error(
      { eventId: event.eventId, outcome: outcome.outcome },
      'the outcome of a provider event could not be recorded; it stays pending until it is investigated',
    );
  return 'done';
}

async function runHandler(ports: EventPorts, event: ProviderEventMessage): Promise<HandlerOutcome> {
  const handle = Object.hasOwn(handlers, event.type) ? handlers[event.type]! : mirrorEvent;
  try {
    const outcome = await handle(ports, event);
    if (outcome.outcome === 'failed' || outcome.outcome === 'unknown')
      ports.log.error(
        { eventId: event.eventId, type: event.type, ...outcome },
        'a provider event was not handled to its end',
      );
    return outcome;
  } catch (error) {
    ports.log.error(
      { eventId: event.eventId, type: event.type, error: String(error) },
      'the handler of a provider event broke',
    );
    return error instanceof StoreUnavailableError
      ? notKnown('the document store did not answer while the event was handled')
      : failedWith('the handler broke; its log has the reason');
  }
}

/** A redelivery of a recorded event: an outcome is published again, and a pending event is left to its executor. */
async function publishOutcomeAgain(
  ports: EventPorts,
  event: ProviderEventMessage,
  standing: ProviderEventAdmission,
): Promise<EventHandling> {
  if (standing.status === 'pending') return 'done';
  const published = await ports.publish(
    outcomeEntry({ ...standing, admittedRevision: event.admittedRevision }, ports.clock.now()),
  );
  return published === 'acknowledged' ? 'done' : 'again';
}
