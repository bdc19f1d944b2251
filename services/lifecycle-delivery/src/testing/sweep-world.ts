/**
 * The world of the crash sweep: store, broker, an operator that announces until it sees the settlement, and consumers
 * that keep a ledger. It outlives every crash of the service and checks the invariants at every step.
 */
import {
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleMessage,
  type LifecycleTransition,
  type SettledMessage,
  type TenantDeletedSettled,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds } from '@platform/kernel';
import type { Disposition, InboundMessage, Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { deliveryIdOf, type Delivery } from '../domain/delivery';
import { consumersCollection } from '../store/consumers';
import { deletedTenantsCollection } from '../store/deleted-tenants';
import { deliveriesCollection } from '../store/deliveries';
import { messagesCollection } from '../store/messages';

interface Operation {
  readonly tenantId: string;
  readonly operationId: string;
  readonly transition: LifecycleTransition;
}

const operations: readonly Operation[] = [
  { tenantId: 'acme', operationId: 'operation-suspend', transition: 'suspended' },
  { tenantId: 'acme', operationId: 'workspace-created:acme', transition: 'created' },
  { tenantId: 'hooli', operationId: 'operation-unknown', transition: 'reactivation_requested' },
  { tenantId: 'globex', operationId: 'operation-deleted', transition: 'suspended' },
];

const consumersOf: Readonly<Record<string, readonly LifecycleTransition[]>> = {
  storage: ['created', 'suspended'],
  'search-index': ['suspended'],
};
const requestedAt = '2026-01-01T00:00:00.000Z';

/** Violations of the invariants that hold at every instant: I8, and that receipts are never replaced. */
function createWitness(all: () => Delivery[]) {
  const firstReceipts = new Map<string, string>();
  const violations = new Set<string>();
  const look = (): void => {
    for (const delivery of all()) {
      const name = `${delivery.operationId} to ${delivery.consumer}`;
      const states = [
        delivery.status === 'succeeded' && 'receipt' in delivery,
        delivery.status === 'pending',
        delivery.status === 'failed',
        delivery.status === 'skipped_deleted',
        delivery.status === 'waived' && 'resolution' in delivery,
      ];
      if (states.filter(Boolean).length !== 1) violations.add(`${name} is not in exactly one state`);
      if ('nextAttemptAt' in delivery !== (delivery.status === 'pending' || delivery.status === 'failed'))
        violations.add(`${name} is ${delivery.status} and its due time says otherwise`);
      const receipt =
        delivery.status === 'succeeded'
          ? JSON.stringify(delivery.receipt)
          : delivery.status === 'skipped_deleted'
            ? 'skipped'
            : delivery.status === 'waived'
              ? `waived ${JSON.stringify(delivery.resolution)}`
              : null;
      const first = firstReceipts.get(delivery._id);
      if (first !== undefined && first !== receipt)
        violations.add(`${name}: the receipt ${first} became ${String(receipt)}`);
      if (receipt !== null && first === undefined) firstReceipts.set(delivery._id, receipt);
    }
  };
  return { look, violations };
}

export function createSweepWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const deliveries = store.collection(deliveriesCollection);
  const messages = store.collection(messagesCollection);
  const consumers = store.collection(consumersCollection);
  const deletedTenants = store.collection(deletedTenantsCollection);
  const witness = createWitness(() => deliveries.all());
  const operator = broker.connect('operator');
  const consumerSide = broker.connect('consumers');
  const effects = new Map<string, number>();
  const settled = new Map<string, string>();
  let runs = 0;
  let deletionAnswered = false;
  let current: Messaging | null = null;

  /** Acts once per operation and consumer, fails the first run of `search-index`, and answers every run. */
  async function consume(consumer: string, inbound: InboundMessage): Promise<Disposition> {
    witness.look();
    const { tenantId, operationId, transition } = inbound.body as LifecycleMessage;
    const record = deliveries.all().find(({ _id }) => _id === deliveryIdOf(operationId, consumer));
    if (!record) witness.violations.add(`${operationId} reached ${consumer} before its delivery was durable`);
    if (
      !messages
        .all()
        .find(({ _id }) => _id === operationId)
        ?.required.includes(consumer)
    )
      witness.violations.add(`${operationId} reached ${consumer}, which is not required`);
    const deleted = deletedTenants.all().find(({ _id }) => _id === tenantId);
    if (deleted && deleted.createdAt < inbound.publishedAt)
      witness.violations.add(`${operationId} of a tenant known to be deleted left for ${consumer}`);
    runs += 1;
    const key = `${consumer} ${operationId}`;
    const fails = consumer === 'search-index' && !effects.has(key) && inbound.deliveryCount === 1;
    const body = { tenantId, operationId, transition };
    if (fails) {
      await consumerSide.publish({
        subject: lifecycleSubjects.receipt(consumer),
        id: `failed-${runs}`,
        type: lifecycleTypes.deliveryFailed,
        body: { ...body, error: 'Error: index away', failedAt: requestedAt },
      });
      return { kind: 'nak', reason: 'index away' };
    }
    if (!effects.has(key)) effects.set(key, runs);
    const receipt = { receiptId: `${key} in run ${runs}`, effectiveAt: requestedAt };
    await consumerSide.publish({
      subject: lifecycleSubjects.receipt(consumer),
      id: `receipt-${runs}`,
      type: lifecycleTypes.receipt,
      body: { ...body, ...receipt },
    });
    return { kind: 'ack' };
  }

  /** The answer to a deletion: the mark is durable. */
  function onMarked({ operationId, tenantId, settledAt }: TenantDeletedSettled): void {
    const marked = deletedTenants.all().find(({ _id }) => _id === tenantId);
    if (marked?.createdAt.toISOString() !== settledAt || operationId !== 'delete-globex')
      witness.violations.add(`the deletion of ${tenantId} was answered and its mark says otherwise`);
    deletionAnswered = true;
  }

  async function onSettled(inbound: InboundMessage): Promise<Disposition> {
    if (inbound.type === lifecycleTypes.tenantDeletedSettled) {
      onMarked(inbound.body as TenantDeletedSettled);
      return { kind: 'ack' };
    }
    const { settledAt, operationId } = inbound.body as SettledMessage;
    const record = messages.all().find(({ _id }) => _id === operationId);
    if (record?.status !== 'settled' || record.settledAt.toISOString() !== settledAt)
      witness.violations.add(`${operationId} was announced as settled and its record says otherwise`);
    const waiting = record?.required.filter(
      (consumer) =>
        !['succeeded', 'skipped_deleted', 'waived'].includes(
          deliveries.all().find(({ _id }) => _id === deliveryIdOf(operationId, consumer))?.status ?? 'absent',
        ),
    );
    if (waiting && waiting.length > 0)
      witness.violations.add(`${operationId} was settled while ${waiting.join(', ')} had given no receipt`);
    const body = JSON.stringify(inbound.body);
    if ((settled.get(operationId) ?? body) !== body)
      witness.violations.add(`${operationId} was announced as settled with two different bodies`);
    settled.set(operationId, body);
    return { kind: 'ack' };
  }

  for (const consumer of Object.keys(consumersOf))
    void consumerSide.consume({ stream: 'TENANT_LIFECYCLE', durable: consumer }, (inbound) =>
      consume(consumer, inbound),
    );
  void operator.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, onSettled);

  return {
    clock,
    store,
    broker,
    /** The broker connection of a new boot; the former one ends with its process. */
    async connect(): Promise<Messaging> {
      await current?.close();
      current = broker.connect('lifecycle-delivery');
      return current;
    },
    /** Repeats its request until every consumer is registered, as the consumers' SDK does; stops with the process. */
    async register(): Promise<boolean> {
      for (const [name, transitions] of Object.entries(consumersOf)) {
        const answer = await consumerSide.request(
          lifecycleRequests.register(name),
          { name, transitions, registeredBy: `${name}-1` },
          1_000,
        );
        if (!answer.ok) return false;
      }
      return true;
    },
    /** Repeats the deletion until it is answered, as the operator's outbox does. */
    async announceDeletion(): Promise<void> {
      if (deletionAnswered) return;
      await operator.publish({
        subject: lifecycleSubjects.tenantDeleted,
        id: lifecycleMessageIds.tenantDeleted('globex'),
        type: lifecycleTypes.tenantDeleted,
        body: { tenantId: 'globex', operationId: 'delete-globex', deletedAt: requestedAt },
      });
    },
    /** Announces the messages whose settlement has not been seen. */
    async announce(): Promise<void> {
      for (const { tenantId, operationId, transition } of operations.filter((one) => !settled.has(one.operationId))) {
        await operator.publish({
          subject: lifecycleSubjects.message(transition),
          id: lifecycleMessageIds.message(operationId),
          type: lifecycleTypes.message(transition),
          body: { tenantId, operationId, transition, requestedAt },
        });
      }
    },
    /** Obligations that are unmet at the end, as violations. */
    check(): string[] {
      witness.look();
      const unsettled = operations
        .filter((one) => !settled.has(one.operationId))
        .map((one) => `${one.operationId} was never settled`);
      const open = deliveries
        .all()
        .filter(({ status }) => status === 'pending' || status === 'failed')
        .map((one) => `${one.operationId} to ${one.consumer} ended ${one.status}`);
      const missing = Object.keys(consumersOf)
        .filter((name) => !consumers.all().some(({ _id, status }) => _id === name && status === 'registered'))
        .map((name) => `${name} is not registered`);
      const owed = operations
        .filter(({ tenantId }) => tenantId !== 'globex')
        .flatMap(({ operationId, transition }) =>
          Object.entries(consumersOf).flatMap(([name, transitions]) =>
            transitions.includes(transition) ? [`${name} ${operationId}`] : [],
          ),
        );
      const ineffective = owed.filter((key) => !effects.has(key)).map((key) => `${key} never took effect`);
      const dead = broker.published
        .filter(({ subject }) => subject.startsWith('dead_letter'))
        .map(({ headers }) => `dead letter: ${headers['dead-letter-reason']}`);
      const unanswered = deletionAnswered ? [] : ['the deletion of globex was never answered'];
      return [...witness.violations, ...unanswered, ...unsettled, ...open, ...missing, ...ineffective, ...dead];
    },
  };
}

export type SweepWorld = ReturnType<typeof createSweepWorld>;
