/**
 * When a delivery without a receipt is published again. It is due five minutes after its last publication. While the
 * consumer's durable holds messages of that age, this delivery may be among them; it is then not published again,
 * because a copy would only make the consumer run twice. After an hour it is published anyway, unless the durable has
 * had no acknowledgement since the attempt: then every message is still in it. So for a consumer that is unreachable
 * for days, the broker holds one copy of each delivery.
 */
import type { OpenDelivery } from './delivery';

export const retryLimits = {
  /** Specification §8. */
  intervalMs: 300_000,
  /** Share of the interval by which due times are spread, so that replicas and deliveries do not coincide. */
  spread: 0.1,
  /**
   * A delivery is published again this long after its last attempt, if its consumer has acknowledged any message since.
   */
  trustBrokerMs: 3_600_000,
  /** Within this time the broker drops a repeat under the same id; its duplicate window is two minutes. */
  freeRepeatMs: 100_000,
  /** Largest expected difference between the broker's clock and this process's. */
  clocksApartMs: 5_000,
  /**
   * How much later than its time of acceptance a message can appear: a slow write, and the clocks of two processes. A
   * round checks messages again that were accepted this long before the last one.
   */
  lateRecordsMs: 120_000,
  /**
   * Waivers younger than this are checked in every round, because the tool that recorded one may have ended before it
   * settled the message.
   */
  recentWaiversMs: 86_400_000,
  /**
   * A due time further ahead than this was written by a clock that jumped; such a delivery is due now. A clock that is
   * ahead by less puts a delivery off by less than one interval, so the second round after the first due time sends it.
   */
  clockJumpMs: 600_000,
} as const;

/** The instant from which a delivery published now is due again: one interval later, plus up to a tenth. */
export function nextAttemptAfter(now: Date, random: () => number): Date {
  return new Date(now.getTime() + Math.round(retryLimits.intervalMs * (1 + retryLimits.spread * random())));
}

/** Messages of a consumer's durable that are not delivered or not acknowledged yet. */
export interface DurableBacklog {
  readonly outstanding: number;
  /** Publication time of the oldest of them; null when there is none, or when it cannot be read. */
  readonly oldestAt: Date | null;
  /** Time of the last acknowledgement of any message; null: never; absent: unknown. */
  readonly lastAckAt?: Date | null;
}

/**
 * A due delivery is published again when its last attempt began at or before this instant; null: at any time. One
 * instant applies to all deliveries of a consumer, so an index finds them, and deliveries held by the broker cost no
 * read. `backlog` is null when the broker cannot report it.
 */
export function leavesUpTo(backlog: DurableBacklog | null, now: Date): Date | null {
  if (!backlog || backlog.outstanding === 0) return null;
  const acknowledging = backlog.lastAckAt === undefined ? now.getTime() : (backlog.lastAckAt?.getTime() ?? 0);
  const trustEnded = Math.min(now.getTime() - retryLimits.trustBrokerMs, acknowledging + retryLimits.clocksApartMs);
  if (backlog.oldestAt === null) return new Date(trustEnded);
  // The attempt is older than every waiting message, so the broker has lost it.
  return new Date(Math.max(trustEnded, backlog.oldestAt.getTime() - retryLimits.clocksApartMs - 1));
}

/** Whether the delivery is due, or was postponed by a clock that had jumped. */
export function isDue({ nextAttemptAt }: Pick<OpenDelivery, 'nextAttemptAt'>, now: Date): boolean {
  const ahead = nextAttemptAt.getTime() - now.getTime();
  return ahead <= 0 || ahead > retryLimits.clockJumpMs;
}

/**
 * Accepted after the round began at `now`, so its first publication is under way. A time further ahead comes from a
 * clock that jumped.
 */
export function isFresh(delivery: Pick<OpenDelivery, 'createdAt'>, now: Date): boolean {
  const ahead = delivery.createdAt.getTime() - now.getTime();
  return ahead > 0 && ahead < retryLimits.clockJumpMs;
}

/**
 * Whether publishing the begun attempt again adds no copy, because the broker still knows its id. After that, each
 * repeated announcement would add a copy for an unreachable consumer, so the retry worker decides.
 */
export function repeatIsFree(delivery: Pick<OpenDelivery, 'attemptedAt'>, now: Date): boolean {
  return now.getTime() - delivery.attemptedAt.getTime() < retryLimits.freeRepeatMs;
}
