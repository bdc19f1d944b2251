/**
 * A bulk plan migration (contracts §4.3): the request, the captured list and how far its one executor has come. The
 * executor may only touch items up to `admittedThrough`, which it moves by fenced writes of this record: whoever stops
 * the job therefore stops its executor too, however late that one wakes.
 */
import {
  assertStep,
  digestOf,
  type Executor,
  type OutboxEntry,
  type Revisioned,
  type StatusSteps,
} from '@platform/kernel';
import type { MigrationStatus } from '@platform/contracts-operator';
import type { OperationError, Resolution } from '../../operations/domain/operation';
import type { Plan } from '../../catalogue/domain/plan';

/** The target as it was resolved at capture; what the catalog says later does not matter to the job. */
export interface MigrationTarget {
  readonly planId: string;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
  /** Absent for a free plan. */
  readonly priceId?: string;
}

/** How many items ended in which way. */
export interface MigrationTally {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly reconciliation_required: number;
}

export const emptyTally: MigrationTally = { succeeded: 0, failed: 0, skipped: 0, reconciliation_required: 0 };

export type JobResolution = Pick<Resolution, 'executorStopped' | 'by' | 'at'>;

export interface PlanMigration extends Revisioned {
  readonly status: MigrationStatus;
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly notifyMembers: boolean;
  /** Of the dry run that the request names. */
  readonly digest?: string;
  readonly requestedBy: { readonly id: string; readonly email?: string };
  readonly fingerprint: string;
  readonly executor?: Executor;
  readonly target?: MigrationTarget;
  readonly captured?: { readonly count: number; readonly digest: string; readonly at: Date };
  /** Ordinal up to which items may have been begun. */
  readonly admittedThrough: number;
  readonly tally: MigrationTally;
  /** Progress events told so far. */
  readonly progressTurn: number;
  readonly error?: OperationError;
  readonly resolution?: JobResolution;
  readonly finishedAt?: Date;
  readonly outbox?: readonly OutboxEntry[];
}

export const migrationSteps: StatusSteps<MigrationStatus> = {
  pending: ['capturing', 'refused'],
  capturing: ['running', 'refused', 'reconciliation_required'],
  running: ['completed', 'reconciliation_required'],
  completed: [],
  refused: [],
  reconciliation_required: [],
};

export interface MigrationRequest {
  readonly migrationId: string;
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly notifyMembers: boolean;
  readonly digest?: string;
  readonly requestedBy: { readonly id: string; readonly email?: string };
}

type Values = Pick<MigrationRequest, 'fromPlanId' | 'targetPlanId' | 'notifyMembers' | 'digest'>;
type Unstamped = Omit<PlanMigration, 'revision' | 'createdAt' | 'updatedAt' | 'outbox'>;

const compared = ['fromPlanId', 'targetPlanId', 'notifyMembers', 'digest'] as const;

function valuesOf({ fromPlanId, targetPlanId, notifyMembers, digest }: Values): Values {
  return { fromPlanId, targetPlanId, notifyMembers, ...(digest !== undefined && { digest }) };
}

export function newMigration(request: MigrationRequest): Unstamped {
  const { migrationId, requestedBy } = request;
  const values = valuesOf(request);
  return {
    _id: migrationId,
    status: 'pending',
    ...values,
    requestedBy,
    fingerprint: digestOf(values),
    admittedThrough: 0,
    tally: emptyTally,
    progressTurn: 0,
  };
}

/** Each value in which a repeated id differs from the stored request; empty when it is a repeat. */
export function migrationDifferences(
  stored: PlanMigration,
  request: MigrationRequest,
): { pointer: string; message: string }[] {
  const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return compared
    .filter((field) => stored[field] !== request[field])
    .map((field) => ({
      pointer: field === 'fromPlanId' ? '/path/fromPlanId' : `/${field}`,
      message: `the stored request has ${show(stored[field])}, this one ${show(request[field])}`,
    }));
}

