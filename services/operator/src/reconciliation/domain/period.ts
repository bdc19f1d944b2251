/** The periods that are reconciled: whole days of UTC, or everything since an instant. */

const dayMs = 86_400_000;

export interface Period {
  /** `YYYY-MM-DD`, the first day; `since-<instant>` for a period that a person requested. */
  readonly id: string;
  readonly kind: 'day' | 'since';
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** How long after its end a day is reconciled, so that late answers and events have arrived. */
const settledAfterMs = 3_600_000;

function dayOf(instant: Date): Period {
  const id = instant.toISOString().slice(0, 10);
  const from = new Date(`${id}T00:00:00.000Z`);
  return { id, kind: 'day', from, to: new Date(from.getTime() + dayMs) };
}

/** The last day that ended long enough ago, by the database's clock. */
function lastSettledDay(now: Date): Period {
  return dayOf(new Date(now.getTime() - settledAfterMs - dayMs));
}

export function isWithin({ from, to }: Pick<Period, 'from' | 'to'>, instant: Date | undefined): boolean {
  return instant !== undefined && instant >= from && instant < to;
}

/**
 * The next period to reconcile: the last day that is over, together with every day since the last reconciliation. Null
 * when none is due. Its name is its first day, so replicas that check at the same moment begin the same one.
 */
export function nextPeriod(last: Pick<Period, 'to'> | null, now: Date): Period | null {
  const settled = lastSettledDay(now);
  if (!last) return settled;
  return last.to < settled.to ? { ...dayOf(last.to), to: settled.to } : null;
}

/**
 * The provider stamps its objects by its own clock, in whole seconds: what it made just after an instant of the database
 * may carry an earlier one. A longer period finds nothing that is not different.
 */
export const clocksDifferByMs = 600_000;

/**
 * Everything from this instant to `now`, both by the database's clock, and some minutes around it. Where the provider's
 * clock is behind or ahead, the period is longer by that.
 */
export function since(instant: Date, now: Date, providerBehindMs = 0): Period {
  const from = new Date(instant.getTime() - clocksDifferByMs - Math.max(0, providerBehindMs));
  const to = new Date(now.getTime() + clocksDifferByMs + Math.max(0, -providerBehindMs));
  return { id: `since-${instant.toISOString()}`, kind: 'since', from, to };
}
