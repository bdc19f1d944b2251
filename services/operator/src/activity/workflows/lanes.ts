/**
 * Which indexed reads a page of the activity merges. Every lane reads one collection in the order of time by an index
 * whose first key is the most selective filter; the remaining filters are applied to the rows.
 */
import { activityActions, operationActions, type ActivityKind, type ActivityQuery } from '@platform/contracts-operator';
import type { Revisioned } from '@platform/kernel';
import type { Condition, Filter, RevisionedCollection, Scalar } from '@platform/mongo';
import type { Lane, Position } from '../../listing/bounded-page';
import type { Subscription } from '../../mirror/domain/subscription';
import type { MigrationItem } from '../../migrations/domain/migration-item';
import type { PlanMigration } from '../../migrations/domain/migration';
import type { Operation } from '../../operations/domain/operation';
import type { ProviderEventAdmission } from '../../provider-events/domain/provider-event';
import {
  creationRow,
  eventRow,
  migrationItemRow,
  migrationRow,
  operationRow,
  resolutionRow,
  rowId,
  type Placed,
} from '../domain/rows';
import { admitsConsumers, consumerLane, type AskDelivery } from './consumer-lane';

type Readable<T extends Revisioned> = Pick<RevisionedCollection<T>, 'find'>;

export interface ActivityPorts {
  readonly operations: Readable<Operation>;
  readonly migrations: Readable<PlanMigration>;
  readonly migrationItems: Readable<MigrationItem>;
  readonly admissions: Readable<ProviderEventAdmission>;
  readonly subscriptions: Readable<Subscription>;
  /** Asks lifecycle-delivery. */
  readonly messaging: AskDelivery;
}

type Lanes = readonly Lane<Placed>[];

/** The lanes of the kinds that can have rows for the query. */
export function lanesOf(ports: ActivityPorts, query: ActivityQuery): Lanes {
  const wanted: readonly (readonly [ActivityKind, boolean, () => Lanes])[] = [
    ['operation', isAction(query.action) || query.action === undefined, () => operationLanes(ports, query)],
    ['resolution', isFree(query, activityActions.resolution), () => [resolutionLane(ports, query)]],
    ['migration', isFree(query, activityActions.migration) && !query.workspace, () => [migrationLane(ports, query)]],
    ['migration_item', isFree(query, activityActions.migration_item), () => itemLanes(ports, query)],
    ['provider_event', !query.actor && !hasAmount(query) && !isOwnWord(query.action), () => [eventLane(ports, query)]],
    ['creation', isFree(query, activityActions.creation), () => creationLanes(ports, query)],
    ['consumer_action', admitsConsumers(query), () => [consumerLaneOf(ports, query)]],
  ];
  return wanted.flatMap(([kind, possible, lanes]) =>
    possible && (query.kind === undefined || query.kind === kind) ? lanes() : [],
  );
}

/** Whether the query admits only rows with an amount. */
export function hasAmount({ amountFrom, amountTo }: ActivityQuery): boolean {
  return amountFrom !== undefined || amountTo !== undefined;
}

function isAction(action: string | undefined): boolean {
  return operationActions.some((known) => known === action);
}

/** Whether the value is a term of the platform and not an event type of the provider: event types contain a dot. */
function isOwnWord(action: string | undefined): boolean {
  return action !== undefined && !action.includes('.');
}

/** Whether the query admits rows of this action; such rows have no amount. */
function isFree(query: ActivityQuery, action: string): boolean {
  return (query.action === undefined || query.action === action) && !hasAmount(query);
}

function operationLanes({ operations }: ActivityPorts, query: ActivityQuery): Lanes {
  const { workspace: tenantId, actor, status } = query;
  const action = hasAmount(query) ? 'credit_customer' : query.action;
  const read = (filter: Filter) => laneOf(operations, 'operation', query, filter, (each) => [operationRow(each)]);
  if (tenantId !== undefined) return [read({ tenantId, ...(status !== undefined && { status }) })];
  if (actor !== undefined) return byPerson('actor.id', 'actor.email', actor, read);
  if (action !== undefined) return [read({ action })];
  return [read(status === undefined ? {} : { status })];
}

