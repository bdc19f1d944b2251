/** Records with an unknown outcome, with the provider's own account of each: what an investigator would find. */
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import { isResolved } from '../../../services/billing-webhook/src/domain/webhook-event';
import type { AskOwner } from '../../../services/billing-webhook/src/workflows/ask-owner';
import { providerEventAdmissionsCollection } from '../../../services/operator/src/provider-events/store/provider-event-admissions';
import { isUnresolvedItem } from '../../../services/operator/src/migrations/domain/migration-item';
import { planMigrationItemsCollection } from '../../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../../services/operator/src/migrations/store/plan-migrations';
import { isUnresolved } from '../../../services/operator/src/operations/domain/journal';
import type { Operation } from '../../../services/operator/src/operations/domain/operation';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import { isOpen } from '../../../services/provisioning/src/domain/attempt';
import { isOpenDeletion } from '../../../services/provisioning/src/domain/deletion';
import {
  admissionsCollection,
  attemptsCollection,
  deletionsCollection,
} from '../../../services/provisioning/src/store/collections';
import type { World } from './world';

export interface Unresolved {
  readonly kind: 'operation' | 'item' | 'migration' | 'attempt' | 'admission' | 'deletion' | 'event';
  readonly id: string;
  /** The record that this one may end. */
  readonly about?: string;
  /** Whether the requested change has taken effect. */
  readonly applied: boolean;
  readonly objectId?: string;
}

type Effect = ReturnType<World['provider']['ledger']>[number];
type Calls = readonly { readonly skipped?: string; readonly idempotencyKey?: string }[];

/** The effect of the last call to be sent; without a call nothing was applied. */
function effectOf(ledger: readonly Effect[], calls: Calls): Effect | undefined {
  const last = calls.filter(({ skipped }) => skipped === undefined).at(-1);
  return last && ledger.find(({ idempotencyKey }) => idempotencyKey === last.idempotencyKey);
}

const found = (effect: Effect | undefined) => ({
  applied: effect !== undefined,
  ...(effect && { objectId: effect.objectId }),
});

/** A checkout has taken effect when its session was paid. */
function soldBy({ provider, sold }: World, { _id }: Operation): string | undefined {
  const made = provider.ledger().find(({ operationId, step }) => operationId === _id && step === 'create_session');
  return made && sold.get(made.objectId);
}

/** A held change has taken effect when its invoice was paid. */
function heldChange({ payments }: World, { payment }: Operation): Pick<Unresolved, 'applied' | 'objectId'> | undefined {
  if (!payment) return undefined;
  const end = payments.get(payment.invoiceId);
  const applied = end !== undefined && end !== 'expired';
  return { applied, ...(applied && { objectId: payment.subscriptionId }) };
}

/**
 * The owner's record of an event, in the form in which the owner answers the receiver; read from the database without
 * its process.
 */
export function ownersRecord({ databases }: World): AskOwner {
  return async ({ _id, owner }) => {
    if (owner === 'operator') {
      const record = await databases.operator.store.collection(providerEventAdmissionsCollection).findById(_id);
      return { status: record?.status ?? 'not_admitted' };
    }
    const record = await databases.provisioning.store.collection(admissionsCollection).findById(_id);
    if (!record) return { status: 'not_admitted' };
    return { status: record.status === 'pending' ? 'pending' : record.outcome.kind };
  };
}

/** The only effect of such an event is the commit of its creation. */
export function pendingAdmissions({ databases }: World): Unresolved[] {
  const { store } = databases.provisioning;
  const attempts = store.collection(attemptsCollection).all();
  return store
    .collection(admissionsCollection)
    .all()
    .filter(({ status }) => status === 'pending')
    .map(({ _id, about }) => {
      const attempt = attempts.find(
        ({ handles }) => handles.invoiceId === about?.invoiceId || handles.subscriptionId === about?.subscriptionId,
      );
      return {
        kind: 'admission',
        id: _id,
        applied: attempt?.status === 'committed',
        ...(attempt && { about: attempt._id }),
      };
    });
}

export function unresolvedRecords(world: World): Unresolved[] {
  const { databases, provider } = world;
  const ledger = provider.ledger();
  const operator = databases.operator.store;
  const items = operator.collection(planMigrationItemsCollection).all();
  return [
    ...operator
      .collection(operationsCollection)
      .all()
      .filter(isUnresolved)
      .map((operation): Unresolved => {
        const calls = operation.attempts.flatMap(({ providerCalls }) => providerCalls);
        const sold = operation.action === 'checkout' ? soldBy(world, operation) : undefined;
        const held = heldChange(world, operation);
        if (held) return { kind: 'operation', id: operation._id, ...held };
        return {
          kind: 'operation',
          id: operation._id,
          ...(operation.action === 'checkout'
            ? { applied: sold !== undefined, ...(sold !== undefined && { objectId: sold }) }
            : found(effectOf(ledger, calls))),
        };
      }),
    ...items
      .filter(isUnresolvedItem)
      .map((item): Unresolved => ({ kind: 'item', id: item._id, ...found(effectOf(ledger, item.providerCalls)) })),
    ...operator
      .collection(planMigrationsCollection)
      .all()
      .filter(({ status }) => status === 'reconciliation_required')
      .map(({ _id }): Unresolved => ({ kind: 'migration', id: _id, applied: true })),
    ...databases.provisioning.store
      .collection(attemptsCollection)
      .all()
      .filter(isOpen)
      .map((attempt): Unresolved => {
        const paid = ledger.find(({ operationId, step }) => operationId === attempt._id && step === 'pay_invoice');
        return { kind: 'attempt', id: attempt._id, ...found(paid), ...(attempt.paymentFree && { applied: true }) };
      }),
    ...pendingAdmissions(world),
    ...databases.provisioning.store
      .collection(deletionsCollection)
      .all()
      .filter(isOpenDeletion)
      .map(({ _id }): Unresolved => ({ kind: 'deletion', id: _id, applied: true })),
    ...databases['billing-webhook'].store
      .collection(webhookEventsCollection)
      .all()
      .filter((event) => !isResolved(event))
      .map(({ _id }): Unresolved => ({ kind: 'event', id: _id, applied: (world.handlerRuns.get(_id) ?? 0) > 0 })),
  ];
}
