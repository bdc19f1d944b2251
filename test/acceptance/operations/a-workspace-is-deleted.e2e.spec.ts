/**
 * A seeded workspace is deleted on the whole platform, over HTTP: listener, messages, skipped deliveries, provider, and
 * the refusals after that.
 */
import { actionPath, contractOf, exampleValues, operationActions, type AdminState } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';
import { openStage, type CreationStage } from '../provisioning/creation-stage';

/** Workspaces that only this suite uses. */
const [doomed, kept, stuck] = ['deleted-starter', 'deleted-never', 'deleted-stuck'] as const;
const operationId = 'op-e2e-delete-1';
const body = { operationId, reason: 'closed at the request of its owner', confirm: doomed };
const pathOf = (tenantId: string) => `/api/saas/workspaces/${tenantId}`;

let platform: SharedPlatform;
let gateway: GatewayClient;
let twin: TwinClient;
let stage: CreationStage;

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([
    { tenantId: doomed, planId: 'starter' },
    { tenantId: kept, planId: 'starter' },
    { tenantId: stuck, planId: 'starter' },
  ]);
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
  stage = await openStage({ platform, gateway, twin });
});
afterAll(() => stage?.close());

const adminState = async (tenantId: string) => (await gateway.get<AdminState>(`${pathOf(tenantId)}/admin-state`)).body;

describe('the deletion of a workspace', () => {
  it('is refused without the words that confirm it, and then nothing is marked', async () => {
    const refused = await gateway.delete(pathOf(kept), { ...body, operationId: 'op-e2e-delete-0' });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/confirm' }] },
    });
    expect(await adminState(kept)).not.toHaveProperty('deletion');
  });

  it('says beforehand what it will do', async () => {
    const preview = await gateway.post<{ consequences: string[] }>(`${pathOf(doomed)}/deletion/preview`, {
      reason: body.reason,
      confirm: doomed,
    });
    expect(preview.status).toBe(200);
    expect(preview.body.consequences.join(' ')).toContain('cannot be undone');
  });

  it('ends with the listeners called, the subscription ended and the deliveries skipped', async () => {
    const accepted = await gateway.call('DELETE', pathOf(doomed), body, { prefer: 'wait=0' });
    expect(accepted.status).toBe(202);
    const settled = await gateway.settled(doomed, operationId);
    expect(settled).toMatchObject({
      status: 'succeeded',
      values: { reason: body.reason },
      result: { access: 'closed', status: 'cancelled' },
      deletion: { deliveriesSkippedAt: expect.any(String), listenersCalledAt: expect.any(String) },
    });
    expect(await gateway.delete(pathOf(doomed), body)).toMatchObject({ status: 200 });
    expect(stage.heard.filter(({ tenantId }) => tenantId === doomed)).toMatchObject([
      { event: 'TENANT_DELETED', workspaceName: doomed, planId: 'starter' },
    ]);
    expect((await twin.effects(operationId)).map(({ path }) => path)).toEqual([`/v1/subscriptions/sub_${doomed}`]);
    expect(await adminState(doomed)).toMatchObject({
      status: 'cancelled',
      access: { state: 'closed', operationId },
      deletion: { operationId, completedAt: expect.any(String) },
    });
  });

  it('stops at a listener that fails, and ends after the investigation, which calls no listener twice', async () => {
    stage.refuse(stuck);
    const asked = { ...body, operationId: 'op-e2e-delete-3', confirm: stuck };
    expect((await gateway.call('DELETE', pathOf(stuck), asked, { prefer: 'wait=0' })).status).toBe(202);
    const ops = (...args: string[]) =>
      runProgram(['infra/local/ops.mjs', ...args], { env: offLineEnvironment(platform) });
    const shown = async () => JSON.parse((await ops('show', 'deletion', stuck)).stdout || '{}') as { status?: string };
    await eventually(async () => (await shown()).status === 'reconciliation_required', {
      describe: 'the deletion stopped',
    });
    expect((await gateway.operation(stuck, asked.operationId)).status).toBe('awaiting_receipts');
    const proofs = ['--provider-object', 'none', '--executor-stopped', 'its answer was read by this suite'];
    const resolve = (outcome: string) =>
      ops('resolve', 'deletion', stuck, '--outcome', outcome, ...proofs, '--by', 'ann@example.com', '--yes');
    expect(await resolve('not_applied')).toMatchObject({ stderr: expect.stringContaining('never called again') });
    expect(await resolve('applied')).toMatchObject({ status: 0 });
    expect((await gateway.settled(stuck, asked.operationId, 180_000)).status).toBe('succeeded');
    expect(stage.heard.filter(({ tenantId }) => tenantId === stuck)).toHaveLength(1);
  });

  it.each(operationActions.filter((action) => action !== 'delete_workspace'))(
    'leaves no way for %s',
    async (action) => {
      const { method, startedBy } = contractOf(action);
      const client =
        startedBy === 'platform_owner'
          ? gateway
          : createPatientClient(
              platform.gatewayUrl,
              await platform.token({ role: 'user', workspaces: { [doomed]: 'owner' } }),
            );
      const answer = await client.call(method, actionPath(action).replace(':tenantId', doomed), {
        operationId: `op-e2e-after-${action.replaceAll('_', '-').slice(0, 20)}`,
        ...exampleValues(action),
      });
      expect(answer).toMatchObject({ status: 409, body: { code: 'deletion_started' } });
    },
  );

  it('is complete for every other deletion', async () => {
    expect(await gateway.delete(pathOf(doomed), { ...body, operationId: 'op-e2e-delete-2' })).toMatchObject({
      status: 409,
      body: { code: 'already_deleted' },
    });
    expect((await twin.effects('op-e2e-delete-2')).length).toBe(0);
  });

  it("leaves the mirror as it is when the provider tells of the subscription's end", async () => {
    await eventually(
      async () =>
        (
          await gateway.get<{ operations: { status: string }[] }>(`${pathOf(doomed)}/operations?limit=50`)
        ).body.operations.every(({ status }) => status === 'succeeded' || status === 'failed'),
      { describe: 'every operation of the workspace at its end' },
    );
    expect(await adminState(doomed)).toMatchObject({ status: 'cancelled', access: { state: 'closed' } });
  });
});
