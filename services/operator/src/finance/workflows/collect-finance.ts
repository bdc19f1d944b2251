/**
 * The rows of a finance report, from the journal: credits with the amount that was sent, charges with the amounts of
 * the invoices that name their operation, and unknown outcomes. The report has no rows for renewals, which are not
 * operations of the platform, nor for the first invoices of creations, which provisioning journals.
 */
import { walk } from '@platform/durable/record';
import type { ProviderCallRecord } from '@platform/durable/journal';
import { ok, refused, type Result } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderIssuedInvoice, ProviderReads } from '@platform/payment-provider';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import type { MigrationFacts } from '../../migrations/domain/migration';
import type { Subscription } from '../../mirror/domain/subscription';
import { claimedInvoices } from '../../operations/domain/claimed-invoices';
import type { Operation } from '../../operations/domain/operation';
import type { FinancePeriod, FinanceRow } from '../domain/finance-report';

export interface FinancePorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'find'>;
  readonly migrations: Pick<RevisionedCollection<MigrationFacts>, 'find'>;
  readonly items: Pick<RevisionedCollection<ItemFacts>, 'find'>;
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>;
  readonly provider: Pick<ProviderReads, 'listInvoices'>;
}

/**
 * The longest time in days between the intent and the end of an operation without an investigation: a checkout waits
 * for its customer.
 */
const longestDays = 31;

const dayMs = 86_400_000;

interface NoReport {
  readonly why: 'provider_away' | 'too_many_rows';
  readonly text: string;
}
type Collected = Result<FinanceRow[], NoReport>;

const tooMany = (rowsMax: number): NoReport => ({
  why: 'too_many_rows',
  text: `The period has more than ${rowsMax} rows; the off-line command has no such bound.`,
});

/** What the provider has issued to a customer, and the operations of the invoices that do not name their own. */
interface Bills {
  readonly invoices: readonly ProviderIssuedInvoice[];
  readonly claimed: ReadonlyMap<string, string>;
}

interface Reading extends FinancePorts {
  readonly period: FinancePeriod;
  readonly bills: Map<string, Bills>;
}

