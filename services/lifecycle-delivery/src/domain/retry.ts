/**
 * When a delivery without a receipt is published again. It is due five minutes after its last publication; as long as
 * the consumer's durable still holds at least as many messages as there are deliveries without a receipt, the copy on the broker is
 * trusted to arrive and another one would only make the consumer run twice, yet never for longer than an hour.
 */
import type { OpenDelivery } from './delivery';

export const RETRY_LIMITS = {
  /** Specification §8. */
  intervalMs: 300_000,
  /** Share of the interval by which replicas and deliveries part. */
  spread: 0.1,
  /** When it has been due for so long, a delivery leaves again whatever the broker says that it holds. */
  trustBrokerMs: 3_600_000,
  /** A due time further ahead than this comes from a clock that jumped; such a delivery is due now. */
  clockJumpMs: 900_000,
} as const;

/** The instant from which a delivery published now is due again: the interval and up to a tenth more. */
export function nextAttemptAfter(now: Date, random: () => number): Date {
  return new Date(now.getTime() + Math.round(RETRY_LIMITS.intervalMs * (1 + RETRY_LIMITS.spread * random())));
}

export interface ConsumerBacklog {
  /** Deliveries of this consumer that have no receipt. */
  readonly waiting: number;
  /** Messages that its durable has still to hand out or to see acknowledged; null when the broker cannot say. */
  readonly outstanding: number | null;
}

/** Whether a due delivery leaves again now. */
export function leavesAgain(delivery: Pick<OpenDelivery, 'nextAttemptAt'>, backlog: ConsumerBacklog, now: Date): boolean {
  if (backlog.outstanding === null || backlog.outstanding < backlog.waiting) return true;
  return now.getTime() - delivery.nextAttemptAt.getTime() >= RETRY_LIMITS.trustBrokerMs;
}
