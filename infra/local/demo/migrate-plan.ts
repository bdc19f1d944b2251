/**
 * Migrate a plan: many workspaces, with a dry run first, bound to that dry run, with one outcome and one effect for
 * each.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { MigrationDryRun, MigrationPage, MigrationView } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

const lookEveryMs = 250;
const timeoutMs = 60_000;
const under = new Set(['pending', 'capturing', 'running']);

async function untilEnded({ gateway, expect }: Stage, migrationId: string): Promise<MigrationPage> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { body } = await gateway.get<MigrationPage>(`/api/saas/plans-deletion/migrations/${migrationId}`);
    if (!under.has(body.status) || Date.now() > deadline) {
      expect(
        `the migration ends by itself (${body.counters.succeeded} succeeded, ${body.counters.failed} failed, ${body.counters.skipped} skipped)`,
        !under.has(body.status),
        body.counters,
      );
      return body;
    }
    await delay(lookEveryMs);
  }
}

async function outcomesOf({ gateway }: Stage, migrationId: string): Promise<MigrationPage['outcomes']> {
  const outcomes: MigrationPage['outcomes'] = [];
  let cursor: string | undefined;
  do {
    const { body } = await gateway.get<MigrationPage>(
      `/api/saas/plans-deletion/migrations/${migrationId}${cursor ? `?cursor=${cursor}` : ''}`,
    );
    outcomes.push(...body.outcomes);
    cursor = body.nextCursor;
  } while (cursor);
  return outcomes;
}

async function play(stage: Stage): Promise<void> {
  const { gateway, twin, run, expect, workspaces } = stage;
  const own = Array.from({ length: workspaces }, (_, at) => `demo-${run}-ws${String(at + 1).padStart(2, '0')}`);
  await stage.addWorkspaces(
    own.map((tenantId) => ({ tenantId, workspaceName: `Demo ${tenantId}`, planId: 'business', status: 'active' })),
  );

  const rehearsed = await gateway.get<MigrationDryRun>('/api/saas/plans-deletion/business/prepare/pro?limit=10');
  const [total] = rehearsed.body.pageTotals;
  expect(
    `a dry run counts ${rehearsed.body.count} workspaces on Business and asks the provider what each would be invoiced`,
    rehearsed.status === 200 && rehearsed.body.count >= workspaces && total !== undefined && total.total < 0,
    rehearsed.body,
  );

  const migrationId = `demo-${run}-migrate`;
  const body = {
    migrationId,
    targetPlanId: 'pro',
    reason: 'Business is no longer sold',
    digest: rehearsed.body.digest,
  };
  const requested = await gateway.post<MigrationView>('/api/saas/plans-deletion/business/migrate-and-delete', body);
  expect('the migration is accepted, bound to that dry run', requested.status === 202, requested);
  const ended = await untilEnded(stage, migrationId);
  expect(
    'exactly the rehearsed list was captured',
    ended.snapshot?.digest === rehearsed.body.digest && ended.snapshot.count === rehearsed.body.count,
    ended.snapshot,
  );
  const outcomes = (await outcomesOf(stage, migrationId)).filter(({ tenantId }) => own.includes(tenantId));
  expect(
    `each of the ${workspaces} workspaces that this run added has exactly one outcome, a success`,
    outcomes.length === workspaces && outcomes.every(({ status }) => status === 'succeeded'),
    outcomes.map(({ status }) => status),
  );
  const keys = (await twin.effects(migrationId)).map(({ idempotencyKey }) => idempotencyKey);
  expect(
    'and the provider holds one effect for each',
    own.every((tenantId) => keys.filter((key) => key === `${migrationId}:${tenantId}:plan`).length === 1),
    keys.length,
  );
  const catalog = await gateway.get<{ plans: { planId: string; offered: boolean }[] }>('/api/saas/plans');
  expect(
    'the source plan stays: retiring it is a procedure of its own',
    catalog.body.plans.some(({ planId, offered }) => planId === 'business' && offered),
    catalog.body,
  );
}

export const migratePlan: Chapter = { title: 'Migrate many workspaces to another plan', play };
