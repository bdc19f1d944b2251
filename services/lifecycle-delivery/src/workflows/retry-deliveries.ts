/**
 * The reconciliation of deliveries, at start and every five minutes (specification §§6, 8): messages whose deliveries
 * or settlement a crash left out are completed, and every due delivery without a receipt is sent again. After a loss of
 * the broker's data, this alone restores everything undelivered from the database. Deliveries that the broker holds for
 * an unreachable consumer are not even read, so the cost of a round depends on what it publishes, not on what waits.
 */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { StoreUnavailableError } from '@platform/mongo';
import { isOpen, type Delivery, type OpenDelivery, type WaivedDelivery } from '../domain/delivery';
import type { AwaitingMessage } from '../domain/lifecycle-message';
import { isDue, isFresh, leavesUpTo, retryLimits, type DurableBacklog } from '../domain/retry';
import { allConsumers } from '../store/consumers';
import {
  attemptedDeliveries,
  deliveriesOfEach,
  dueDeliveries,
  openDeliveries,
  waivedSince,
  type Position,
} from '../store/deliveries';
import { unsettledMessages } from '../store/messages';
import { attemptDelivery } from './attempt-delivery';
import { completeDeliveries } from './complete-deliveries';
import type { DeliveryPorts } from './ports';
import { durableOf } from './register-consumer';
import { settleMessage } from './settle-message';

const pageSize = 200;
/** The most records that one read of the store returns. */
const deliveriesPerQuery = 1_000;
/** Concurrent attempts; the broker acknowledges a batch far faster than single messages. */
const concurrency = 32;

/**
 * `due`: deliveries that are due. `everything`: all without a receipt, at start. `consumer`: those of a consumer that
 * has just returned.
 */
export type RetryScope =
  { readonly kind: 'due' } | { readonly kind: 'everything' } | { readonly kind: 'consumer'; readonly name: string };

export interface RetryRound {
  readonly messagesCompleted: number;
  readonly published: number;
  readonly skippedDeleted: number;
  readonly unconfirmed: number;
}

type Counts = { -readonly [K in keyof RetryRound]: number };

/** One round. Throws StoreUnavailableError when the store is unreachable; the next round continues from the records. */
export async function retryDeliveries(
  ports: DeliveryPorts,
  store: { now(): Promise<Date> },
  scope: RetryScope,
): Promise<RetryRound> {
  const counts: Counts = {
    messagesCompleted: 0,
    published: 0,
    skippedDeleted: 0,
    unconfirmed: 0,
  };
  const now = await store.now();
  if (scope.kind !== 'consumer')
    await completeMessages(
      ports,
      scope.kind === 'everything' ? null : new Date(now.getTime() - retryLimits.recentMessagesMs),
      counts,
    );
  // A round over everything has checked these already. Other rounds read only messages of the last hour, and waivers
  // come later.
  if (scope.kind === 'due') await settleWaived(ports, new Date(now.getTime() - retryLimits.recentWaiversMs));
  const backlogs = await readBacklogs(ports);
  for (const [consumer, backlog] of backlogs) {
    if (scope.kind === 'consumer' && scope.name !== consumer) continue;
    // A durable that was missing holds nothing, so all deliveries of the consumer are sent, due or not.
    const due = scope.kind === 'due' && backlog !== 'lost';
    await retryConsumer(ports, consumer, backlog === 'lost' ? null : backlog, { now, counts, due });
  }
  return counts;
}

interface Round {
  readonly now: Date;
  readonly counts: Counts;
  /** Only deliveries that are due. */
  readonly due: boolean;
}

/** The deliveries of one registered consumer that the broker does not hold, or may have lost long ago. */
async function retryConsumer(
  ports: DeliveryPorts,
  consumer: string,
  backlog: DurableBacklog | null,
  round: Round,
): Promise<void> {
  const { now, due } = round;
  const { deliveries } = ports;
  const attempt = (delivery: OpenDelivery): Promise<void> =>
    due && !isDue(delivery, now) ? Promise.resolve() : retryApart(ports, delivery, round);
  const upTo = leavesUpTo(backlog, now);
  if (upTo)
    return eachOf(
      (after) => attemptedDeliveries(deliveries, consumer, upTo, after, pageSize),
      (one) => one.attemptedAt,
      attempt,
    );
  if (!due)
    return eachOf(
      (after) => openDeliveries(deliveries, consumer, after, pageSize),
      (one) => one.createdAt,
      attempt,
    );
  const jumped = new Date(now.getTime() + retryLimits.clockJumpMs);
  for (const bounds of [{ $lte: now }, { $gt: jumped }] as const)
    await eachOf(
      (after) => dueDeliveries(deliveries, consumer, bounds, after, pageSize),
      (one) => one.nextAttemptAt,
      attempt,
    );
}

/** Messages that lack a delivery or only their settlement; with `since`, only those accepted after it. */
async function completeMessages(ports: DeliveryPorts, since: Date | null, counts: Counts): Promise<void> {
  for (let after: Position | null = null; ;) {
    const page: AwaitingMessage[] = await unsettledMessages(ports.messages, since, after, pageSize);
    for (const some of inChunks(page)) await completeSome(ports, some, counts);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = [last.createdAt, last._id];
  }
}

