/**
 * Whether any process may still write a plan into a workspace: the proof needed to retire a source plan (specification
 * §2). It reads the records and reports what it found; it names what it cannot see (creations of provisioning, the
 * provider).
 */
import type { IncarnationRecord } from '@platform/service-host';
import type { RevisionedCollection } from '@platform/mongo';
import type { Operation } from '../../operations/domain/operation';
import type { PlanMigration } from '../domain/migration';
import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import type { MigrationStore } from './ports';

export interface QuiescencePorts extends MigrationStore {
  readonly plans: RevisionedCollection<Plan>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly operations: RevisionedCollection<Operation>;
  readonly incarnations: RevisionedCollection<IncarnationRecord>;
}

export interface QuiescenceFinding {
  readonly what: string;
  /** Empty: nothing of this kind prevents retiring the plan. Only the first few are named; `count` is the total. */
  readonly named: readonly string[];
  readonly count: number;
}

const namedAtMost = 10;
const pageSize = 500;
const openStatuses: readonly string[] = ['pending', 'capturing', 'running', 'reconciliation_required'];

type Page<T> = (after: T | undefined) => Promise<readonly T[]>;

async function collect<T>(
  what: string,
  page: Page<T>,
  name: (row: T) => string | null | Promise<string | null>,
): Promise<QuiescenceFinding> {
  const named: string[] = [];
  let count = 0;
  let last: T | undefined;
  for (;;) {
    const rows = await page(last);
    for (const row of rows) {
      const found = await name(row);
      if (found === null) continue;
      count += 1;
      if (named.length < namedAtMost) named.push(found);
    }
    last = rows.at(-1);
    if (rows.length < pageSize) return { what, named, count };
  }
}

/** All findings, each kind with its count; null when there is no such plan. Throws StoreUnavailableError. */
export async function proveQuiescence(
  ports: QuiescencePorts,
  planId: string,
): Promise<readonly QuiescenceFinding[] | null> {
  const plan = await ports.plans.findById(planId);
  if (!plan) return null;
  const { subscriptions } = ports;
  const byId =
    (filter: Parameters<typeof subscriptions.find>[0]): Page<Subscription> =>
    (after) =>
      subscriptions.find(filter, { sort: { _id: 1 }, limit: pageSize, ...(after && { after: [after._id] }) });
  return [
    {
      what: 'the plan is offered: new writers are admitted',
      named: plan.offered ? [planId] : [],
      count: plan.offered ? 1 : 0,
    },
    await bootsFromBefore(ports, plan.updatedAt),
    await collect('workspaces on the plan', byId({ planId }), ({ _id }) => _id),
    await collect(
      'workspaces whose schedule leads to the plan',
      byId({ 'pendingPlan.planId': planId }),
      ({ _id }) => _id,
    ),
    await collect(
      'transitions that may still mirror the plan',
      byId({ 'transition.operationId': { $exists: true } }),
      (subscription) => transitionTo(ports, subscription, planId),
    ),
    await migrationsTo(ports, planId),
    unreadRows([subscriptions, ports.migrations, ports.incarnations]),
  ];
}

/** Gateways that started before the plan was last written and are not known to have ended. */
function bootsFromBefore({ incarnations }: QuiescencePorts, closedAt: Date): Promise<QuiescenceFinding> {
  const page: Page<IncarnationRecord> = (after) =>
    incarnations.find(
      { service: 'operator' },
      {
        sort: { instance: 1, startedAt: 1, _id: 1 },
        limit: pageSize,
        ...(after && { after: [after.instance, after.startedAt, after._id] }),
      },
    );
  return collect(
    'gateways from before the plan was last written that may still run',
    page,
    ({ _id, instance, startedAt, stoppedAt, supersededBy }) =>
      startedAt < closedAt && !stoppedAt && !supersededBy ? `${instance} (${_id})` : null,
  );
}

/**
 * An operation names the plan in its values, an item's transition names it directly; a transition whose record is
 * missing counts too.
 */
async function transitionTo(
  { operations }: QuiescencePorts,
  { _id, transition }: Subscription,
  planId: string,
): Promise<string | null> {
  if (!transition) return null;
  if (transition.targetPlanId !== undefined)
    return transition.targetPlanId === planId ? `${_id} by ${transition.operationId}` : null;
  const operation = await operations.findById(transition.operationId);
  return !operation || operation.values['planId'] === planId ? `${_id} by ${transition.operationId}` : null;
}

/** Reads every migration, because one of a newer release may have a status that no list of statuses names. */
function migrationsTo({ migrations }: QuiescencePorts, planId: string): Promise<QuiescenceFinding> {
  const page: Page<PlanMigration> = (after) =>
    migrations.find(
      {},
      { sort: { createdAt: 1, _id: 1 }, limit: pageSize, ...(after && { after: [after.createdAt, after._id] }) },
    );
  return collect('migrations to the plan that have not ended', page, ({ _id, status, targetPlanId }) =>
    targetPlanId === planId && openStatuses.includes(status) ? `${_id} (${status})` : null,
  );
}

/** Lists leave such rows out, so what they hold is not known. Asked after the lists were read. */
function unreadRows(
  collections: readonly Pick<RevisionedCollection<never>, 'name' | 'quarantine'>[],
): QuiescenceFinding {
  const rows = collections.flatMap(({ name, quarantine }) => quarantine.ids().map((id) => `${name}/${id}`));
  return { what: 'records that cannot be read', named: rows.slice(0, namedAtMost), count: rows.length };
}
