/** Rows of the activity, derived from the records on each read; no row is stored. */
import type { AskedAction } from '@platform/contracts-lifecycle-delivery';
import {
  activityActions,
  consumerActivityActions,
  type ActivityKind,
  type ActivityRow,
} from '@platform/contracts-operator';
import type { Operation } from '../../operations/domain/operation';
import type { MigrationItem } from '../../migrations/domain/migration-item';
import type { PlanMigration } from '../../migrations/domain/migration';
import type { ProviderEventAdmission } from '../../provider-events/domain/provider-event';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Position } from '../../listing/bounded-page';

/** A row with its place in the list. */
export interface Placed extends Position {
  readonly row: ActivityRow;
}

export function rowId(kind: ActivityKind, recordId: string): string {
  return `${kind}:${recordId}`;
}

function placed(at: Date, row: Omit<ActivityRow, 'id' | 'at'>): Placed {
  const id = rowId(row.kind, row.recordId);
  return { at, id, row: { id, at: at.toISOString(), ...row } };
}

const errorOf = (record: { readonly error?: { readonly code: string } | undefined }) =>
  record.error && { reason: record.error.code };

export function operationRow(operation: Operation): Placed {
  const { _id, createdAt, tenantId, action, status, actor, reason, values } = operation;
  const { amountCents, currency, planId } = values;
  return placed(createdAt, {
    kind: 'operation',
    recordId: _id,
    action,
    status,
    tenantId,
    actor: { ...actor },
    ...('error' in operation && errorOf(operation)),
    ...(reason !== undefined && { reason }),
    ...(typeof amountCents === 'number' && {
      amount: { amountCents, currency: typeof currency === 'string' ? currency : 'usd' },
    }),
    ...(typeof planId === 'string' && { target: planId }),
  });
}

/** One row for the resolution of an operation; none while it has no resolution. */
export function resolutionRow({ _id, tenantId, resolution }: Operation): Placed[] {
  if (!resolution) return [];
  return [
    placed(resolution.at, {
      kind: 'resolution',
      recordId: _id,
      action: activityActions.resolution,
      status: resolution.outcome,
      tenantId,
      actor: { id: resolution.by },
      target: _id,
    }),
  ];
}

export function migrationRow(migration: PlanMigration): Placed {
  const { _id, createdAt, status, requestedBy, reason, targetPlanId } = migration;
  return placed(createdAt, {
    kind: 'migration',
    recordId: _id,
    action: activityActions.migration,
    status,
    tenantId: null,
    actor: { ...requestedBy },
    ...('error' in migration && errorOf(migration)),
    ...(reason !== undefined && { reason }),
    target: targetPlanId,
  });
}

export function migrationItemRow(item: MigrationItem): Placed {
  return placed(item.createdAt, {
    kind: 'migration_item',
    recordId: item._id,
    action: activityActions.migration_item,
    status: item.status,
    tenantId: item.tenantId,
    actor: null,
    ...('error' in item && errorOf(item)),
    target: item.migrationId,
  });
}

export function eventRow(admission: ProviderEventAdmission): Placed {
  const { _id, createdAt, type, status } = admission;
  const error = 'error' in admission ? admission.error : undefined;
  const tenantId = 'tenantId' in admission ? admission.tenantId : undefined;
  return placed(createdAt, {
    kind: 'provider_event',
    recordId: _id,
    action: type,
    status,
    tenantId: tenantId ?? null,
    actor: null,
    ...(error !== undefined && { reason: error }),
  });
}

export function creationRow({ _id, createdAt, owner, planId }: Subscription): Placed {
  return placed(createdAt, {
    kind: 'creation',
    recordId: _id,
    action: activityActions.creation,
    status: 'committed',
    tenantId: _id,
    actor: owner ? { id: owner.userId, ...(owner.email !== undefined && { email: owner.email }) } : null,
    target: planId,
  });
}

/** The row of a consumer action, from a record of lifecycle-delivery. */
export function consumerActionRow({ id, consumer, action, by, reason, at, status }: AskedAction): Placed {
  return placed(new Date(at), {
    kind: 'consumer_action',
    recordId: id,
    action: consumerActivityActions[action],
    status,
    tenantId: null,
    actor: { id: by, ...(by.includes('@') && { email: by }) },
    reason,
    target: consumer,
  });
}
