/**
 * The operator's world with provider events: the test delivers what the receiver would dispatch, in any order and any
 * number of times, and every published outcome is kept.
 */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { createSequentialIds, type OutboxEntry } from '@platform/kernel';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Store } from '@platform/mongo';
import { checkoutReceiptsCollection } from '../../checkout/store/checkout-receipts';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';
import type { EventPorts } from '../workflows/event-ports';
import type { OperatorPorts } from '../../operations/workflows/ports';
import {
  bootOperator,
  type OperatorLife,
  type OperatorWorld,
  type RecordingBroker,
} from '../../testing/operator-world';

export interface EventLife extends OperatorLife {
  readonly events: EventPorts;
  sweepEvents(): Promise<void>;
}

let revisions = 0;

/** An event as the receiver hands it over. */
export function providerEvent(
  eventId: string,
  type: string,
  object: ProviderEventMessage['object'],
  admittedRevision = `rev-${(revisions += 1)}`,
): ProviderEventMessage {
  return { eventId, type, created: '2026-01-01T00:00:00.000Z', object, admittedRevision };
}

export interface EventBootOptions {
  readonly store?: Store;
  readonly provider?: PaymentProvider;
  readonly broker?: RecordingBroker;
  readonly trial?: NonNullable<OperatorPorts['reserveTrial']>;
}

export function bootEvents(world: OperatorWorld, incarnation: number, options: EventBootOptions = {}): EventLife {
  const {
    store = world.watched,
    broker = world.broker,
    trial = async () => ({ kind: 'decided', days: 0 }) as const,
  } = options;
  const life = bootOperator(world, incarnation, options);
  const admissions = store.collection(providerEventAdmissionsCollection);
  const publish = async (recordId: string, entries: readonly OutboxEntry[]) => {
    for (const entry of entries)
      if ((await broker.publish(entry)) === 'acknowledged') await admissions.outbox.confirm(recordId, entry.id);
  };
  const events: EventPorts = {
    ...life.ports,
    ids: createSequentialIds(500 + incarnation),
    admissions,
    receipts: store.collection(checkoutReceiptsCollection),
    reserveTrial: trial,
    publishEventNow: (eventId, entries) => void publish(eventId, entries).catch(() => undefined),
    publish: (entry) => broker.publish(entry),
  };
  return {
    ...life,
    ports: events,
    events,
    async sweepEvents() {
      for (const { recordId, entry } of await admissions.outbox.pending(1_000)) await publish(recordId, [entry]);
    },
  };
}

/** Outcomes that were published, by event. */
export function outcomesOf(world: OperatorWorld): Record<string, string> {
  return Object.fromEntries(
    world.published
      .filter(({ subject }) => subject === 'provider.outcome.operator')
      .map(({ body }) => [String(body['eventId']), String(body['outcome'])]),
  );
}
