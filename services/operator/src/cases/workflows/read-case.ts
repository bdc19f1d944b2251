/** Reads the material of a case from its owner, never from the queue's rows; `http/case-view.ts` builds the view. */
import {
  lifecycleRequests,
  lifecycleOfOperationSchema,
  type DeliveryView,
  type LifecycleOfOperation,
} from '@platform/contracts-lifecycle-delivery';
import {
  webhookEventsSubject,
  webhookEventsPageSchema,
  type Money,
  type WebhookEventView,
  type WorkKind,
} from '@platform/contracts-operator';
import type { AttemptView, DeletionView } from '@platform/contracts-provisioning';
import type { ExecutorKnowledge } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { parseDeliveryItemId } from '../../work-queue/domain/delivery-item-id';
import { readLetter, type ReadLetter, type ReadLetterPorts } from '../../dead-letters/workflows/read-letter';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import type { MigrationFacts } from '../../migrations/domain/migration';
import { migrationItemKey, migrationKey } from '../../migrations/workflows/migration-keys';
import type { Subscription } from '../../mirror/domain/subscription';
import { workspaceOfCustomer } from '../../mirror/workflows/workspace-of-customer';
import type { Difference } from '../../reconciliation/domain/difference';
import { collectEvidence, type CaseFile } from '../../operations/workflows/collect-evidence';
import { findAtProvider, type ProviderFindings } from '../../operations/workflows/find-at-provider';
import { askExecutor } from '../../operations/workflows/read-operation';
import { readAttempt, readDeletion, requestOwner } from '../../work-queue/workflows/asked-owners';
import { isUnavailable, type Prices, type Unavailable } from '../../work-queue/workflows/ports';
import { firstInvoiceOf } from './first-invoice';
import { admissionOf, type AdmissionPorts } from './admission-of-event';
import type { EventMaterial } from '../domain/event-material';
import { creationOf, type CreationOfEvent } from './creation-of-event';

export interface CasePorts extends AdmissionPorts {
  readonly prices: Prices;
  readonly letters: ReadLetterPorts;
  readonly differences: Pick<RevisionedCollection<Difference>, 'findById'>;
}

interface Found {
  readonly collectedAt: Date;
  readonly money: Money | null;
}

export type CaseMaterial =
  | (Found & { readonly kind: 'operation'; readonly file: CaseFile })
  | (Found & {
      readonly kind: 'migration_item';
      readonly item: ItemFacts;
      readonly migration: MigrationFacts;
      readonly subscription: Subscription | null;
      readonly knowledge: ExecutorKnowledge;
      readonly provider: ProviderFindings;
      readonly unmarked?: ShownSubscription;
    })
  | (Found & {
      readonly kind: 'migration';
      readonly migration: MigrationFacts;
      readonly knowledge: ExecutorKnowledge;
      readonly unresolved: readonly ItemFacts[];
      readonly unresolvedCount: number;
      readonly failed: readonly ItemFacts[];
    })
  | (Found & {
      readonly kind: 'webhook_event';
      readonly event: WebhookEventView;
      readonly tenantId: string | null;
      readonly admission: EventMaterial['admission'];
      readonly creation: CreationOfEvent;
    })
  | (Found & {
      readonly kind: 'provisioning_attempt';
      readonly attempt: AttemptView;
      readonly invoice?: string;
      readonly provider: ProviderFindings;
    })
  | (Found & { readonly kind: 'deletion'; readonly deletion: DeletionView })
  | (Found & { readonly kind: 'dead_letter' } & ReadLetter)
  | (Found & { readonly kind: 'difference'; readonly difference: Difference })
  | (Found & { readonly kind: 'delivery'; readonly delivery: DeliveryView; readonly lifecycle: LifecycleOfOperation });

interface ShownSubscription {
  readonly id: string;
  readonly status: string;
  readonly priceId?: string;
}

const itemsShown = 10;

/** Null: the record does not exist. Throws StoreUnavailableError. */
type CaseReader = (ports: CasePorts, itemId: string) => Promise<CaseMaterial | null | Unavailable>;

const readers: Readonly<Record<WorkKind, CaseReader>> = {
  operation: readOperationCase,
  migration: readMigrationCase,
  migration_item: readItemCase,
  webhook_event: readEventCase,
  provisioning_attempt: readAttemptCase,
  deletion: readDeletionCase,
  delivery: readDeliveryCase,
  dead_letter: readDeadLetterCase,
  difference: readDifferenceCase,
};

/** Null when there is no such record, `unavailable` when its owner did not answer. Throws StoreUnavailableError. */
export async function readCase(
  ports: CasePorts,
  kind: WorkKind,
  itemId: string,
): Promise<CaseMaterial | null | Unavailable> {
  return readers[kind](ports, itemId);
}

async function readOperationCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null> {
  const operation = await ports.operations.findById(itemId);
  const file = operation && (await collectEvidence(ports, operation.tenantId, itemId));
  return (
    file && {
      kind: 'operation',
      file,
      money: await ports.prices.ofOperation(file.operation),
      collectedAt: file.collectedAt,
    }
  );
}

async function readItemCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null> {
  const item = await ports.migrationItems.findById(itemId);
  const migration = item && (await ports.migrations.findById(item.migrationId));
  if (!item || !migration) return null;
  const subscription = await ports.subscriptions.findById(item.tenantId);
  const [knowledge, shown, money] = await Promise.all([
    askExecutor(ports, migrationItemKey(item._id), item.executor),
    findMigrated(ports, item, subscription),
    ports.prices.ofWorkspace(item.tenantId, migration.targetPlanId),
  ]);
  return {
    kind: 'migration_item',
    item,
    migration,
    subscription,
    knowledge,
    ...shown,
    money,
    collectedAt: ports.clock.now(),
  };
}