function moved(migration: PlanMigration, status: MigrationStatus, change: Partial<Unstamped>): Unstamped {
  if (status !== migration.status) assertStep(migrationSteps, migration.status, status, `migration ${migration._id}`);
  const { revision: _revision, createdAt: _created, updatedAt: _updated, outbox: _outbox, ...rest } = migration;
  return { ...rest, status, ...change };
}

export type TargetRefusal = { readonly code: 'plan_not_available' | 'plan_already_applied'; readonly detail: string };

/** Why nothing can be migrated from one plan to the other, if so. */
export function targetRefusal(from: Plan, target: Plan | null): TargetRefusal | null {
  if (!target?.offered)
    return { code: 'plan_not_available', detail: 'The target plan does not exist or is not offered.' };
  if (target._id === from._id) return { code: 'plan_already_applied', detail: 'Source and target are the same plan.' };
  return target.currency === from.currency
    ? null
    : {
        code: 'plan_not_available',
        detail: `The target plan is in ${target.currency}, the source plan in ${from.currency}.`,
      };
}

export function targetOf({ _id: planId, name, amountCents, currency, priceId }: Plan): MigrationTarget {
  return { planId, name, amountCents, currency, ...(priceId !== undefined && { priceId }) };
}

/** Admits the one executor that captures and runs the job, and fixes what it migrates to. */
export function beginCapture(migration: PlanMigration, executor: Executor, target: MigrationTarget): Unstamped {
  return moved(migration, 'capturing', { executor, target });
}

/** The list is whole: from here on it is immutable. */
export function beginRun(migration: PlanMigration, count: number, digest: string, now: Date): Unstamped {
  return moved(migration, 'running', { captured: { count, digest, at: now } });
}

/** Nothing was executed and nothing will be. */
export function refuseMigration(
  migration: PlanMigration,
  error: OperationError,
  now: Date,
  captured?: { readonly count: number; readonly digest: string },
): Unstamped {
  return moved(migration, 'refused', {
    error,
    finishedAt: now,
    ...(captured && { captured: { ...captured, at: now } }),
  });
}

export function advance(
  migration: PlanMigration,
  change: Partial<Pick<PlanMigration, 'admittedThrough' | 'tally' | 'progressTurn'>>,
): Unstamped {
  return moved(migration, migration.status, change);
}

/** The end by its executor: completed when every captured workspace has its outcome, and every outcome is known; else it stops. */
export function finish(migration: PlanMigration, tally: MigrationTally, now: Date): Unstamped {
  const missing =
    (migration.captured?.count ?? 0) - (tally.succeeded + tally.failed + tally.skipped + tally.reconciliation_required);
  if (missing !== 0)
    return stop(
      migration,
      tally,
      {
        code: 'outcome_unknown',
        message: `The executor came to its end, and ${missing} workspaces of the list have no outcome.`,
      },
      now,
    );
  if (tally.reconciliation_required === 0) return moved(migration, 'completed', { tally, finishedAt: now });
  return stop(
    migration,
    tally,
    { code: 'outcome_unknown', message: `The outcome of ${tally.reconciliation_required} workspaces is not known.` },
    now,
  );
}

/** Law 3; also for a job whose executor is gone. Items, evidence and transitions stay as they are. */
export function stop(migration: PlanMigration, tally: MigrationTally, error: OperationError, now: Date): Unstamped {
  return moved(migration, 'reconciliation_required', { tally, error, finishedAt: now });
}

/** The end of an investigation of the whole job, off-line; outside the table of steps, like every resolution. */
export function closeMigration(migration: PlanMigration, tally: MigrationTally, resolution: JobResolution): Unstamped {
  const { revision: _revision, createdAt: _created, updatedAt: _updated, outbox: _outbox, ...rest } = migration;
  return { ...rest, status: 'completed', tally, resolution, finishedAt: migration.finishedAt ?? resolution.at };
}
