/**
 * Sends the next page of each running replay. A page is sent while the consumer's durable is empty, so live messages go
 * first; then one fenced write advances the replay. After a crash between the two, the page is sent again under the
 * same ids; a durable that was recreated gets it under new ids. Consumers recognise a repeat by the operation.
 */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { StoreUnavailableError } from '@platform/mongo';
import type { ConsumerRecord } from '../domain/consumer';
import type { ReplayPage } from '../domain/consumer-work';
import { receiptOf, type Delivery } from '../domain/delivery';
import { advanced, nextStep, publicationOfReplay, runningReplay, startOf, type RunningReplay } from '../domain/replay';
import { receiptedDeliveries } from '../store/deliveries';
import { brokerRepeats, type DeliveryPorts } from './ports';

/**
 * Throws StoreUnavailableError; the next round continues from the records. A replay that cannot advance does not delay
 * another one.
 */
export async function advanceReplays(
  ports: DeliveryPorts,
  consumers: readonly ConsumerRecord[],
  pageSize: number,
): Promise<void> {
  for (const one of consumers.filter((each) => runningReplay(each)))
    await advanceReplay(ports, one._id, pageSize).catch((error: unknown) => {
      if (error instanceof StoreUnavailableError) throw error;
      ports.log.error({ consumer: one._id, error: String(error) }, 'a replay could not move on; another round follows');
    });
}

async function advanceReplay(ports: DeliveryPorts, consumer: string, pageSize: number): Promise<void> {
  // The record is read first: the broker's backlog says nothing about a page that is sent after it was read.
  const record = await ports.consumers.findById(consumer);
  const replay = record && runningReplay(record);
  if (!replay) return;
  const [stream] = await ports.broker.streamStates([lifecycleStreams.deliveries]);
  const durable = stream?.durables.find((each) => each.durable === consumer);
  // A missing durable is recreated by the next registration or round of the retry worker.
  if (!durable) return;
  const outstanding = durable.pending + durable.ackPending;
  const durableFrom = durable.createdAt;
  const step = nextStep(replay, { outstanding, durableFrom }, ports.clock.now());
  if (step === 'wait') return;
  const deliveries = await receiptedDeliveries(
    ports.deliveries,
    consumer,
    { from: replay.since, to: replay.startedAt },
    startOf(replay, step),
    pageSize,
  );
  const page = deliveries.length === 0 ? undefined : await sendPage(ports, { record, replay, durableFrom }, deliveries);
  if (page === null) return;
  const now = ports.clock.now();
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, null>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (read) => {
      const next = read && advanced(read, replay, { step, ...(page && { page }) }, now);
      return next ? { write: next } : { answer: null };
    },
  );
  const written = decided.kind === 'written' ? decided.record.replay : undefined;
  if (written?.status !== 'completed') return;
  const { requestId, received, skipped } = written;
  ports.log.info({ consumer, requestId, received, skipped }, 'a replay has ended');
}

interface PageOf {
  readonly record: ConsumerRecord;
  readonly replay: RunningReplay;
  readonly durableFrom: Date;
}

/** Null when the broker did not acknowledge the whole page, which is then sent again. */
async function sendPage(
  ports: DeliveryPorts,
  { record, replay, durableFrom }: PageOf,
  deliveries: readonly Delivery[],
): Promise<ReplayPage | null> {
  const wanted = await Promise.all(deliveries.map((delivery) => isWanted(ports, record, delivery)));
  const leaving = deliveries.filter((_delivery, place) => wanted[place]);
  // All messages are published in one turn of the event loop, so that they are sent in order.
  const published = await Promise.all(
    leaving.map((delivery) => ports.broker.publish(publicationOfReplay(delivery, replay, durableFrom))),
  );
  const last = deliveries.at(-1);
  const receipt = last && receiptOf(last);
  if (published.includes('unknown') || !receipt) return null;
  return {
    upTo: [receipt.acceptedAt, last._id],
    sent: leaving.length,
    skipped: deliveries.length - leaving.length,
    sentAt: ports.clock.now(),
    durableFrom,
  };
}

async function isWanted(ports: DeliveryPorts, { transitions }: ConsumerRecord, delivery: Delivery): Promise<boolean> {
  return transitions.includes(delivery.transition) && (await ports.deletedTenants.findById(delivery.tenantId)) === null;
}
