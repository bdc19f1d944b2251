/**
 * When a delivery without a receipt is published again. It is due five minutes after its last publication; but while
 * the consumer's durable has messages that are as old, this one may still be among them: it is trusted to arrive, since
 * another copy would only make the consumer run twice. That trust ends after an hour, unless the durable has seen no
 * acknowledgement since the attempt: then every message is still there, and of a consumer that is unreachable for days
 * the broker holds one copy of each delivery.
 */
import type { OpenDelivery } from './delivery';

export const retryLimits = {
  /** Specification §8. */
  intervalMs: 300_000,
  /** Share of the interval by which replicas and deliveries part. */
  spread: 0.1,
  /** So long after its last attempt a delivery leaves again, when its consumer has acknowledged anything since. */
  trustBrokerMs: 3_600_000,
  /** A repeat under the same id within this time is dropped by the broker, whose duplicate window is two minutes. */
  freeRepeatMs: 100_000,
  /** The broker's clock and ours may differ by so much. */
  clocksApartMs: 5_000,
  /** Older messages that a crash left incomplete are looked for at start only; younger ones in every round. */
  recentMessagesMs: 3_600_000,
  /**
   * Waivers so young are looked at in every round, because the tool that recorded one may have ended before it settled.
   */
  recentWaiversMs: 86_400_000,
  /** A due time further ahead than this comes from a clock that jumped; such a delivery is due now. */
  clockJumpMs: 900_000,
} as const;

/** The instant from which a delivery published now is due again: the interval and up to a tenth more. */
export function nextAttemptAfter(now: Date, random: () => number): Date {
  return new Date(now.getTime() + Math.round(retryLimits.intervalMs * (1 + retryLimits.spread * random())));
}

/** What the durable of a consumer has still to hand out or to see acknowledged. */
export interface DurableBacklog {
  readonly outstanding: number;
  /** Publication of the oldest of them; null when there is none, or when it may not be read. */
  readonly oldestAt: Date | null;
  /** The last acknowledgement of any message; null: none ever; absent: not known. */
  readonly lastAckAt?: Date | null;
}

/**
 * The instant up to which an attempt must have begun for its due delivery to leave again; null: whenever it began. One
 * instant for all deliveries of a consumer, so that an index finds them and those that the broker holds cost nothing.
 * `backlog` is null when the broker cannot say what it holds.
 */
export function leavesUpTo(backlog: DurableBacklog | null, now: Date): Date | null {
  if (!backlog || backlog.outstanding === 0) return null;
  const acknowledging = backlog.lastAckAt === undefined ? now.getTime() : (backlog.lastAckAt?.getTime() ?? 0);
  const trustEnded = Math.min(now.getTime() - retryLimits.trustBrokerMs, acknowledging + retryLimits.clocksApartMs);
  if (backlog.oldestAt === null) return new Date(trustEnded);
  // Older than all that waits: it is gone.
  return new Date(Math.max(trustEnded, backlog.oldestAt.getTime() - retryLimits.clocksApartMs - 1));
}

/** Due by its time, or put off by a clock that had jumped. */
export function isDue({ nextAttemptAt }: Pick<OpenDelivery, 'nextAttemptAt'>, now: Date): boolean {
  const ahead = nextAttemptAt.getTime() - now.getTime();
  return ahead <= 0 || ahead > retryLimits.clockJumpMs;
}

/**
 * Accepted since the round began at `now`: its first publication is under way. Further ahead is a clock that jumped.
 */
export function isFresh(delivery: Pick<OpenDelivery, 'createdAt'>, now: Date): boolean {
  const ahead = delivery.createdAt.getTime() - now.getTime();
  return ahead > 0 && ahead < retryLimits.clockJumpMs;
}

/**
 * Whether publishing the begun attempt once more costs nothing: the broker still knows its id. Later, a
 * repeat would add a copy for each announcement of a message whose consumer is unreachable; then the retry worker
 * decides.
 */
export function repeatIsFree(delivery: Pick<OpenDelivery, 'attemptedAt'>, now: Date): boolean {
  return now.getTime() - delivery.attemptedAt.getTime() < retryLimits.freeRepeatMs;
}
