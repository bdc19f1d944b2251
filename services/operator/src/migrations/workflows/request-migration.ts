/**
 * A request for a migration: recorded first, then run in the background by the executor that is admitted. A repeat with
 * the same id and values is answered from the record, and starts a job that never began; with other values it is
 * refused.
 */
import type { OperatorCode } from '@platform/contracts-operator';
import {
  migrationDifferences,
  newMigration,
  targetOf,
  type MigrationRequest,
  type PlanMigration,
} from '../domain/migration';
import { workspacesOn } from './capture-list';
import { createListDigest } from './list-digest';
import type { MigrationPorts } from './ports';

export type MigrationAnswer =
  /** The record exists; the job is under way or has ended well. */
  | { readonly kind: 'accepted'; readonly migration: PlanMigration }
  | {
      readonly kind: 'refused';
      readonly code: OperatorCode;
      readonly detail?: string;
      readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
      readonly migration?: PlanMigration;
    }
  | { readonly kind: 'no_such_plan' }
  | { readonly kind: 'store_unavailable'; readonly detail: string };

type RequestPorts = Pick<MigrationPorts, 'migrations' | 'plans' | 'subscriptions'>;

/**
 * Records the request; `start` is called with a record that waits for its executor. Throws StoreUnavailableError while
 * nothing has been written.
 */
export async function requestMigration(
  ports: RequestPorts,
  request: MigrationRequest,
  start: (pending: PlanMigration) => void,
): Promise<MigrationAnswer> {
  const stored = await ports.migrations.findById(request.migrationId);
  if (stored) return answerStored(stored, request, start);
  const [from, found] = await Promise.all([
    ports.plans.findById(request.fromPlanId),
    ports.plans.findById(request.targetPlanId),
  ]);
  if (!from) return { kind: 'no_such_plan' };
  const target = targetOf(from, found);
  if (!target.ok) return { kind: 'refused', ...target.error };
  if (request.digest !== undefined) {
    const digest = createListDigest(from._id, target.value);
    for await (const page of workspacesOn(ports.subscriptions, from._id))
      for (const { _id, revision } of page) digest.add(_id, revision);
    if (digest.done().digest !== request.digest) return { kind: 'refused', code: 'dry_run_outdated' };
  }
  const inserted = await ports.migrations.insert(newMigration(request));
  if (inserted.outcome === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: 'The request could not be recorded; nothing has happened. Repeat with the same migration id.',
    };
  if (inserted.outcome === 'applied') {
    start(inserted.record);
    return { kind: 'accepted', migration: inserted.record };
  }
  return inserted.existing
    ? answerStored(inserted.existing, request, start)
    : { kind: 'store_unavailable', detail: 'The record of this migration could not be read.' };
}

function answerStored(
  stored: PlanMigration,
  request: MigrationRequest,
  start: (pending: PlanMigration) => void,
): MigrationAnswer {
  const errors = migrationDifferences(stored, request);
  if (errors.length > 0) return { kind: 'refused', code: 'operation_id_reused', errors };
  if (stored.status === 'reconciliation_required')
    return {
      kind: 'refused',
      code: 'reconciliation_required',
      detail: stored.error.message,
      migration: stored,
    };
  if (stored.status === 'refused')
    return {
      kind: 'refused',
      code: stored.error.code === 'dry_run_outdated' ? 'dry_run_outdated' : 'plan_not_available',
      detail: stored.error.message,
      migration: stored,
    };
  if (stored.status === 'pending') start(stored);
  return { kind: 'accepted', migration: stored };
}
