/**
 * Search by any exact identifier: rows of the queue by every id that they contain, and resolved records by the ids that
 * their owners can look up.
 */
import {
  webhookEventsSubject,
  workQueueLimits,
  migrationIdSchema,
  operationIdSchema,
  planIdSchema,
  tenantIdSchema,
  webhookEventsPageSchema,
  type SearchAnswer,
  type SearchMatch,
} from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { isUnresolvedStatus } from '../../migrations/domain/migration-item';
import type { WorkItem } from '../domain/work-item';
import { readAttempt, requestOwner } from './asked-owners';
import { isUnavailable, type OwnerPorts } from './ports';

export interface SearchPorts extends OwnerPorts {
  readonly items: Pick<RevisionedCollection<WorkItem>, 'find'>;
}

type Found = { readonly matches: readonly SearchMatch[]; readonly unavailable?: string };

/** Throws StoreUnavailableError. */
export async function searchWork(ports: SearchPorts, text: string): Promise<SearchAnswer> {
  const found = await Promise.all([
    inQueue(ports, text),
    inOperations(ports, text),
    inMigrations(ports, text),
    inWorkspaces(ports, text),
    inPlans(ports, text),
    inEvents(ports, text),
    inAttempts(ports, text),
  ]);
  const matches = new Map<string, SearchMatch>();
  for (const match of found.flatMap(({ matches: each }) => each))
    if (!matches.has(`${match.kind}:${match.id}`)) matches.set(`${match.kind}:${match.id}`, match);
  // A record with this id is listed before one that only refers to it.
  const ordered = [...matches.values()].sort((a, b) => Number(b.id === text) - Number(a.id === text));
  return {
    matches: ordered.slice(0, workQueueLimits.searchMatches),
    unavailable: found.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable])),
  };
}

async function inQueue({ items }: SearchPorts, text: string): Promise<Found> {
  const rows = await items.find({ ids: text }, { sort: { _id: 1 }, limit: workQueueLimits.searchMatches });
  return {
    matches: rows.map(({ kind, itemId, tenantId, title, status }) => ({
      kind,
      id: itemId,
      tenantId,
      title,
      status,
      matched: itemId === text ? 'id' : tenantId === text ? 'workspace' : 'named in the record',
      open: true,
    })),
  };
}

async function inOperations({ operations }: SearchPorts, text: string): Promise<Found> {
  const operation = operationIdSchema.safeParse(text).success ? await operations.findById(text) : null;
  if (!operation) return { matches: [] };
  const open = operation.status !== 'succeeded' && operation.status !== 'failed';
  return {
    matches: [
      {
        kind: 'operation',
        id: operation._id,
        tenantId: operation.tenantId,
        title: operation.action,
        status: operation.status,
        matched: 'operation id',
        open,
      },
    ],
  };
}

async function inMigrations({ migrations, migrationItems }: SearchPorts, text: string): Promise<Found> {
  const [named = '', tenantId] = text.split(':');
  if (!migrationIdSchema.safeParse(named).success) return { matches: [] };
  const item = tenantId === undefined ? null : await migrationItems.findById(text);
  const migration = tenantId !== undefined && !item ? null : await migrations.findById(named);
  if (!migration) return { matches: [] };
  const title = `migrate ${migration.fromPlanId} → ${migration.targetPlanId}`;
  if (item)
    return {
      matches: [
        {
          kind: 'migration_item',
          id: item._id,
          tenantId: item.tenantId,
          title,
          status: item.status,
          matched: 'item of a migration',
          open: item.status === 'pending' || isUnresolvedStatus(item.status),
        },
      ],
    };
  return {
    matches: [
      {
        kind: 'migration',
        id: migration._id,
        tenantId: null,
        title,
        status: migration.status,
        matched: 'migration id',
        open: migration.status !== 'completed' && migration.status !== 'refused',
      },
    ],
  };
}

const workspacePaths = {
  'provider.customerId': 'customer',
  'provider.formerCustomerIds': 'former customer',
  'provider.subscriptionId': 'subscription',
};

async function inWorkspaces({ subscriptions }: SearchPorts, text: string): Promise<Found> {
  const direct = tenantIdSchema.safeParse(text).success ? await subscriptions.findById(text) : null;
  const byProvider = async ([path, matched]: [string, string]) =>
    (await subscriptions.find({ [path]: text }, { limit: 5 })).map((each) => ({ each, matched }));
  const all = direct
    ? [{ each: direct, matched: 'workspace id' }]
    : (await Promise.all(Object.entries(workspacePaths).map(byProvider))).flat();
  return {
    matches: all.map(({ each, matched }) => ({
      kind: 'workspace',
      id: each._id,
      tenantId: each._id,
      title: each.workspaceName,
      status: each.status,
      matched,
      open: each.transition !== undefined,
    })),
  };
}

async function inPlans({ plans }: SearchPorts, text: string): Promise<Found> {
  const plan = planIdSchema.safeParse(text).success ? await plans.findById(text) : null;
  return {
    matches: plan
      ? [
          {
            kind: 'plan',
            id: plan._id,
            tenantId: null,
            title: plan.name,
            status: plan.offered ? 'offered' : 'not offered',
            matched: 'plan id',
            open: false,
          },
        ]
      : [],
  };
}

async function inEvents(ports: SearchPorts, text: string): Promise<Found> {
  if (!text.startsWith('evt_')) return { matches: [] };
  const page = await requestOwner(ports, webhookEventsSubject, { eventId: text, limit: 1 }, webhookEventsPageSchema);
  if (isUnavailable(page)) return { matches: [], unavailable: 'webhook events' };
  return {
    matches: page.events.map(({ eventId, type, result }) => ({
      kind: 'webhook_event',
      id: eventId,
      tenantId: null,
      title: type,
      status: result,
      matched: 'event id',
      open: result === 'pending' || result === 'reconciliation_required',
    })),
  };
}

async function inAttempts(ports: SearchPorts, text: string): Promise<Found> {
  if (!tenantIdSchema.safeParse(text).success) return { matches: [] };
  const attempt = await readAttempt(ports, text);
  if (!attempt) return { matches: [] };
  if (isUnavailable(attempt)) return { matches: [], unavailable: 'provisioning attempts' };
  return {
    matches: [
      {
        kind: 'provisioning_attempt',
        id: attempt.tenantId,
        tenantId: attempt.tenantId,
        title: `create workspace ${attempt.workspaceName}`,
        status: attempt.status,
        matched: 'workspace id',
        open: attempt.status !== 'committed' && attempt.status !== 'cancelled',
      },
    ],
  };
}
