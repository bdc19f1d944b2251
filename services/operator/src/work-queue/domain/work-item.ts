/**
 * A row of the work queue: a summary of another service's record of one unresolved case, small enough that a hundred
 * thousand can be sorted. It is a read model, and no decision uses it; lost rows are rebuilt by one walk over the
 * owners.
 */
import type { Revisioned } from '@platform/kernel';
import type { Money, WorkKind, WorkState } from '@platform/contracts-operator';

export interface WorkItem extends Revisioned {
  readonly kind: WorkKind;
  readonly itemId: string;
  readonly tenantId: string | null;
  readonly state: WorkState;
  readonly status: string;
  readonly title: string;
  readonly reason?: string;
  readonly money: Money | null;
  /** Money at risk in the form that the order uses; see {@link weightOf}. */
  readonly weight: number;
  /** The instant by which the owner lists the record. */
  readonly since: Date;
  /** Every identifier by which people may search for it. */
  readonly ids: readonly string[];
  /** What the records of one incident have in common, see `cause.ts`; absent where the cause is unknown. */
  readonly cause?: string;
  readonly checkedAt: Date;
}

export type WorkItemFacts = Omit<WorkItem, '_id' | 'revision' | 'createdAt' | 'updatedAt' | 'weight' | 'checkedAt'>;

export function workItemKey(kind: WorkKind, itemId: string): string {
  return `${kind}:${itemId}`;
}

/** Currencies whose minor unit is not a hundredth, by ISO 4217. */
const decimals: Readonly<Record<string, number>> = {
  bif: 0,
  clp: 0,
  djf: 0,
  gnf: 0,
  jpy: 0,
  kmf: 0,
  krw: 0,
  mga: 0,
  pyg: 0,
  rwf: 0,
  ugx: 0,
  vnd: 0,
  vuv: 0,
  xaf: 0,
  xof: 0,
  xpf: 0,
  bhd: 3,
  jod: 3,
  kwd: 3,
  omr: 3,
  tnd: 3,
};

/**
 * Hundredths of the currency's main unit, at face value (no exchange rates), to two significant digits. Few distinct
 * weights exist (at most 90 per power of ten), so the queue can be merged from one index range per weight.
 */
export function weightOf(money: Money | null): number {
  if (!money || money.amountCents === 0) return 0;
  const hundredths = Math.abs(money.amountCents) * 10 ** (2 - (decimals[money.currency] ?? 2));
  return hundredths < 1 ? 1 : Number(hundredths.toPrecision(2));
}

/** The row to write. */
export function workItemOf(
  facts: WorkItemFacts,
  checkedAt: Date,
): Omit<WorkItem, 'revision' | 'createdAt' | 'updatedAt'> {
  const { reason, ...rest } = facts;
  return {
    _id: workItemKey(facts.kind, facts.itemId),
    ...rest,
    ...(reason !== undefined && { reason: reason.slice(0, 500) }),
    ids: [...new Set(facts.ids)],
    weight: weightOf(facts.money),
    checkedAt,
  };
}

/** Whether a row still equals its owner's record; the time of the last check does not count. */
export function hasSameFacts(row: WorkItem, facts: WorkItemFacts): boolean {
  const compared = ({
    kind,
    itemId,
    tenantId,
    state,
    status,
    title,
    reason,
    money,
    since,
    ids,
    cause,
  }: WorkItemFacts) =>
    JSON.stringify([
      kind,
      itemId,
      tenantId,
      state,
      status,
      title,
      reason?.slice(0, 500) ?? null,
      money?.amountCents ?? null,
      money?.currency ?? null,
      since.getTime(),
      [...new Set(ids)],
      cause ?? null,
    ]);
  return compared(row) === compared(facts);
}
