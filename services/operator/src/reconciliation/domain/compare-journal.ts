/**
 * Compares what the provider shows of a workspace in a period with the journal. Pure. The period selects the objects
 * and calls that are examined; their counterparts are searched in everything that was read, so an effect just before
 * midnight still matches its record just after it.
 */
import { formatMoney } from '@platform/contracts-operator';
import type { ProviderCallRecord } from '@platform/durable/journal';
import {
  effects,
  type EffectStep,
  type ProviderBalanceTransaction,
  type ProviderIssuedInvoice,
  type ProviderSchedule,
  type ProviderSubscription,
} from '@platform/payment-provider/effects';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import { claimedInvoices } from '../../operations/domain/claimed-invoices';
import type { Operation } from '../../operations/domain/operation';
import type { Seen } from './difference';
import { clocksDifferByMs, isWithin, type Period } from './period';

export interface JournalFacts {
  readonly tenantId: string;
  /** When the workspace got its record: what was made by hand before is older than the platform's part in it. */
  readonly recordedAt: Date;
  /** Every operation of the workspace, and every other operation that an object names. */
  readonly operations: readonly Operation[];
  /** The items of plan migrations that an object names. */
  readonly items: readonly ItemFacts[];
  readonly transactions: readonly ProviderBalanceTransaction[];
  readonly invoices: readonly ProviderIssuedInvoice[];
  readonly subscriptions: readonly ProviderSubscription[];
  readonly schedules: readonly ProviderSchedule[];
  /** Customers whose lists the provider refuses, as it may for deleted ones: nothing is missing from these. */
  readonly unlisted: readonly string[];
}

/** A record that may have had the effect. */
interface Entry {
  readonly tenantId: string;
  readonly calls: readonly ProviderCallRecord[];
  /** The outcome is unknown, so the operation is already in the work queue. */
  readonly open: boolean;
  readonly resolvedApplied: boolean;
  /** Two people recorded the outcome against the evidence. */
  readonly overridden: boolean;
  readonly status: string;
  readonly amountCents?: number;
  readonly currency?: string;
}

/** A scheduled price is charged when it lands. */
const chargingSteps: readonly EffectStep[] = ['change_price', 'hold_price_change', 'change_plan', 'schedule_price'];
/** Statuses whose outcome is not known yet. */
const openStatuses: readonly string[] = ['pending', 'running', 'awaiting_payment', 'reconciliation_required'];

function entryOf(operation: Operation): Entry {
  const { tenantId, status, attempts, resolution, values, checkpoint } = operation;
  const amount = values['amountCents'];
  const currency = checkpoint?.['currency'];
  return {
    tenantId,
    status,
    calls: attempts.flatMap(({ providerCalls }) => providerCalls),
    open: openStatuses.includes(status),
    resolvedApplied: resolution?.outcome === 'applied',
    overridden: resolution?.override !== undefined,
    ...(typeof amount === 'number' && { amountCents: amount }),
    ...(currency !== undefined && { currency }),
  };
}

function itemEntry({ tenantId, status, providerCalls, resolution }: ItemFacts): Entry {
  return {
    tenantId,
    status,
    calls: providerCalls,
    open: openStatuses.includes(status),
    resolvedApplied: resolution?.outcome === 'applied',
    overridden: resolution?.override !== undefined,
  };
}

/** The differences in the effects of actions. First invoices and renewals are compared separately. */
export function compareJournal(facts: JournalFacts, period: Period): Seen[] {
  const entries = new Map<string, Entry>([
    ...facts.items.map((item) => [item.migrationId, itemEntry(item)] as const),
    ...facts.operations.map((operation) => [operation._id, entryOf(operation)] as const),
  ]);
  return [
    ...transactionDifferences(facts, entries, period),
    ...invoiceDifferences(facts, entries, period),
    ...missingEffects(facts, period),
  ];
}

