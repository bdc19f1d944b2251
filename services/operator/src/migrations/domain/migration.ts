/**
 * A bulk plan migration (contracts §4.3): the request, the captured list and how far its one executor has come. The
 * executor may only touch items up to `admittedThrough`, which it moves by fenced writes of this record: a process that
 * stops the job therefore stops its executor too, even if the executor resumes much later.
 */
import { digestOf, ok, refused, type Executor, type OutboxEntry, type Result, type Revisioned } from '@platform/kernel';
import { counted } from '@platform/kernel/text';
import { defineSteps, type Checked, type Facts } from '@platform/durable/steps';
import type { OperationError, Resolution } from '../../operations/domain/operation';
import type { Plan } from '../../catalogue/domain/plan';

/** The target as resolved at capture; later changes of the catalog do not affect the job. */
export interface MigrationTarget {
  readonly planId: string;
  readonly name: string;
  readonly amountCents: number;
  readonly currency: string;
  /** Absent for a free plan. */
  readonly priceId?: string;
}

/** The number of items by outcome. */
export interface MigrationTally {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly reconciliation_required: number;
}

export const emptyTally: MigrationTally = { succeeded: 0, failed: 0, skipped: 0, reconciliation_required: 0 };

export type JobResolution = Pick<Resolution, 'executorStopped' | 'by' | 'at'>;

interface MigrationBase extends Revisioned {
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly notifyMembers: boolean;
  /** The digest of the dry run that the request names. */
  readonly digest?: string;
  readonly requestedBy: { readonly id: string; readonly email?: string };
  /** Absent in records from before it was asked for. */
  readonly reason?: string;
  readonly fingerprint: string;
  /** Ordinal up to which items may have been begun. */
  readonly admittedThrough: number;
  readonly tally: MigrationTally;
  /** Number of progress events published so far. */
  readonly progressTurn: number;
  readonly outbox?: readonly OutboxEntry[];
}

interface AdmittedMigration extends MigrationBase {
  readonly executor: Executor;
  readonly target: MigrationTarget;
  /** The provider's price of the source plan. Absent for a free plan, and in records from before it was kept. */
  readonly fromPriceId?: string;
}

interface CapturedList {
  readonly count: number;
  readonly digest: string;
  readonly at: Date;
}

export interface PendingMigration extends MigrationBase {
  readonly status: 'pending';
}
export interface CapturingMigration extends AdmittedMigration {
  readonly status: 'capturing';
}
export interface RunningMigration extends AdmittedMigration {
  readonly status: 'running';
  readonly captured: CapturedList;
}
/** Has no list when the job stopped before the list was complete and an investigation closed it. */
export interface CompletedMigration extends AdmittedMigration {
  readonly status: 'completed';
  readonly captured?: CapturedList;
  readonly finishedAt: Date;
  readonly resolution?: JobResolution;
}
/** Nothing was executed. Has no executor when the request was refused before one was admitted. */
export interface RefusedMigration extends MigrationBase {
  readonly status: 'refused';
  readonly executor?: Executor;
  readonly target?: MigrationTarget;
  readonly fromPriceId?: string;
  readonly captured?: CapturedList;
  readonly error: OperationError;
  readonly finishedAt: Date;
}
export interface StoppedMigration extends AdmittedMigration {
  readonly status: 'reconciliation_required';
  readonly captured?: CapturedList;
  readonly error: OperationError;
  readonly finishedAt: Date;
}

export type PlanMigration =
  PendingMigration | CapturingMigration | RunningMigration | CompletedMigration | RefusedMigration | StoppedMigration;
/** A job that its one executor is running. */
export type LiveMigration = CapturingMigration | RunningMigration;

/** As views read it. */
export type MigrationFacts = Facts<PlanMigration>;

export function isLive(migration: PlanMigration): migration is LiveMigration {
  return migration.status === 'capturing' || migration.status === 'running';
}

const admitted = { executor: true, target: true, fromPriceId: true } as const;

export const migrationSteps = defineSteps<PlanMigration>()({
  name: 'migration',
  field: 'status',
  begins: ['pending'],
  table: {
    pending: { to: ['capturing', 'refused'] },
    capturing: { to: ['running', 'refused', 'reconciliation_required'] },
    running: { to: ['completed', 'reconciliation_required'] },
    completed: { to: [] },
    refused: { to: [] },
    reconciliation_required: { to: [], byResolution: ['completed'] },
  },
  own: {
    pending: {},
    capturing: admitted,
    running: { ...admitted, captured: true },
    completed: { ...admitted, captured: true, finishedAt: true, resolution: true },
    refused: { ...admitted, captured: true, finishedAt: true, error: true },
    reconciliation_required: { ...admitted, captured: true, finishedAt: true, error: true },
  },
});

export interface MigrationRequest {
  readonly migrationId: string;
  readonly fromPlanId: string;
  readonly targetPlanId: string;
  readonly notifyMembers: boolean;
  readonly digest?: string;
  readonly requestedBy: { readonly id: string; readonly email?: string };
  /** Why, as the person said it; no value of the request, so a repeat may say it otherwise. */
  readonly reason?: string;
}

type Values = Pick<MigrationRequest, 'fromPlanId' | 'targetPlanId' | 'notifyMembers' | 'digest'>;