function resolutionLane({ operations }: ActivityPorts, query: ActivityQuery): Lane<Placed> {
  const filter: Filter = query.workspace === undefined ? {} : { tenantId: query.workspace };
  return laneOf(operations, 'resolution', query, filter, resolutionRow, 'resolution.at');
}

function migrationLane({ migrations }: ActivityPorts, query: ActivityQuery): Lane<Placed> {
  const filter: Filter = query.status === undefined ? {} : { status: query.status };
  return laneOf(migrations, 'migration', query, filter, (each) => [migrationRow(each)]);
}

/**
 * Items are listed for one workspace only, because a migration may have an item for every workspace. An item records no
 * person.
 */
function itemLanes({ migrationItems }: ActivityPorts, query: ActivityQuery): Lanes {
  if (query.workspace === undefined || query.actor !== undefined) return [];
  const filter = { tenantId: query.workspace };
  return [laneOf(migrationItems, 'migration_item', query, filter, (each) => [migrationItemRow(each)])];
}

function eventLane({ admissions }: ActivityPorts, query: ActivityQuery): Lane<Placed> {
  const { workspace: tenantId, action: type, status } = query;
  const filter: Filter =
    tenantId !== undefined ? { tenantId } : type !== undefined ? { type } : status !== undefined ? { status } : {};
  return laneOf(admissions, 'provider_event', query, filter, (each) => [eventRow(each)]);
}

function creationLanes({ subscriptions }: ActivityPorts, query: ActivityQuery): Lanes {
  const { workspace, actor, status } = query;
  if (status !== undefined && status !== 'committed') return [];
  const read = (filter: Filter) => laneOf(subscriptions, 'creation', query, filter, (each) => [creationRow(each)]);
  if (workspace !== undefined) return [read({ _id: workspace })];
  return actor === undefined ? [read({})] : byPerson('owner.userId', 'owner.email', actor, read);
}

function consumerLaneOf({ messaging }: ActivityPorts, query: ActivityQuery): Lane<Placed> {
  return consumerLane(messaging, query, (after) => placeIn('consumer_action', after));
}

function byPerson(idPath: string, emailPath: string, actor: string, read: (filter: Filter) => Lane<Placed>): Lanes {
  return [idPath, ...(actor.includes('@') ? [emailPath] : [])].map((path) => read({ [path]: actor }));
}

/** One indexed read in the order of `path`, ending in `_id`. */
function laneOf<T extends Revisioned>(
  collection: Readable<T>,
  kind: ActivityKind,
  { order, from, to }: ActivityQuery,
  filter: Filter,
  rows: (record: T) => readonly Placed[],
  path = 'createdAt',
): Lane<Placed> {
  const direction = order === 'newest' ? -1 : 1;
  return async (after, limit) => {
    const found = await collection.find(
      { ...filter, [path]: boundsOf(order, from, to, after) },
      {
        sort: { [path]: direction, _id: direction },
        limit,
        ...(after && { after: [after.at, placeIn(kind, after)] satisfies readonly Scalar[] }),
      },
    );
    return found.flatMap(rows);
  };
}

/** The time bounds, narrowed to the cursor, so that the index scan begins there. */
function boundsOf(
  order: ActivityQuery['order'],
  from: string | undefined,
  to: string | undefined,
  after: Position | null,
): Condition {
  const lower = [from === undefined ? new Date(0) : new Date(from), ...(after && order === 'oldest' ? [after.at] : [])];
  const latest = lower.reduce((a, b) => (a > b ? a : b));
  return {
    $gte: latest,
    ...(to !== undefined && { $lt: new Date(to) }),
    ...(after && order === 'newest' && { $lte: after.at }),
  };
}

const beforeAllIds = '';
const afterAllIds = '\uffff';

/** Rows of one instant are ordered by id, which begins with the kind: the position at which this kind continues. */
function placeIn(kind: ActivityKind, { id }: Position): string {
  const prefix = rowId(kind, '');
  if (id.startsWith(prefix)) return id.slice(prefix.length);
  return prefix > id ? beforeAllIds : afterAllIds;
}
