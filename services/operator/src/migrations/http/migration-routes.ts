/** Bulk plan migrations of the platform owner: dry run, request, progress and outcomes. There is no route that deletes a plan. */
import {
  dryRunSchema,
  listQueryMembers,
  migrationLimits,
  migrateRequestSchema,
  migrationIdSchema,
  migrationItemStatusSchema,
  migrationListSchema,
  migrationPageSchema,
  migrationStatusSchema,
  migrationViewSchema,
  planIdSchema,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { MigrationRequest, MigrationFacts } from '../domain/migration';
import type { Preparation } from '../workflows/prepare-migration';
import type { OutcomeQuery, ReadMigration } from '../workflows/read-migration';
import type { ListedMigrations, MigrationListQuery } from '../workflows/list-migrations';
import type { MigrationAnswer } from '../workflows/request-migration';
import { dryRunView, migrationView, outcomeView } from './migration-view';

export interface MigrationRoutePorts {
  readonly planExists: (planId: string) => Promise<boolean>;
  /** Records the request and runs the migration in the background. */
  readonly request: (request: MigrationRequest) => Promise<MigrationAnswer>;
  readonly prepare: (
    fromPlanId: string,
    targetPlanId: string,
    page: { readonly cursor?: string; readonly limit: number },
  ) => Promise<Preparation>;
  readonly list: (query: MigrationListQuery) => Promise<ListedMigrations | null>;
  readonly read: (migrationId: string, query: OutcomeQuery) => Promise<ReadMigration | 'bad_cursor' | null>;
}

const fromParams = z.object({ fromPlanId: planIdSchema });
const cursor = z.string().max(500).optional();
const prepareQuery = z.strictObject({
  cursor,
  limit: z.coerce.number().int().min(1).max(migrationLimits.previews).default(migrationLimits.previews),
});
const readQuery = z.strictObject({
  status: migrationItemStatusSchema.optional(),
  cursor,
  limit: z.coerce.number().int().min(1).max(migrationLimits.outcomes).default(migrationLimits.outcomes),
});
const listQuery = z.strictObject({
  status: migrationStatusSchema.optional().describe('Only migrations with this status now.'),
  ...listQueryMembers,
});
const noSuchPlan = () => problem('not_found', { detail: 'There is no such plan.' });
const badCursor = () =>
  problem('invalid_request', { errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }] });

export function migrationRoutes(ports: MigrationRoutePorts): Route[] {
  return [requestRoute(ports), prepareRoute(ports), listRoute(ports), readRoute(ports)];
}

function requestRoute({ planExists, request }: MigrationRoutePorts): Route {
  return defineRoute({
    name: 'requestMigration',
    method: 'POST',
    path: '/api/saas/plans-deletion/:fromPlanId/migrate-and-delete',
    policy: 'platform_owner',
    tags: ['migrations'],
    summary: 'Request a migration of every workspace on a plan',
    description:
      'Captures the workspaces on the plan as an immutable list and migrates them one by one. It cannot be taken back, so it says why. The source plan stays, even when nothing refers to it any more. `digest` binds the request to a dry run.',
    params: fromParams,
    body: migrateRequestSchema,
    idempotentBy: 'migrationId',
    responses: { 200: migrationViewSchema, 202: migrationViewSchema },
    errors: [
      'not_found',
      'operation_id_reused',
      'reconciliation_required',
      'dry_run_outdated',
      'plan_not_available',
      'plan_already_applied',
      'store_unavailable',
    ],
    examples: {
      body: {
        example: {
          migrationId: 'mig-2026-0001',
          targetPlanId: 'business',
          reason: 'The plan is no longer sold',
          notifyMembers: false,
        },
      },
    },
    guard: async ({ params }) => ((await planExists(params.fromPlanId)) ? undefined : noSuchPlan()),
    handle: async ({ params, body, caller }) => {
      const { migrationId, targetPlanId, reason, notifyMembers = false, digest } = body;
      const answer = await request({
        migrationId,
        targetPlanId,
        notifyMembers,
        fromPlanId: params.fromPlanId,
        ...(reason !== undefined && { reason }),
        ...(digest !== undefined && { digest }),
        requestedBy: { id: caller.subject, email: caller.email },
      });
      return answerInHttp(answer, migrationId);
    },
  });
}

