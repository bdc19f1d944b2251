/** The unified work queue of the platform owner: list, counters, search. Read-only; nothing here runs or repeats anything. */
import {
  searchAnswerSchema,
  tenantIdSchema,
  workQueueLimits,
  workCountersSchema,
  workItemIdSchema,
  workKindSchema,
  workQueuePageSchema,
  workStateSchema,
  type CaseProgress,
  type SearchAnswer,
  type WorkItemView,
  type WorkSource,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { RevisionedCollection } from '@platform/mongo';
import { z } from 'zod';
import { progressOfCases, type ProgressPorts } from '../../casework/workflows/case-progress';
import type { WorkItem } from '../domain/work-item';
import type { Counted } from '../workflows/count-work';
import type { KnownWeights } from '../workflows/known-weights';
import { listAssigned, type AssignedPage } from '../workflows/list-assigned';
import { listWork, type WorkPage } from '../workflows/list-work';
import { decodeQueueCursor } from '../workflows/queue-cursor';

export interface WorkQueueRoutePorts extends ProgressPorts {
  readonly items: RevisionedCollection<WorkItem>;
  readonly weights: KnownWeights;
  readonly count: () => Promise<Counted>;
  readonly sources: () => WorkSource[];
  readonly search: (text: string) => Promise<SearchAnswer>;
}

const listQuery = z.strictObject({
  kind: workKindSchema.optional(),
  state: workStateSchema.optional(),
  tenantId: tenantIdSchema.optional(),
  cause: z.string().max(200).optional().describe('Only records that have this in common, as `cause` of a row says.'),
  assignee: z.email().max(320).optional().describe('Only cases that this person has; `total` says how many.'),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(workQueueLimits.listItems).default(50),
});

export function workQueueRoutes(ports: WorkQueueRoutePorts): Route[] {
  return [listRoute(ports), ...otherRoutes(ports)];
}

function listRoute(ports: WorkQueueRoutePorts): Route {
  const { items, weights, clock } = ports;
  return defineRoute({
    name: 'listWork',
    method: 'GET',
    path: '/api/saas/work-queue',
    policy: 'staff',
    tags: ['work queue'],
    summary: 'Everything unresolved, most money at risk × age first',
    description:
      'Money counts at face value (there are no exchange rates) to two significant digits. A cursor keeps the instant of its first page, so pages neither overlap nor leave anything out.',
    query: listQuery,
    responses: { 200: workQueuePageSchema },
    errors: ['store_unavailable'],
    handle: async ({ query }) => {
      const { cursor, limit, assignee, ...filter } = query;
      const position = cursor === undefined ? null : decodeQueueCursor(cursor);
      if (cursor !== undefined && !position)
        return problem('invalid_request', {
          errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }],
        });
      const page: WorkPage & Partial<AssignedPage> =
        assignee === undefined
          ? await listWork(items, weights, filter, position, limit, clock.now())
          : await listAssigned(ports, assignee, filter, position, limit);
      const progress = await progressOfCases(ports, page.items);
      return reply(200, {
        items: page.items.map((item) => workItemView(item, progress.get(item._id))),
        asOf: page.asOf.toISOString(),
        ...(page.total !== undefined && { total: page.total }),
        ...(page.onlyLast !== undefined && { onlyLast: page.onlyLast }),
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      });
    },
  });
}

function otherRoutes({ count, sources, search }: WorkQueueRoutePorts): Route[] {
  return [
    defineRoute({
      name: 'countWork',
      method: 'GET',
      path: '/api/saas/work-queue/counters',
      policy: 'staff',
      tags: ['work queue'],
      summary: 'Exact counts by kind and state, and how fresh the knowledge of each owner is',
      description: '`unavailable` marks an owner whose rows may be older than the rest.',
      responses: { 200: workCountersSchema },
      errors: ['store_unavailable'],
      handle: async () => reply(200, { ...(await count()), sources: sources() }),
    }),
    defineRoute({
      name: 'searchRecords',
      method: 'GET',
      path: '/api/saas/search',
      policy: 'staff',
      tags: ['work queue'],
      summary: 'Find a record by any id that it bears',
      description:
        'Operation, workspace, plan, event; and for what is unresolved also customer, subscription, invoice, session, request id and idempotency key.',
      query: z.strictObject({ q: workItemIdSchema }),
      responses: { 200: searchAnswerSchema },
      errors: ['store_unavailable'],
      handle: async ({ query }) => reply(200, await search(query.q)),
    }),
  ];
}

function workItemView(
  { kind, itemId, tenantId, state, status, title, reason, money, since, checkedAt, cause }: WorkItem,
  work: CaseProgress | undefined,
): WorkItemView {
  return {
    kind,
    id: itemId,
    tenantId,
    state,
    status,
    title,
    ...(reason !== undefined && { reason }),
    money: money && { ...money },
    since: since.toISOString(),
    checkedAt: checkedAt.toISOString(),
    ...(cause !== undefined && { cause }),
    ...(work && { work }),
  };
}