async function readMigrationCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null> {
  const migration = await ports.migrations.findById(itemId);
  if (!migration) return null;
  const { migrationItems } = ports;
  const first = (status: ItemFacts['status']) =>
    migrationItems.find({ migrationId: itemId, status }, { sort: { ordinal: 1, _id: 1 }, limit: itemsShown });
  const count = (status: ItemFacts['status']) => migrationItems.count({ migrationId: itemId, status });
  const [knowledge, stopped, running, failed, stoppedCount, runningCount, money] = await Promise.all([
    askExecutor(ports, migrationKey(migration._id), migration.executor),
    first('reconciliation_required'),
    first('running'),
    first('failed'),
    count('reconciliation_required'),
    count('running'),
    ports.prices.ofMigration(migration),
  ]);
  return {
    kind: 'migration',
    migration,
    knowledge,
    unresolved: [...stopped, ...running].slice(0, itemsShown),
    unresolvedCount: stoppedCount + runningCount,
    failed,
    money,
    collectedAt: ports.clock.now(),
  };
}

/** The subscription that carries this migration's id; separately, the workspace's own when it does not. */
async function findMigrated(
  ports: CasePorts,
  { migrationId, providerCalls }: ItemFacts,
  subscription: Subscription | null,
): Promise<{ provider: ProviderFindings; unmarked?: ShownSubscription }> {
  const { customerId, subscriptionId } = subscription?.provider ?? {};
  const found = await findAtProvider(ports, {
    operationId: migrationId,
    calls: providerCalls,
    handles: { ...(customerId && { customerId }), ...(subscriptionId && { subscriptionId }) },
  });
  const shown = found.evidence.flatMap(({ objects }) => objects);
  if (subscriptionId === undefined || shown.length > 0 || found.source !== 'answered') return { provider: found };
  const read = await ports.provider.retrieveSubscription(subscriptionId);
  if (read.outcome !== 'succeeded') return { provider: found };
  const { id, status, priceId } = read.value;
  return { provider: found, unmarked: { id, status, priceId } };
}

async function readEventCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null | Unavailable> {
  const page = await requestOwner(ports, webhookEventsSubject, { eventId: itemId, limit: 1 }, webhookEventsPageSchema);
  if (isUnavailable(page)) return page;
  const [event] = page.events;
  if (!event) return null;
  const metadata = (event.object['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const customer = event.object['customer'];
  const mirrored = typeof customer === 'string' ? await workspaceOfCustomer(ports, customer) : undefined;
  const named = [metadata['tenantId'], metadata['provisioningAttempt']].find((each) => typeof each === 'string');
  const creation =
    event.owner === 'provisioning' ? await creationOf(ports, event, named ?? mirrored?._id) : 'not_asked';
  const tenantId =
    named ?? mirrored?._id ?? (typeof creation === 'object' && !isUnavailable(creation) ? creation.tenantId : null);
  return {
    kind: 'webhook_event',
    event,
    tenantId,
    admission: await admissionOf(ports, event),
    creation,
    money: await ports.prices.ofWorkspace(tenantId),
    collectedAt: ports.clock.now(),
  };
}

async function readAttemptCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null | Unavailable> {
  const attempt = await readAttempt(ports, itemId);
  if (!attempt || isUnavailable(attempt)) return attempt;
  return {
    kind: 'provisioning_attempt',
    attempt,
    ...(await firstInvoiceOf(ports, attempt)),
    provider: await findAtProvider(ports, {
      operationId: attempt.tenantId,
      calls: attempt.providerCalls.map(({ sentAt, ...call }) => ({ ...call, sentAt: new Date(sentAt) })),
      handles: attempt.handles,
    }),
    money: await ports.prices.ofPlan(attempt.planId),
    collectedAt: ports.clock.now(),
  };
}

async function readDeletionCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null | Unavailable> {
  const deletion = await readDeletion(ports, itemId);
  if (!deletion || isUnavailable(deletion)) return deletion;
  return { kind: 'deletion', deletion, money: null, collectedAt: ports.clock.now() };
}

async function readDeadLetterCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null> {
  const read = await readLetter(ports.letters, itemId);
  return read && { kind: 'dead_letter', ...read, money: null, collectedAt: ports.clock.now() };
}

async function readDifferenceCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null> {
  const difference = await ports.differences.findById(itemId);
  return (
    difference && {
      kind: 'difference',
      difference,
      money: difference.money ?? null,
      collectedAt: ports.clock.now(),
    }
  );
}

async function readDeliveryCase(ports: CasePorts, itemId: string): Promise<CaseMaterial | null | Unavailable> {
  const named = parseDeliveryItemId(itemId);
  if (!named) return null;
  const lifecycle = await requestOwner(
    ports,
    lifecycleRequests.operation,
    { operationId: named.operationId },
    lifecycleOfOperationSchema,
  );
  if (isUnavailable(lifecycle)) return lifecycle;
  const delivery = lifecycle.deliveries.find(({ consumer }) => consumer === named.consumer);
  return delivery
    ? {
        kind: 'delivery',
        delivery,
        lifecycle,
        money: await ports.prices.ofWorkspace(delivery.tenantId),
        collectedAt: ports.clock.now(),
      }
    : null;
}