/** Refuses while the provider cannot be read: a report without amounts would mislead. Throws StoreUnavailableError. */
export async function collectFinance(
  ports: FinancePorts,
  period: FinancePeriod,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<Collected> {
  const reading: Reading = { ...ports, period, bills: new Map() };
  const rows: FinanceRow[] = [];
  for await (const operation of operationsOf(ports, period)) {
    const found = await rowsOfOperation(reading, operation);
    if (!found.ok) return found;
    rows.push(...found.value);
    if (rows.length > rowsMax) return refused(tooMany(rowsMax));
  }
  for await (const { migration, item } of itemsOf(ports, period)) {
    const found = await rowsOfItem(reading, migration, item);
    if (!found.ok) return found;
    rows.push(...found.value);
    if (rows.length > rowsMax) return refused(tooMany(rowsMax));
  }
  return ok(rows);
}

const firstBegun = ({ from }: FinancePeriod): Date => new Date(from.getTime() - longestDays * dayMs);
const begunIn = (period: FinancePeriod) => ({ createdAt: { $gte: firstBegun(period), $lt: period.to } });
const resolvedIn = ({ from, to }: FinancePeriod) => ({ 'resolution.at': { $gte: from, $lt: to } });
const byCreation = { sort: ['createdAt', '_id'] };
const byResolution = { sort: ['resolution.at', '_id'] };

/** An investigation may end what began at any time before. */
async function* operationsOf({ operations }: FinancePorts, period: FinancePeriod): AsyncGenerator<Operation> {
  yield* walk(operations, begunIn(period), byCreation);
  for await (const operation of walk(operations, resolvedIn(period), byResolution))
    if (operation.createdAt < firstBegun(period)) yield operation;
}

interface ItemOfMigration {
  readonly migration: MigrationFacts;
  readonly item: ItemFacts;
}

async function* itemsOf({ migrations, items }: FinancePorts, period: FinancePeriod): AsyncGenerator<ItemOfMigration> {
  const inOrder = { sort: ['migrationId', 'ordinal', '_id'] };
  for await (const migration of walk(migrations, begunIn(period), byCreation))
    for await (const item of walk(items, { migrationId: migration._id }, inOrder)) yield { migration, item };
  for await (const item of walk(items, resolvedIn(period), byResolution)) {
    const [migration] = await migrations.find({ _id: item.migrationId }, { sort: { _id: 1 }, limit: 1 });
    if (migration && migration.createdAt < firstBegun(period)) yield { migration, item };
  }
}

const within = ({ from, to }: FinancePeriod, at: Date | undefined): at is Date =>
  at !== undefined && at >= from && at < to;

const isOpen = (status: string): boolean =>
  status === 'running' || status === 'reconciliation_required' || status === 'awaiting_payment';

/** The last call of this step that succeeded, else the last one. */
function callOf(calls: readonly ProviderCallRecord[], step: string): ProviderCallRecord | undefined {
  const those = calls.filter((call) => call.step === step && call.skipped === undefined);
  return those.findLast(({ outcome }) => outcome === 'succeeded') ?? those.at(-1);
}

async function rowsOfOperation(reading: Reading, operation: Operation): Promise<Collected> {
  const { _id: operationId, tenantId, action, status, actor, reason, values, attempts, checkpoint } = operation;
  const calls = attempts.flatMap(({ providerCalls }) => providerCalls);
  const credit = callOf(calls, 'balance_credit');
  const charge =
    callOf(calls, 'hold_price_change') ??
    callOf(calls, 'change_price') ??
    (action === 'checkout' ? callOf(calls, 'create_session') : undefined);
  const call = credit ?? charge;
  if (!call) return ok([]);
  const at =
    operation.status === 'succeeded' ? operation.effectiveAt : isOpen(status) ? operation.createdAt : undefined;
  if (!within(reading.period, at)) return ok([]);
  const why = reason ?? (typeof values['reason'] === 'string' ? values['reason'] : undefined);
  const base = {
    ...{ at, tenantId, operationId, action, status, actor: actor.email ?? actor.id },
    ...(why !== undefined && { reason: why }),
    ...(call.requestId !== undefined && { requestId: call.requestId }),
  };
  if (!credit) return chargesOf(reading, { ...base, kind: isOpen(status) ? 'not_known' : 'charge' }, operationId);
  const object = operation.resolution?.providerObject ?? credit.objectId;
  return ok([
    {
      ...base,
      kind: isOpen(status) ? 'not_known' : 'credit',
      ...(checkpoint?.['customerId'] !== undefined && { customerId: checkpoint['customerId'] }),
      ...(typeof object === 'string' && { providerObject: object }),
      money: { amountCents: Number(values['amountCents']), currency: checkpoint?.['currency'] ?? '' },
      source: 'journal',
    },
  ]);
}

function rowsOfItem(
  reading: Reading,
  { _id: migrationId, requestedBy }: MigrationFacts,
  { tenantId, status, finishedAt, startedAt, providerCalls, resolution }: ItemFacts,
): Promise<Collected> | Collected {
  const call = callOf(providerCalls, 'change_plan');
  // Until it is resolved, a stopped item is a row of the period in which it began.
  const at = status === 'succeeded' ? (resolution?.at ?? finishedAt) : isOpen(status) ? startedAt : undefined;
  if (!call || !within(reading.period, at)) return ok([]);
  const base = {
    ...{ at, tenantId, operationId: migrationId, action: 'plan_migration' as const, status },
    actor: requestedBy.email ?? requestedBy.id,
    ...(call.requestId !== undefined && { requestId: call.requestId }),
    kind: isOpen(status) ? ('not_known' as const) : ('charge' as const),
  };
  return chargesOf(reading, base, migrationId);
}

/** A row per invoice of the operation; one without an amount when there is none. */
async function chargesOf(
  reading: Reading,
  base: Omit<FinanceRow, 'money' | 'source'>,
  operationId: string,
): Promise<Collected> {
  const { tenantId } = base;
  const { customerId, formerCustomerIds = [] } = (await reading.subscriptions.findById(tenantId))?.provider ?? {};
  const rows: FinanceRow[] = [];
  // What a replaced customer was charged stays with that customer.
  for (const payer of customerId === undefined ? [] : [customerId, ...formerCustomerIds]) {
    const bills = await billsOf(reading, tenantId, payer);
    if (!bills.ok) return bills;
    const { invoices, claimed } = bills.value;
    const own = invoices.filter(
      ({ id, reason, subscriptionMetadata, status }) =>
        status !== 'draft' &&
        status !== 'void' &&
        (reason === 'subscription_update' || reason === 'subscription_create') &&
        (claimed.get(id) ?? subscriptionMetadata['operationId']) === operationId,
    );
    for (const { id, total, currency } of own)
      rows.push({
        ...{ ...base, customerId: payer, providerObject: id, source: 'provider' },
        money: { amountCents: total, currency },
      });
  }
  if (rows.length > 0) return ok(rows);
  return ok([{ ...base, ...(customerId !== undefined && { customerId }), money: null, source: 'provider' }]);
}

async function billsOf(reading: Reading, tenantId: string, customerId: string): Promise<Result<Bills, NoReport>> {
  const { provider, operations, bills } = reading;
  const known = bills.get(customerId);
  if (known) return ok(known);
  const read = await provider.listInvoices(customerId);
  if (read.outcome === 'unknown')
    return refused({
      why: 'provider_away',
      text: `The invoices of ${customerId} could not be read: ${read.reason}`,
    });
  const invoices = read.outcome === 'succeeded' ? read.value : [];
  const changes: Operation[] = [];
  for (const action of ['upgrade_plan', 'change_plan_later'])
    for await (const each of walk(operations, { tenantId, action }, byCreation)) changes.push(each);
  const found = { invoices, claimed: claimedInvoices(changes, invoices) };
  bills.set(customerId, found);
  return ok(found);
}