/** The object of the provider that moved money. */
interface Moved {
  readonly id: string;
  readonly what: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

const shown = ({ what, id, amountCents, currency, createdAt }: Moved): string =>
  `${what} ${id} of ${formatMoney({ amountCents, currency })}, made ${createdAt.toISOString()}`;

function transactionDifferences(facts: JournalFacts, entries: ReadonlyMap<string, Entry>, period: Period): Seen[] {
  const { tenantId, transactions } = facts;
  const moved = transactions
    .filter(({ type }) => type === 'adjustment')
    .map(({ id, amount, currency, createdAt, metadata }): Moved => ({
      ...{ id, currency, createdAt, metadata },
      what: amount <= 0 ? 'Credit' : 'Debit of the balance',
      amountCents: Math.abs(amount),
    }));
  return judgeAll(facts, moved, entries, period, ['balance_credit'], (each, operationId, entry) => {
    if (entry.amountCents === undefined) return [];
    const currency = entry.currency ?? each.currency;
    const isCredit = each.what === 'Credit';
    if (isCredit && each.amountCents === entry.amountCents && each.currency === currency) return [];
    return [
      {
        ...about(tenantId, each, operationId),
        kind: 'amount_differs',
        inPlatform: `The operation credits ${formatMoney({ amountCents: entry.amountCents, currency })}.`,
      },
    ];
  });
}

const heldBy = (operationId: string | undefined): Readonly<Record<string, string>> =>
  operationId === undefined ? {} : { operationId };

/** The invoice of a change of price must name the operation that changed the price. */
function invoiceDifferences(facts: JournalFacts, entries: ReadonlyMap<string, Entry>, period: Period): Seen[] {
  const { operations, invoices } = facts;
  // Until the invoice of a held change is paid, no money has moved.
  const held = claimedInvoices(operations, invoices);
  const moved = invoices
    .filter(({ id, status }) => status === 'paid' || !held.has(id))
    .filter(({ status }) => status !== 'draft' && status !== 'void')
    .filter(({ reason }) => reason === 'subscription_update' || reason === 'manual')
    .filter(({ total }) => total !== 0)
    .map(({ id, total, currency, createdAt, reason, subscriptionMetadata }): Moved => ({
      ...{ id, currency, createdAt },
      what: reason === 'manual' ? 'Invoice made by hand' : 'Invoice of a change',
      amountCents: total,
      metadata: reason === 'manual' ? {} : { ...subscriptionMetadata, ...heldBy(held.get(id)) },
    }));
  return judgeAll(facts, moved, entries, period, chargingSteps);
}

function about(tenantId: string, each: Moved, operationId?: string): Omit<Seen, 'kind' | 'inPlatform'> {
  const { id: objectId, amountCents, currency } = each;
  return {
    tenantId,
    objectId,
    ...(operationId !== undefined && { operationId }),
    money: { amountCents, currency },
    atProvider: shown(each),
  };
}

/** The oldest effects of an operation are those that its calls may have had. */
function judgeAll(
  { tenantId, recordedAt }: Pick<JournalFacts, 'tenantId' | 'recordedAt'>,
  moved: readonly Moved[],
  entries: ReadonlyMap<string, Entry>,
  period: Period,
  steps: readonly string[],
  further: (each: Moved, operationId: string, entry: Entry) => Seen[] = () => [],
): Seen[] {
  const used = new Map<string, number>();
  const named = (entry: Entry, id: string) => entry.calls.some(({ objectId }) => objectId === id);
  const inOrder = [...moved].sort((one, other) => {
    const entry = entries.get(one.metadata['operationId'] ?? '');
    // Of two credits of one operation, the one that the journal names is the intended one.
    const rank = entry ? Number(named(entry, other.id)) - Number(named(entry, one.id)) : 0;
    return rank || one.createdAt.getTime() - other.createdAt.getTime();
  });
  return inOrder.flatMap((each): Seen[] => {
    const { operationId } = each.metadata;
    const earlier = used.get(operationId ?? '') ?? 0;
    if (operationId !== undefined) used.set(operationId, earlier + 1);
    if (!isWithin(period, each.createdAt)) return [];
    if (operationId === undefined) {
      if (each.createdAt.getTime() < recordedAt.getTime() - clocksDifferByMs) return [];
      const inPlatform = 'It names no operation of the platform.';
      return [{ ...about(tenantId, each), kind: 'made_outside', inPlatform }];
    }
    const entry = entries.get(operationId);
    const base = about(tenantId, each, operationId);
    if (!entry || entry.tenantId !== tenantId)
      return [
        {
          ...base,
          kind: 'effect_without_entry',
          inPlatform: entry
            ? `Operation ${operationId} is one of another workspace.`
            : `The journal has no operation ${operationId}.`,
        },
      ];
    if (entry.open || entry.overridden) return [];
    const expected = expectedEffects(entry, steps);
    if (expected === 0) return [unexpected(base, entry, operationId)];
    if (earlier >= expected)
      return [
        {
          ...base,
          kind: 'effect_twice',
          inPlatform: `Operation ${operationId} records ${expected} such effect${expected === 1 ? '' : 's'}.`,
        },
      ];
    return further(each, operationId, entry);
  });
}

function expectedEffects(entry: Entry, steps: readonly string[]): number {
  const calls = entry.calls.filter(({ step }) => steps.includes(step));
  const succeeded = calls.filter(({ outcome }) => outcome === 'succeeded').length;
  // An investigation's `applied` counts as a success of the call whose answer was lost.
  return succeeded > 0 ? succeeded : entry.resolvedApplied && calls.length > 0 ? 1 : 0;
}

function unexpected(base: Omit<Seen, 'kind' | 'inPlatform'>, { status }: Entry, operationId: string): Seen {
  return status === 'failed'
    ? { ...base, kind: 'effect_of_failed', inPlatform: `Operation ${operationId} is recorded as failed.` }
    : {
        ...base,
        kind: 'effect_without_entry',
        inPlatform: `Operation ${operationId} (${status}) records no such effect.`,
      };
}

/** Calls that succeeded according to the journal, and whose object the provider does not list. */
function missingEffects(facts: JournalFacts, period: Period): Seen[] {
  const lists: Readonly<Partial<Record<string, ReadonlySet<string>>>> = {
    balance_transaction: new Set(facts.transactions.map(({ id }) => id)),
    // The path of these calls names no customer; what the mirror names is looked for at the provider by itself.
    ...(facts.unlisted.length === 0 && {
      subscription: new Set(facts.subscriptions.map(({ id }) => id)),
      schedule: new Set(facts.schedules.map(({ id }) => id)),
    }),
  };
  return facts.operations.flatMap((operation) =>
    operation.tenantId !== facts.tenantId
      ? []
      : operation.attempts
          .flatMap(({ providerCalls }) => providerCalls)
          .filter(({ outcome, sentAt }) => outcome === 'succeeded' && isWithin(period, sentAt))
          .flatMap(({ step, path, objectId, requestId }): Seen[] => {
            const kind = step in effects ? effects[step as EffectStep].reads : undefined;
            const list = kind && lists[kind];
            if (!list || objectId === undefined || list.has(objectId)) return [];
            if (facts.unlisted.some((customerId) => path?.includes(`/${customerId}/`))) return [];
            const { amountCents, currency } = entryOf(operation);
            const money = kind === 'balance_transaction' && amountCents !== undefined && currency !== undefined;
            return [
              {
                kind: 'entry_without_effect',
                tenantId: facts.tenantId,
                objectId,
                operationId: operation._id,
                ...(money && { money: { amountCents, currency } }),
                atProvider: `The customer's list does not hold ${objectId}.`,
                inPlatform: `Operation ${operation._id} records ${step} as succeeded with it${requestId ? ` (request ${requestId})` : ''}.`,
              },
            ];
          }),
  );
}
