/**
 * The reconciliation of deliveries, at start and every five minutes (specification §§6, 8): messages whose deliveries
 * or settlement a crash left out are completed, and every due delivery without a receipt is sent again. After a loss of
 * the broker's data, this alone restores everything undelivered from the database. Deliveries that the broker holds for
 * an unreachable consumer are not even read, so the cost of a round depends on what it publishes, not on what waits.
 */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { StoreUnavailableError } from '@platform/mongo';
import type { OpenDelivery } from '../domain/delivery';
import { isDue, isFresh, leavesUpTo, retryLimits, type DurableBacklog } from '../domain/retry';
import { allConsumers } from '../store/consumers';
import { attemptedDeliveries, dueDeliveries, openDeliveries, type Position } from '../store/deliveries';
import { attemptDelivery } from './attempt-delivery';
import { completeMessages, settleOwed, settleWaived } from './complete-messages';
import { inParallel, pageSize } from './paging';
import type { DeliveryPorts } from './ports';
import { durableOf } from './register-consumer';

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

/** What a process knows from its earlier rounds, so that a round reads only what came since. */
export interface RoundMemory {
  /** Every message accepted before this instant has its deliveries; null: none has been checked. */
  completeUpTo: Date | null;
  /** Operations that may lack their settlement after an attempt whose outcome is unknown. */
  readonly owed: Set<string>;
}

/** The memory of a process that starts: its first round checks all messages. */
export const newRoundMemory = (): RoundMemory => ({ completeUpTo: null, owed: new Set() });

/** One round. Throws StoreUnavailableError when the store is unreachable; the next round continues from the records. */
export async function retryDeliveries(
  ports: DeliveryPorts,
  store: { now(): Promise<Date> },
  scope: RetryScope,
  memory: RoundMemory = newRoundMemory(),
): Promise<RetryRound> {
  const counts: Counts = { messagesCompleted: 0, published: 0, skippedDeleted: 0, unconfirmed: 0 };
  const now = await store.now();
  await settleOwed(ports, memory.owed);
  if (scope.kind !== 'consumer') {
    const since = scope.kind === 'everything' ? null : memory.completeUpTo;
    const { completed, incompleteSince } = await completeMessages(ports, since);
    counts.messagesCompleted += completed;
    memory.completeUpTo = beforeLate(incompleteSince ?? now);
  }
  // A round over everything has checked these already. Other rounds read only recent messages, and waivers come later.
  if (scope.kind === 'due') await settleWaived(ports, new Date(now.getTime() - retryLimits.recentWaiversMs));
  const backlogs = await readBacklogs(ports);
  for (const [consumer, backlog] of backlogs) {
    if (scope.kind === 'consumer' && scope.name !== consumer) continue;
    // A durable that was missing holds nothing, so all deliveries of the consumer are sent, due or not.
    const due = scope.kind === 'due' && backlog !== 'lost';
    await retryConsumer(ports, consumer, backlog === 'lost' ? null : backlog, { now, counts, due, owed: memory.owed });
  }
  return counts;
}

/** A record written later than a round can carry a time from before it. */
const beforeLate = (at: Date): Date => new Date(at.getTime() - retryLimits.lateRecordsMs);

interface Round {
  readonly now: Date;
  readonly counts: Counts;
  /** Only deliveries that are due. */
  readonly due: boolean;
  readonly owed: Set<string>;
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
    round.owed.add(delivery.operationId);
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

async function retryOne(ports: DeliveryPorts, delivery: OpenDelivery, round: Round): Promise<void> {
  const { now, due, counts, owed } = round;
  // A due time alone decides where it was read; the time of acceptance can come from a clock that was ahead.
  if (!due && isFresh(delivery, now)) return;
  const result = await attemptDelivery(ports, delivery, now);
  if (result === 'published') counts.published += 1;
  if (result === 'unconfirmed' || result === 'skip_unconfirmed') counts.unconfirmed += 1;
  if (result === 'skipped_deleted') counts.skippedDeleted += 1;
  // The end of a delivery is found by no later round, so its settlement is owed until it is known.
  if (result !== 'skipped_deleted' && result !== 'skip_unconfirmed') return;
  owed.add(delivery.operationId);
  await settleOwed(ports, owed, [delivery.operationId]);
}
