/**
 * Compares one workspace with the provider, by reads alone. The provider is read before the journal: an intent is
 * durable before its effect, so every effect that is seen has its record by then. A difference is read twice; only one
 * that remains both times is reported.
 */
import { walk } from '@platform/durable/record';
import type { Outcome } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderReads } from '@platform/payment-provider';
import { itemId, type ItemFacts } from '../../migrations/domain/migration-item';
import type { Subscription } from '../../mirror/domain/subscription';
import type { MirrorPorts } from '../../mirror/workflows/mirror-ports';
import { nextMirror } from '../../mirror/workflows/mirror-subscription';
import type { Operation } from '../../operations/domain/operation';
import { compareJournal, type JournalFacts } from '../domain/compare-journal';
import { compareSales } from '../domain/compare-sales';
import { collectionDifference, mirrorDifference, unknownObjects } from '../domain/compare-mirror';
import { differenceId, type Seen } from '../domain/difference';
import type { Period } from '../domain/period';

export interface ComparePorts extends Pick<MirrorPorts, 'plans' | 'clock'> {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'name' | 'find' | 'findById' | 'quarantine'>;
  readonly operations: Pick<RevisionedCollection<Operation>, 'find' | 'findById'>;
  readonly items: Pick<RevisionedCollection<ItemFacts>, 'findById'>;
  readonly provider: ProviderReads;
}

export type Compared =
  | { readonly kind: 'compared'; readonly seen: readonly Seen[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Throws StoreUnavailableError. */
export async function compareWorkspace(ports: ComparePorts, tenantId: string, period: Period): Promise<Compared> {
  const first = await compareOnce(ports, tenantId, period);
  if (first.kind === 'unavailable' || first.seen.length === 0) return first;
  const second = await compareOnce(ports, tenantId, period);
  if (second.kind === 'unavailable') return second;
  const before = new Set(first.seen.map(differenceId));
  return { kind: 'compared', seen: second.seen.filter((each) => before.has(differenceId(each))) };
}

async function compareOnce(ports: ComparePorts, tenantId: string, period: Period): Promise<Compared> {
  const subscription = await ports.subscriptions.findById(tenantId);
  const { customerId, formerCustomerIds = [] } = subscription?.provider ?? {};
  if (!subscription || customerId === undefined) return { kind: 'compared', seen: [] };
  const lists = await readAllLists(ports.provider, [customerId, ...formerCustomerIds]);
  if ('reason' in lists) return { kind: 'unavailable', reason: lists.reason };
  // Read after the provider, as the head of this file explains.
  if (lists.unlisted.includes(customerId)) {
    if (subscription.deletion || subscription.status === 'cancelled') return { kind: 'compared', seen: [] };
    return { kind: 'compared', seen: [missing(tenantId, `customer ${customerId}`, customerId)] };
  }
  const records = await readJournal(ports, tenantId, lists);
  const journal = [
    ...compareJournal({ tenantId, recordedAt: subscription.createdAt, ...lists, ...records }, period),
    ...compareSales({ subscription, operations: records.operations, invoices: lists.invoices }, period),
  ];
  const state = await compareState(ports, subscription, lists);
  return 'reason' in state
    ? { kind: 'unavailable', reason: state.reason }
    : { kind: 'compared', seen: [...journal, ...state] };
}

type Lists = Pick<JournalFacts, 'transactions' | 'invoices' | 'subscriptions' | 'schedules' | 'unlisted'>;

/** Every customer that the workspace has had: what a replaced one was given or charged stays with that customer. */
async function readAllLists(
  provider: ProviderReads,
  customerIds: readonly string[],
): Promise<Lists | { readonly reason: string }> {
  const all: Lists[] = [];
  for (const customerId of customerIds) {
    const lists = await readLists(provider, customerId);
    if ('reason' in lists) return lists;
    all.push(lists);
  }
  return {
    unlisted: all.flatMap(({ unlisted }) => unlisted),
    transactions: all.flatMap(({ transactions }) => transactions),
    invoices: all.flatMap(({ invoices }) => invoices),
    subscriptions: all.flatMap(({ subscriptions }) => subscriptions),
    schedules: all.flatMap(({ schedules }) => schedules),
  };
}

async function readLists(provider: ProviderReads, customerId: string): Promise<Lists | { readonly reason: string }> {
  const [transactions, invoices, subscriptions, schedules] = await Promise.all([
    provider.listBalanceTransactions(customerId),
    provider.listInvoices(customerId),
    provider.listSubscriptions(customerId),
    provider.listSchedules(customerId),
  ]);
  for (const read of [transactions, invoices, subscriptions, schedules])
    if (read.outcome === 'unknown') return { reason: read.reason };
  return {
    unlisted: transactions.outcome === 'failed' ? [customerId] : [],
    transactions: found(transactions),
    invoices: found(invoices),
    subscriptions: found(subscriptions),
    schedules: found(schedules),
  };
}

/** For an unknown customer the provider refuses some lists and returns others empty. */
function found<T>(read: Outcome<readonly T[]>): readonly T[] {
  return read.outcome === 'succeeded' ? read.value : [];
}

async function readJournal(
  ports: ComparePorts,
  tenantId: string,
  { transactions, invoices }: Lists,
): Promise<Pick<JournalFacts, 'operations' | 'items'>> {
  const operations: Operation[] = [];
  for await (const operation of walk(ports.operations, { tenantId }, { sort: ['createdAt', '_id'] }))
    operations.push(operation);
  const known = new Set(operations.map(({ _id }) => _id));
  const named = [
    ...transactions.map(({ metadata }) => metadata['operationId']),
    ...invoices.map(({ subscriptionMetadata }) => subscriptionMetadata['operationId']),
  ].filter((id): id is string => id !== undefined && !known.has(id));
  const items: ItemFacts[] = [];
  for (const id of new Set(named)) {
    const operation = await ports.operations.findById(id);
    if (operation) operations.push(operation);
    const item = await ports.items.findById(itemId(id, tenantId));
    if (item) items.push(item);
  }
  return { operations, items };
}

async function compareState(
  ports: ComparePorts,
  subscription: Subscription,
  lists: Lists,
): Promise<Seen[] | { readonly reason: string }> {
  // An operation is about to change the mirror; its end mirrors it again.
  if (subscription.transition || subscription.deletion) return [];
  const next = await nextMirror(ports, subscription);
  if ('kind' in next && next.kind === 'provider_unavailable') return { reason: next.reason };
  const { subscriptionId = '' } = subscription.provider;
  const differing = 'kind' in next ? null : mirrorDifference(subscription, next);
  const paused = collectionDifference(subscription, lists.subscriptions);
  return [
    ...('kind' in next && next.kind === 'gone' && subscription.status !== 'cancelled'
      ? [missing(subscription._id, `subscription ${subscriptionId}`, subscriptionId)]
      : []),
    ...(differing ? [differing] : []),
    ...(paused ? [paused] : []),
    ...unknownObjects(subscription, lists),
  ];
}

function missing(tenantId: string, what: string, objectId: string): Seen {
  return {
    kind: 'object_missing',
    tenantId,
    objectId,
    atProvider: `The provider knows no ${what}.`,
    inPlatform: `The mirror names ${what}.`,
  };
}
