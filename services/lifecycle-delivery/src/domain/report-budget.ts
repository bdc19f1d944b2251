/**
 * How many reports that change nothing a consumer may make: refused ones, repeats, and failures that replace a failure. A
 * first receipt costs nothing, so a consumer that works is never held up, however fast it is. A consumer that has none
 * left is not read for a moment: its flood costs the platform no look into the store, and the receipts of other
 * consumers do not wait behind it. What it loses by that is asked for again, with the next attempt of the delivery.
 */
import type { Clock } from '@platform/kernel';

/** Reports that a consumer may make at once; a redelivery of everything that it has open is far less. */
export const reportBurst = 1_000;
/** Reports by which the allowance grows each second. */
export const reportsPerSecond = 20;
/** Names that are remembered; only registered users of the broker can send, each under its own name. */
const namesMax = 10_000;

interface Account {
  left: number;
  at: number;
}

export interface ReportBudget {
  /** Whether the next report of this consumer is read. */
  hasLeft(consumer: string): boolean;
  /** A report of this consumer changed nothing. */
  charge(consumer: string): void;
}

/** Of one process: each replica counts what it reads. */
export function createReportBudget(clock: Clock): ReportBudget {
  const accounts = new Map<string, Account>();
  const accountOf = (consumer: string): Account => {
    const at = clock.now().getTime();
    const known = accounts.get(consumer);
    if (!known) {
      if (accounts.size >= namesMax) accounts.clear();
      const fresh = { left: reportBurst, at };
      accounts.set(consumer, fresh);
      return fresh;
    }
    known.left = Math.min(reportBurst, known.left + (Math.max(0, at - known.at) / 1_000) * reportsPerSecond);
    known.at = at;
    return known;
  };
  return {
    hasLeft: (consumer) => accountOf(consumer).left >= 1,
    charge: (consumer) => void (accountOf(consumer).left -= 1),
  };
}
