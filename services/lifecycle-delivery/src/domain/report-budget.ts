/**
 * The rate at which a consumer may send reports that change nothing: refused reports, repeats, and failures that
 * replace a failure. A first receipt costs nothing, so a working consumer is never delayed, however fast it is. When a
 * consumer has used up its budget, its reports are acknowledged without being read for a moment: its flood costs no
 * reads of the store, and the receipts of other consumers do not wait behind it. The next attempt of the delivery
 * requests such a lost report again.
 */
import type { Clock } from '@platform/kernel';

/** Reports that a consumer may send at once; a redelivery of all its open deliveries is far below this. */
export const reportBurst = 1_000;
/** Reports added to the budget each second. */
export const reportsPerSecond = 20;
/** Consumer names in memory. Only registered users of the broker can send, each under its own name. */
const namesMax = 10_000;

interface Account {
  left: number;
  at: number;
}

export interface ReportBudget {
  /** Whether the next report of this consumer may be read. */
  hasLeft(consumer: string): boolean;
  /** A report of this consumer changed nothing. */
  charge(consumer: string): void;
}

/** For one process: each replica counts the reports that it reads itself. */
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