/**
 * Settles a message that a waiver completed, when the tool ended after recording the waiver and before the settlement.
 */
async function settleWaived(ports: DeliveryPorts, since: Date): Promise<void> {
  for (let after: Position | null = null; ;) {
    const page: WaivedDelivery[] = await waivedSince(ports.deliveries, since, after, pageSize);
    await inParallel(page, async ({ operationId }) => void (await settleMessage(ports, operationId)));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = [last.resolution.at, last._id];
  }
}

/** Chunks of messages whose deliveries fit one query. */
function inChunks(messages: readonly AwaitingMessage[]): AwaitingMessage[][] {
  const chunks: AwaitingMessage[][] = [];
  let size = deliveriesPerQuery;
  for (const message of messages) {
    size += message.required.length;
    if (size > deliveriesPerQuery) {
      chunks.push([]);
      size = message.required.length;
    }
    chunks.at(-1)?.push(message);
  }
  return chunks;
}

/** One query for all of them, since nearly all are complete and wait for a receipt. */
async function completeSome(ports: DeliveryPorts, messages: readonly AwaitingMessage[], counts: Counts): Promise<void> {
  const count = messages.reduce((sum, { required }) => sum + required.length, 0);
  const ids = messages.map(({ _id }) => _id);
  const known = await deliveriesOfEach(ports.deliveries, ids, Math.min(count, deliveriesPerQuery));
  await inParallel(messages, (message) => completeMessage(ports, message, known.get(message._id) ?? [], counts));
}

async function completeMessage(
  ports: DeliveryPorts,
  message: AwaitingMessage,
  deliveries: readonly Delivery[],
  counts: Counts,
): Promise<void> {
  const complete = deliveries.length === message.required.length;
  if (complete && deliveries.some(isOpen)) return;
  if (!complete) await completeDeliveries(ports, message);
  await settleMessage(ports, message._id);
  counts.messagesCompleted += 1;
}

/**
 * By registered consumer that is not paused; null where the broker cannot report its backlog, `lost` where it had no
 * durable.
 */
type Backlogs = ReadonlyMap<string, DurableBacklog | 'lost' | null>;

/** The broker's backlog for each registered consumer; also recreates missing durables. */
async function readBacklogs(ports: DeliveryPorts): Promise<Backlogs> {
  const registered = (await allConsumers(ports.consumers)).filter((one) => one.status === 'registered' && !one.paused);
  const durables = await readDurables(ports);
  const backlogs = new Map<string, DurableBacklog | 'lost' | null>();
  for (const { _id } of registered) {
    if (durables && !durables.has(_id)) await ports.broker.ensureDurable(durableOf(_id));
    backlogs.set(_id, durables ? (durables.get(_id) ?? 'lost') : null);
  }
  return backlogs;
}

async function readDurables(ports: DeliveryPorts): Promise<ReadonlyMap<string, DurableBacklog> | null> {
  try {
    const [state] = await ports.broker.streamStates([lifecycleStreams.deliveries]);
    return new Map(
      state?.durables.map((one) => [
        one.durable,
        {
          outstanding: one.pending + one.ackPending,
          oldestAt: one.oldestPendingAt,
          ...('lastAckAt' in one && { lastAckAt: one.lastAckAt }),
        },
      ]),
    );
  } catch (error) {
    ports.log.warn({ error: String(error) }, 'the broker could not say what it holds; due deliveries leave again');
    return null;
  }
}

type ReadPage = (after: Position | null) => Promise<OpenDelivery[]>;

async function eachOf(
  read: ReadPage,
  orderedBy: (delivery: OpenDelivery) => Date,
  attempt: (delivery: OpenDelivery) => Promise<void>,
): Promise<void> {
  for (let after: Position | null = null; ;) {
    const page: OpenDelivery[] = await read(after);
    await inParallel(page, attempt);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = [orderedBy(last), last._id];
  }
}

/** One delivery that cannot be handled must not block the others; an unreachable store ends the round. */
async function retryApart(ports: DeliveryPorts, delivery: OpenDelivery, round: Round): Promise<void> {
  try {
    await retryOne(ports, delivery, round);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    round.counts.unconfirmed += 1;
    ports.log.error(
      {
        deliveryId: delivery._id,
        operationId: delivery.operationId,
        consumer: delivery.consumer,
        error: String(error),
      },
      'a delivery could not be retried',
    );
  }
}

async function retryOne(ports: DeliveryPorts, delivery: OpenDelivery, { now, counts }: Round): Promise<void> {
  if (isFresh(delivery, now)) return;
  const result = await attemptDelivery(ports, delivery, now);
  if (result === 'published') counts.published += 1;
  if (result === 'unconfirmed') counts.unconfirmed += 1;
  if (result === 'skipped_deleted') {
    counts.skippedDeleted += 1;
    await settleMessage(ports, delivery.operationId);
  }
}

async function inParallel<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values();
  const worker = async (): Promise<void> => {
    for (const one of queue) await run(one);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker));
}
