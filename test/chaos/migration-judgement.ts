/**
 * Whether records and ledger agree: one outcome per item, no effect outside the lists or twice, and arrivals unchanged
 * by the job that ran.
 */
import { checkableInvariants, checkHistory, emptyEvidence, formatViolations, type Evidence } from '@platform/testing';
import type { MigrationItem } from '../../services/operator/src/migrations/domain/migration-item';
import type { MigrationFacts, PlanMigration } from '../../services/operator/src/migrations/domain/migration';
import { createListDigest } from '../../services/operator/src/migrations/workflows/list-digest';
import type { TestPlatform } from '../support/platform';
import { readAlerts, type Books, type LedgerEffect } from './migration-books';

export interface Expected {
  readonly tenants: readonly string[];
  /** Workspaces that arrived after the capture of that job. */
  readonly arrivals: readonly { readonly migrationId: string; readonly arrivals: readonly string[] }[];
}

export interface Verdict {
  readonly facts: readonly string[];
  readonly violations: readonly string[];
}

/** The twin's clock does not move between steps, so effects count as later than every intent. */
const afterEverything = Number.MAX_SAFE_INTEGER;
const outcomes: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped']);

interface Job {
  readonly job: PlanMigration;
  readonly late: readonly string[];
  readonly items: readonly MigrationItem[];
  readonly effects: readonly LedgerEffect[];
}

export async function judge(platform: TestPlatform, books: Books, { tenants, arrivals }: Expected): Promise<Verdict> {
  const jobs: Job[] = [];
  for (const { migrationId, arrivals: late } of arrivals) {
    const job = await books.migrations.findById(migrationId);
    if (!job) return { facts: [], violations: [`${migrationId} has disappeared`] };
    jobs.push({ job, late, items: await books.itemsOf(migrationId), effects: await books.effects(migrationId) });
  }
  const investigated = jobs.flatMap(({ items }) => items.filter(({ resolution }) => resolution).map(({ _id }) => _id));
  const alerts = await readAlerts(platform, investigated);
  const evidence: Evidence = {
    ...emptyEvidence,
    alerts,
    ledger: jobs.flatMap(({ job, effects }) => effects.map((effect) => effectOf(job._id, effect))),
    migrations: jobs.map(({ job, items }) => ({
      migrationId: job._id,
      status: job.status,
      captured: items.map(({ tenantId }) => tenantId),
      items: items.map(resolvedCalls),
    })),
  };
  const alerted = new Set(alerts.map(({ id }) => id));
  const changes = new Map<string, number>();
  for (const { effects } of jobs) for (const { path } of effects) changes.set(path, (changes.get(path) ?? 0) + 1);
  const tally = (status: string): number =>
    jobs.reduce((sum, { items }) => sum + items.filter((item) => item.status === status).length, 0);
  return {
    violations: [
      ...formatViolations(checkHistory(evidence)),
      ...jobs.flatMap(complaintsAbout),
      ...[...changes].filter(([, count]) => count > 1).map(([path, count]) => `${path} was changed ${count} times`),
      ...investigated.filter((id) => !alerted.has(id)).map((id) => `${id} stopped, and no alert was sent`),
      ...(await leftBehind(books, tenants)),
    ],
    facts: [
      `items:   ${jobs.reduce((sum, { items }) => sum + items.length, 0)} over all jobs: ${tally('succeeded')} succeeded, ${tally('failed')} failed, ${tally('skipped')} skipped, ${investigated.length} of them by investigation`,
      `effects: ${evidence.ledger.length} on ${changes.size} workspaces; alerts of items: ${investigated.length}`,
      `checked: ${checkableInvariants(evidence).join(' ')}`,
    ],
  };
}

/** Checks one job: its list is the captured one, every item has an outcome, and later arrivals are not in it. */
function complaintsAbout({ job, items, effects, late }: Job): string[] {
  const { captured }: MigrationFacts = job;
  const arrived = new Set(late);
  const touched = new Set(late.map((tenantId) => `/v1/subscriptions/sub_${tenantId}`));
  const whole = captured === undefined || (items.length === captured.count && digestOf(job, items) === captured.digest);
  return [
    ...(whole ? [] : [`${job._id}: the list is not the captured one`]),
    ...items.filter(({ status }) => !outcomes.has(status)).map(({ _id, status }) => `${_id} has no outcome: ${status}`),
    ...items
      .filter(({ tenantId }) => arrived.has(tenantId))
      .map(({ _id }) => `${_id} arrived after the capture and is in the list`),
    ...effects
      .filter(({ path }) => touched.has(path))
      .map(({ path }) => `${job._id} changed ${path}, which arrived after its capture`),
  ];
}

/** Workspaces that are not on the target plan, or still held, when the run has ended. */
async function leftBehind({ subscriptions }: Books, tenants: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const tenantId of tenants) {
    const found = await subscriptions.findById(tenantId);
    if (found?.planId !== 'pro' || found.transition)
      left.push(`${tenantId} is on ${found?.planId}, held by ${found?.transition?.operationId ?? 'no operation'}`);
  }
  return left;
}

function effectOf(operationId: string, { path, idempotencyKey, objectId }: LedgerEffect): Evidence['ledger'][number] {
  return {
    operationId,
    step: 'change_plan',
    idempotencyKey: idempotencyKey ?? '',
    path,
    objectId: objectId ?? '',
    at: afterEverything,
  };
}

/** A recorded resolution gives the outcome of a call whose answer was lost. */
export function resolvedCalls({ tenantId, status, providerCalls, resolution }: MigrationItem) {
  const outcome = resolution
    ? resolution.outcome === 'applied'
      ? ('succeeded' as const)
      : ('failed' as const)
    : undefined;
  return {
    tenantId,
    status,
    providerCalls: outcome ? providerCalls.map((call) => ({ ...call, outcome })) : providerCalls,
  };
}

function digestOf(
  job: { readonly fromPlanId: string; readonly target?: Parameters<typeof createListDigest>[1] },
  items: readonly MigrationItem[],
): string {
  if (!job.target) return '';
  const digest = createListDigest(job.fromPlanId, job.target);
  for (const { tenantId, subscriptionRevision } of items) digest.add(tenantId, subscriptionRevision);
  return digest.done().digest;
}