function migrationPath({ _id }: Pick<MigrationFacts, '_id'>): string {
  return `/api/saas/plans-deletion/migrations/${_id}`;
}

function answerInHttp(answer: MigrationAnswer, migrationId: string) {
  switch (answer.kind) {
    case 'accepted':
      return answer.migration.status === 'completed'
        ? reply(200, migrationView(answer))
        : reply(202, migrationView(answer), { location: migrationPath(answer.migration), 'retry-after': '1' });
    case 'no_such_plan':
      return noSuchPlan();
    case 'store_unavailable':
      return problem('store_unavailable', { detail: answer.detail, operationId: migrationId, retryAfterSeconds: 2 });
    case 'refused':
      return problem(answer.code, {
        detail: answer.detail,
        operationId: migrationId,
        errors: answer.errors,
        ...(answer.migration && { extras: { migration: migrationPath(answer.migration) } }),
      });
  }
}

function prepareRoute({ prepare }: MigrationRoutePorts): Route {
  return defineRoute({
    name: 'prepareMigration',
    method: 'GET',
    path: '/api/saas/plans-deletion/:fromPlanId/prepare/:targetPlanId',
    policy: 'staff',
    tags: ['migrations'],
    summary: 'Dry run of a migration',
    description:
      'Counts the workspaces, asks the payment provider what each of this page would be invoiced, and names those that need a person. Changes nothing. Its digest may be named by the request.',
    params: z.object({ fromPlanId: planIdSchema, targetPlanId: planIdSchema }),
    query: prepareQuery,
    responses: { 200: dryRunSchema },
    errors: ['not_found', 'plan_not_available', 'plan_already_applied', 'store_unavailable'],
    handle: async ({ params, query }) => {
      const prepared = await prepare(params.fromPlanId, params.targetPlanId, query);
      switch (prepared.kind) {
        case 'prepared':
          return reply(200, dryRunView(prepared.dryRun));
        case 'no_such_plan':
          return noSuchPlan();
        case 'bad_cursor':
          return badCursor();
        case 'refused':
          return problem(prepared.refusal.code, { detail: prepared.refusal.detail });
      }
    },
  });
}

function listRoute({ list }: MigrationRoutePorts): Route {
  return defineRoute({
    name: 'listMigrations',
    method: 'GET',
    path: '/api/saas/plans-deletion/migrations',
    policy: 'staff',
    tags: ['migrations'],
    summary: 'List migrations, newest first',
    description: 'Counters are those of the record; what is under way in it is counted when one migration is read.',
    query: listQuery,
    responses: { 200: migrationListSchema },
    errors: ['store_unavailable'],
    handle: async ({ query }) => {
      const listed = await list(query);
      if (!listed) return badCursor();
      return reply(200, {
        migrations: listed.migrations.map((migration) => migrationView({ migration })),
        ...(listed.nextCursor !== undefined && { nextCursor: listed.nextCursor }),
      });
    },
  });
}

function readRoute({ read }: MigrationRoutePorts): Route {
  return defineRoute({
    name: 'readMigration',
    method: 'GET',
    path: '/api/saas/plans-deletion/migrations/:migrationId',
    policy: 'staff',
    tags: ['migrations'],
    summary: 'Read a migration: snapshot, outcomes, reconciliation requirements',
    description: 'Outcomes in the order of the list, by page; `status` shows only those with that status.',
    params: z.object({ migrationId: migrationIdSchema }),
    query: readQuery,
    responses: { 200: migrationPageSchema },
    errors: ['not_found', 'store_unavailable'],
    handle: async ({ params, query }) => {
      const found = await read(params.migrationId, query);
      if (found === 'bad_cursor') return badCursor();
      if (!found) return problem('not_found', { detail: 'There is no such migration.' });
      return reply(200, {
        ...migrationView(found),
        outcomes: found.outcomes.map(outcomeView),
        ...(found.nextCursor !== undefined && { nextCursor: found.nextCursor }),
      });
    },
  });
}
