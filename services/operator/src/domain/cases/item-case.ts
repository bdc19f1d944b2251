/**
 * The case of one workspace of a plan migration. Its one call is judged as an operation's is: the item is told as the
 * attempt of an upgrade, which charges or credits the difference at once.
 */
import type { AdminState, CaseView, Evidence, Money, OperationStatus, ProviderCallView } from '@platform/contracts-operator';
import type { PlanMigration } from '../migration';
import type { MigrationItem } from '../migration-item';
import { instant, known, readCommands, resolveCommands, text } from './case-parts';
import { caseOfOperation } from './operation-case';

export interface ItemMaterial {
  readonly item: MigrationItem;
  readonly calls: readonly ProviderCallView[];
  readonly migration: PlanMigration;
  readonly workspace: AdminState | null;
  readonly executorState: 'live' | 'stopped' | 'superseded' | 'unknown';
  readonly provider: Evidence['provider'];
}

const statuses: Readonly<Record<MigrationItem['status'], OperationStatus>> = { pending: 'pending', running: 'running', succeeded: 'succeeded', failed: 'failed', skipped: 'failed', reconciliation_required: 'reconciliation_required' };

/** The item in the words of an operation; its dates are those of its one attempt. */
function asEvidence({ item, calls, migration, workspace, executorState, provider }: ItemMaterial, collectedAt: string): Evidence {
  const { error, executor, startedAt, finishedAt, resolution } = item;
  const attempt = executor && {
    number: 1, executor: { ...executor }, executorState, startedAt: (startedAt ?? item.createdAt).toISOString(), providerCalls: [...calls],
    ...(finishedAt && { finishedAt: finishedAt.toISOString(), outcome: item.status === 'reconciliation_required' ? ('unknown' as const) : item.status === 'succeeded' ? ('succeeded' as const) : ('failed' as const) }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
  return {
    operation: {
      operationId: item._id, tenantId: item.tenantId, action: 'upgrade_plan', status: statuses[item.status], actor: { ...migration.requestedBy }, values: { planId: migration.targetPlanId }, fingerprint: '', attempts: attempt ? [attempt] : [],
      ...(resolution && { resolution: { ...resolution, at: resolution.at.toISOString() } }), revision: item.revision, createdAt: item.createdAt.toISOString(), updatedAt: item.updatedAt.toISOString(),
    },
    collectedAt, workspace, provider, lifecycle: { source: 'not_applicable' }, notProven: notProven(item, executorState, provider),
  };
}

function notProven({ status, executor }: MigrationItem, state: string, provider: Evidence['provider']): string[] {
  if (status !== 'running' && status !== 'reconciliation_required') return [];
  return [
    ...(executor && state !== 'stopped' ? [`That the executor ${executor.instance} (incarnation ${executor.incarnation}, ${state}) is quiescent.`] : []),
    provider.source === 'unavailable' ? 'Anything about the provider: it could not be read.' : provider.objects.length > 0 ? 'That nothing more will happen: a matching provider read alone does not prove quiescence.' : 'That the provider did not and will not execute the request.',
  ];
}

function nextOf({ status, reason }: MigrationItem, base: CaseView['next']): CaseView['next'] {
  switch (status) {
    case 'reconciliation_required':
    case 'running':
      return base;
    case 'pending':
      return { advice: 'wait', text: 'Its turn in the migration has not come.' };
    case 'succeeded':
      return { advice: 'nothing', text: 'The plan was changed.' };
    case 'failed':
    case 'skipped':
      return { advice: 'nothing', text: `The plan stayed as it was${reason ? ` (${reason.replaceAll('_', ' ')})` : ''}. A further migration may take the workspace up.` };
  }
}

export function caseOfMigrationItem(material: ItemMaterial, { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null }): CaseView {
  const { item, migration, workspace, provider } = material;
  const base = caseOfOperation(asEvidence(material, collectedAt), money);
  const unresolved = item.status === 'running' || item.status === 'reconciliation_required';
  return {
    ...base,
    kind: 'migration_item', title: `migrate ${migration.fromPlanId} → ${migration.targetPlanId}`, status: item.status, open: item.status === 'pending' || unresolved,
    intent: [
      text('migration', item.migrationId), text('from plan', migration.fromPlanId), text('to plan', migration.targetPlanId), text('place in the list', String(item.ordinal)), text('asked by', migration.requestedBy.email ?? migration.requestedBy.id),
      instant('captured', item.createdAt.toISOString()), ...known(text, 'workspace status', workspace?.status), ...known(text, 'plan now', workspace?.planId), ...known(text, 'why', item.reason), ...known(text, 'error', item.error?.message),
    ],
    next: nextOf(item, base.next),
    commands: [
      ...readCommands('migration-item', item._id),
      { purpose: 'Read the whole migration', line: `npm run ops -- show migration ${item.migrationId}` },
      ...(unresolved ? resolveCommands('migration-item', item._id, { takes: true, found: provider.objects[0]?.id }) : []),
    ],
  };
}
