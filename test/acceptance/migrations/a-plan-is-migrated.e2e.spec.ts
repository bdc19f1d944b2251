/** Bulk plan migrations on the whole platform, as processes: dry run, one outcome per workspace, a lost answer, a killed gateway. */
import { resolve } from 'node:path';
import type { AdminState, MigrationDryRun, MigrationPage, MigrationView } from '@platform/contracts-operator';
import { eventually, proofSize } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { seedPlatform } from '../../../infra/local/seed-platform';
import { readSettings } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment, startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';

/** A migration itself needs the gateway alone; in the full form every other part runs beside it. */
const without = proofSize({
  lean: [
    ...['query-builder', 'billing-webhook', 'provisioning', 'lifecycle-delivery'],
    ...['storage-consumer', 'search-index-consumer'],
  ],
  full: ['query-builder'],
});
const root = resolve(__dirname, '../../..');
let platform: TestPlatform;
let gateway: GatewayClient;
let twin: TwinClient;

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at + 1).padStart(3, '0')}`);

async function seed(planId: string, tenants: readonly string[]): Promise<void> {
  await seedPlatform(
    readSettings({ PORT_BASE: String(platform.portBase), LOCAL_DIR: platform.localDir }, root),
    [],
    tenants.map((tenantId) => ({ tenantId, workspaceName: tenantId, planId, status: 'active' as const })),
  );
}

beforeAll(async () => {
  platform = await startPlatform({ without });
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
  // The provider keeps its events for a receiver that is there.
  if (without.includes('billing-webhook')) await fetch(`${platform.twinUrl}/_twin/webhooks/hold`, { method: 'POST' });
  await seed('business', names('classic', 12));
  await seed('starter', names('vintage', 40));
});
afterAll(() => platform?.stop());

const migrate = <T = MigrationView & { code: string }>(fromPlanId: string, body: object) =>
  gateway.post<T>(`/api/saas/plans-deletion/${fromPlanId}/migrate-and-delete`, { reason: 'no longer sold', ...body });
const read = async (migrationId: string, query = '') =>
  (await gateway.get<MigrationPage>(`/api/saas/plans-deletion/migrations/${migrationId}${query}`)).body;
const ended = async (migrationId: string): Promise<MigrationPage> => {
  await eventually(async () => !['pending', 'capturing', 'running'].includes((await read(migrationId)).status), {
    describe: `the end of ${migrationId}`,
  });
  return read(migrationId);
};
const planOf = async (tenantId: string) =>
  (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
const keys = async (migrationId: string) =>
  (await twin.effects(migrationId)).map(({ idempotencyKey }) => idempotencyKey).sort();

async function ops(...args: readonly string[]) {
  const environment = offLineEnvironment(platform);
  const { status, stdout, stderr } = await runProgram(['infra/local/ops.mjs', ...args], { env: environment });
  return { status, output: `${stdout}${stderr}` };
}
const proofs = ['--executor-stopped', 'the process was killed by this test', '--by', 'ops@example.com', '--yes'];

describe('a plan migration', () => {
  it('is rehearsed, bound to its dry run, and ends with one outcome and one effect per workspace', async () => {
    const rehearsed = await gateway.get<MigrationDryRun>('/api/saas/plans-deletion/business/prepare/pro');
    expect(rehearsed).toMatchObject({
      status: 200,
      body: { count: 12, needPerson: [], target: { planId: 'pro', amountCents: 4_900 } },
    });
    expect(rehearsed.body.workspaces).toHaveLength(12);
    expect(
      rehearsed.body.workspaces.every(
        ({ delta }) =>
          delta !== null &&
          delta.total < 0 &&
          delta.total >= -5_000 &&
          delta.amountDue === 0 &&
          delta.currency === 'usd',
      ),
    ).toBe(true);

    const requested = await migrate('business', {
      migrationId: 'mig-e2e-classic',
      targetPlanId: 'pro',
      digest: rehearsed.body.digest,
    });
    expect(requested).toMatchObject({ status: 202, body: { migrationId: 'mig-e2e-classic', targetPlanId: 'pro' } });
    expect(requested.headers.get('location')).toBe('/api/saas/plans-deletion/migrations/mig-e2e-classic');
    const done = await ended('mig-e2e-classic');
    expect(done).toMatchObject({
      status: 'completed',
      snapshot: { count: 12, digest: rehearsed.body.digest },
      counters: { succeeded: 12, failed: 0, skipped: 0, pending: 0, running: 0, reconciliation_required: 0 },
    });
    expect(done.outcomes.map(({ tenantId }) => tenantId)).toEqual(names('classic', 12));
    expect(await keys('mig-e2e-classic')).toEqual(
      names('classic', 12).map((tenantId) => `mig-e2e-classic:${tenantId}:plan`),
    );
    expect(await planOf('classic-007')).toMatchObject({ planId: 'pro' });
    expect(
      (await gateway.get<{ plans: { planId: string; offered: boolean }[] }>('/api/saas/plans')).body.plans,
    ).toContainEqual(expect.objectContaining({ planId: 'business', offered: true }));

    const page = await read('mig-e2e-classic', '?limit=5');
    expect(
      (await read('mig-e2e-classic', `?limit=7&cursor=${page.nextCursor}`)).outcomes.map(({ tenantId }) => tenantId),
    ).toEqual(names('classic', 12).slice(5));
    expect(
      await migrate('business', { migrationId: 'mig-e2e-classic', targetPlanId: 'pro', digest: rehearsed.body.digest }),
    ).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await migrate('business', { migrationId: 'mig-e2e-classic', targetPlanId: 'free' })).toMatchObject({
      status: 409,
      body: { code: 'operation_id_reused' },
    });
    expect(await ops('migration', 'watch', 'mig-e2e-classic')).toMatchObject({
      status: 0,
      output: expect.stringContaining('100 %'),
    });
  });

  it('is refused when a workspace of the dry run has changed, and for those who may not', async () => {
    expect(
      await migrate('starter', { migrationId: 'mig-e2e-digest', targetPlanId: 'business', digest: '0'.repeat(64) }),
    ).toMatchObject({ status: 409, body: { code: 'dry_run_outdated' } });
    expect((await gateway.get('/api/saas/plans-deletion/migrations/mig-e2e-digest')).status).toBe(404);
    expect(await migrate('nowhere', { migrationId: 'mig-e2e-plan', targetPlanId: 'business' })).toMatchObject({
      status: 404,
    });
    expect(await migrate('starter', { migrationId: 'mig-e2e-plan', targetPlanId: 'nowhere' })).toMatchObject({
      status: 409,
      body: { code: 'plan_not_available' },
    });
    expect(
      await migrate('starter', { migrationId: 'mig-e2e-plan', targetPlanId: 'business', force: true }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const user = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { 'vintage-001': 'owner' } }),
    );
    expect(
      (
        await user.post('/api/saas/plans-deletion/starter/migrate-and-delete', {
          migrationId: 'mig-e2e-plan',
          targetPlanId: 'business',
          reason: 'not mine to ask',
        })
      ).status,
    ).toBe(403);
  });

  it('that a killed gateway leaves behind is stopped, never replayed, and goes on only as a new one', async () => {
    await twin.addFault({
      match: { method: 'POST', path: '/v1/subscriptions/sub_vintage-002' },
      fault: 'lose_answer_after',
      times: 1,
    });
    // Half of the migration is held until its gateway is killed: on a quick machine it would end before.
    const held = { method: 'POST', path: '/v1/subscriptions/sub_vintage-02*' };
    await twin.addFault({ match: held, fault: 'hold', times: null });
    expect((await migrate('starter', { migrationId: 'mig-e2e-killed', targetPlanId: 'business' })).status).toBe(202);
    await eventually(async () => (await read('mig-e2e-killed')).counters.succeeded >= 5, {
      describe: 'five migrated workspaces',
    });
    await platform.kill('operator');
    await twin.removeFaults();
    await platform.restart('operator');

    const stopped = await read('mig-e2e-killed');
    expect(stopped).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted' },
      snapshot: { count: 42 },
      reconciliationRequirements: { proofs: [{ proof: 'executor_quiescent' }, { proof: 'external_outcome_known' }] },
    });
    expect(stopped.outcomes).toHaveLength(42);
    expect(stopped.outcomes.filter(({ status }) => status === 'running')).toEqual([]);
    expect(stopped.outcomes[1]).toMatchObject({
      tenantId: 'initech',
      status: 'skipped',
      reason: 'past_due',
      providerCalls: [],
    });
    expect(stopped.outcomes[3]).toMatchObject({
      tenantId: 'vintage-002',
      status: 'reconciliation_required',
      error: { code: 'outcome_unknown' },
      providerCalls: [{ outcome: 'unknown' }],
    });
    const effects = await keys('mig-e2e-killed');
    expect(new Set(effects).size).toBe(effects.length);
    expect(await migrate('starter', { migrationId: 'mig-e2e-killed', targetPlanId: 'business' })).toMatchObject({
      status: 409,
      body: { code: 'reconciliation_required' },
    });

    const unresolved = stopped.outcomes
      .filter(({ status }) => status === 'reconciliation_required')
      .map(({ tenantId }) => tenantId);
    expect(await ops('resolve', 'migration', 'mig-e2e-killed', ...proofs)).toMatchObject({
      status: 1,
      output: expect.stringContaining('not known yet'),
    });
    // No request of the killed gateway can be in transit any more.
    await twin.advance(600);
    for (const tenantId of unresolved) {
      const applied = effects.includes(`mig-e2e-killed:${tenantId}:plan`);
      const outcome = applied
        ? ['--outcome', 'applied', '--provider-object', `sub_${tenantId}`]
        : ['--outcome', 'not_applied', '--provider-object', 'none'];
      expect(await ops('resolve', 'migration-item', `mig-e2e-killed:${tenantId}`, ...outcome, ...proofs)).toMatchObject(
        { status: 0 },
      );
    }
    expect(await planOf('vintage-002')).toMatchObject({ planId: 'business' });
    expect(await ops('resolve', 'migration', 'mig-e2e-killed', ...proofs)).toMatchObject({
      status: 0,
      output: expect.stringContaining('is completed'),
    });

    expect((await migrate('starter', { migrationId: 'mig-e2e-next', targetPlanId: 'business' })).status).toBe(202);
    expect(await ended('mig-e2e-next')).toMatchObject({ status: 'completed', counters: { failed: 0, skipped: 1 } });
    const all = [...(await keys('mig-e2e-killed')), ...(await keys('mig-e2e-next'))]
      .map((key) => key?.split(':')[1])
      .sort();
    expect(all).toEqual(['acme', ...names('vintage', 40)]);
  });
});