const compared = ['fromPlanId', 'targetPlanId', 'notifyMembers', 'digest'] as const;

function valuesOf({ fromPlanId, targetPlanId, notifyMembers, digest }: Values): Values {
  return { fromPlanId, targetPlanId, notifyMembers, ...(digest !== undefined && { digest }) };
}

export function newMigration(request: MigrationRequest): Checked<PendingMigration> {
  const { migrationId, requestedBy, reason } = request;
  const values = valuesOf(request);
  return migrationSteps.begin<PendingMigration>({
    _id: migrationId,
    status: 'pending',
    ...values,
    requestedBy,
    ...(reason !== undefined && { reason }),
    fingerprint: digestOf(values),
    admittedThrough: 0,
    tally: emptyTally,
    progressTurn: 0,
  });
}

/** The values in which a request differs from the stored one with the same id; empty for a repeat. */
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

export type TargetRefusal = { readonly code: 'plan_not_available' | 'plan_already_applied'; readonly detail: string };

/** What the job migrates to, or why nothing can be migrated from one plan to the other. */
export function targetOf(from: Plan, found: Plan | null): Result<MigrationTarget, TargetRefusal> {
  if (!found?.offered)
    return refused({ code: 'plan_not_available', detail: 'The target plan does not exist or is not offered.' });
  if (found._id === from._id)
    return refused({ code: 'plan_already_applied', detail: 'Source and target are the same plan.' });
  const { _id: planId, name, amountCents, currency, priceId } = found;
  if (currency !== from.currency)
    return refused({
      code: 'plan_not_available',
      detail: `The target plan is in ${currency}, the source plan in ${from.currency}.`,
    });
  return ok({ planId, name, amountCents, currency, ...(priceId !== undefined && { priceId }) });
}

/** Admits the one executor that captures and runs the job, and fixes what it migrates to and from which price. */
export function beginCapture(
  migration: PendingMigration,
  executor: Executor,
  target: MigrationTarget,
  fromPriceId?: string,
): Checked<CapturingMigration> {
  return migrationSteps.move(migration, 'capturing', {
    executor,
    target,
    ...(fromPriceId !== undefined && { fromPriceId }),
  });
}

/** The list is complete and immutable from here on. */
export function beginRun(
  migration: CapturingMigration,
  count: number,
  digest: string,
  now: Date,
): Checked<RunningMigration> {
  return migrationSteps.move(migration, 'running', { captured: { count, digest, at: now } });
}

/** Nothing was executed and nothing will be. */
export function refuseMigration(
  migration: PendingMigration | CapturingMigration,
  error: OperationError,
  now: Date,
  captured?: { readonly count: number; readonly digest: string },
): Checked<RefusedMigration> {
  return migrationSteps.move(migration, 'refused', {
    error,
    finishedAt: now,
    ...(captured && { captured: { ...captured, at: now } }),
  });
}

export function advance<Live extends LiveMigration>(
  migration: Live,
  change: Partial<Pick<PlanMigration, 'admittedThrough' | 'tally' | 'progressTurn'>>,
): Checked<Live> {
  return migrationSteps.keep<Live>(migration, change as never);
}

/** What a newer release counts beside these outcomes stays. */
function recounted({ tally: before }: PlanMigration, tally: MigrationTally): MigrationTally {
  return { ...before, ...tally };
}

/** The counters of a stopped job, after an item of it has another outcome. */
export function recount(migration: StoppedMigration, tally: MigrationTally): Checked<StoppedMigration> {
  return migrationSteps.keep(migration, { tally: recounted(migration, tally) });
}

/** The end, written by its executor: completed when every captured workspace has a known outcome; else it stops. */
export function finish(
  migration: RunningMigration,
  tally: MigrationTally,
  progressTurn: number,
  now: Date,
): Checked<CompletedMigration> | Checked<StoppedMigration> {
  const { succeeded, failed, skipped, reconciliation_required: unknown } = tally;
  const missing = migration.captured.count - (succeeded + failed + skipped + unknown);
  const end = { tally: recounted(migration, tally), progressTurn, finishedAt: now };
  if (missing === 0 && unknown === 0) return migrationSteps.move(migration, 'completed', end);
  const message =
    missing === 0
      ? `The outcome of ${counted(unknown, 'workspace')} is not known.`
      : `The executor came to its end without an outcome of ${counted(missing, 'workspace')} of the list.`;
  return migrationSteps.move(migration, 'reconciliation_required', {
    ...end,
    error: { code: 'outcome_unknown', message },
  });
}

/** Stops the job (law 3), also one whose executor has ended. Items, evidence and transitions stay as they are. */
export function stop(
  migration: LiveMigration,
  tally: MigrationTally,
  error: OperationError,
  now: Date,
): Checked<StoppedMigration> {
  return migrationSteps.move(migration, 'reconciliation_required', {
    tally: recounted(migration, tally),
    error,
    finishedAt: now,
  });
}

/** The end of an investigation of the whole job, off-line. Only a person takes this step. */
export function closeMigration(
  migration: StoppedMigration,
  tally: MigrationTally,
  resolution: JobResolution,
): Checked<CompletedMigration> {
  return migrationSteps.resolve(migration, 'completed', { tally: recounted(migration, tally), resolution });
}
