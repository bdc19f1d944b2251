/** Migrations, their outcomes and dry runs in the words of the contract. Every field is chosen here. */
import { resolutionView } from '../../operations/domain/resolution-view';
import type { MigrationDryRun, MigrationOutcomeView, MigrationView } from '@platform/contracts-operator';
import type { ItemFacts } from '../domain/migration-item';
import type { DryRun, PreparedWorkspace } from '../workflows/prepare-migration';
import type { ReadMigration } from '../workflows/read-migration';
import { callView, proofs } from '../../operations/http/operation-view';

/** The view of a migration. Without `running` and `knowledge`, no item counts as under way. */
export type ShownMigration = Pick<ReadMigration, 'migration'> & Partial<Pick<ReadMigration, 'running' | 'knowledge'>>;

export function migrationView({ migration, running = 0, knowledge }: ShownMigration): MigrationView {
  const { captured, target, tally, executor, error, resolution, finishedAt } = migration;
  const done = tally.succeeded + tally.failed + tally.skipped + tally.reconciliation_required;
  const unresolved = tally.reconciliation_required + (migration.status === 'reconciliation_required' ? running : 0);
  return {
    migrationId: migration._id,
    fromPlanId: migration.fromPlanId,
    targetPlanId: migration.targetPlanId,
    status: migration.status,
    notifyMembers: migration.notifyMembers,
    requestedBy: { ...migration.requestedBy },
    ...(migration.reason !== undefined && { reason: migration.reason }),
    ...(migration.digest !== undefined && { digest: migration.digest }),
    ...(captured &&
      target && {
        snapshot: {
          count: captured.count,
          digest: captured.digest,
          capturedAt: captured.at.toISOString(),
          target: { ...target },
        },
      }),
    counters: { ...tally, running, pending: Math.max(0, (captured?.count ?? 0) - done - running) },
    ...(executor && { executor: { ...executor } }),
    ...(knowledge && { executorState: knowledge.state, executorKnowledge: knowledge }),
    ...(error && { error: { code: error.code, message: error.message } }),
    ...(resolution && {
      resolution: { executorStopped: resolution.executorStopped, by: resolution.by, at: resolution.at.toISOString() },
    }),
    ...((unresolved > 0 || migration.status === 'reconciliation_required') && {
      reconciliationRequirements: { items: unresolved, proofs },
    }),
    revision: migration.revision,
    createdAt: migration.createdAt.toISOString(),
    updatedAt: migration.updatedAt.toISOString(),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
  };
}

export function outcomeView(item: ItemFacts): MigrationOutcomeView {
  const { reason, error, executor, startedAt, finishedAt, resolution } = item;
  return {
    tenantId: item.tenantId,
    ordinal: item.ordinal,
    status: item.status,
    subscriptionRevision: item.subscriptionRevision,
    ...(reason && { reason }),
    ...(error && {
      error: { code: error.code, message: error.message, ...(error.detail && { detail: { ...error.detail } }) },
    }),
    ...(executor && { executor: { ...executor } }),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    providerCalls: item.providerCalls.map(callView),
    ...(resolution && { resolution: resolutionView(resolution) }),
  };
}

function preparedView({ subscription, reason, preview }: PreparedWorkspace): MigrationDryRun['workspaces'][number] {
  const delta =
    preview?.outcome === 'succeeded'
      ? { total: preview.value.total, amountDue: preview.value.amountDue, currency: preview.value.currency }
      : null;
  const problem =
    preview?.outcome === 'failed' ? preview.message : preview?.outcome === 'unknown' ? preview.reason : undefined;
  return {
    tenantId: subscription._id,
    workspaceName: subscription.workspaceName,
    revision: subscription.revision,
    ...(reason && { reason }),
    delta,
    ...(problem !== undefined && { problem }),
  };
}

export function dryRunView({
  fromPlanId,
  target,
  count,
  digest,
  needPerson,
  workspaces,
  nextCursor,
}: DryRun): MigrationDryRun {
  const shown = workspaces.map(preparedView);
  const totals = new Map<string, { total: number; workspaces: number }>();
  for (const { delta } of shown) {
    if (!delta) continue;
    const sum = totals.get(delta.currency) ?? { total: 0, workspaces: 0 };
    totals.set(delta.currency, { total: sum.total + delta.total, workspaces: sum.workspaces + 1 });
  }
  return {
    fromPlanId,
    target: { ...target },
    count,
    digest,
    needPerson: needPerson.map(({ tenantIds, ...bucket }) => ({ ...bucket, tenantIds: [...tenantIds] })),
    workspaces: shown,
    pageTotals: [...totals].map(([currency, sum]) => ({ currency, ...sum })),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}
