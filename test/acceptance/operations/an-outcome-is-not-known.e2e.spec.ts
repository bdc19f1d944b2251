/**
 * Faults on the whole platform, as processes: an unknown outcome is reported as unknown, nothing is lost, and nothing
 * is done twice.
 */
import type { AdminState, OperationView } from '@platform/contracts-operator';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { startPlatform, type TestPlatform } from '../../support/platform';

let platform: TestPlatform;
let gateway: GatewayClient;
let twin: TwinClient;

beforeAll(async () => {
  platform = await startPlatform({ without: ['query-builder'] });
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
});
afterAll(() => platform?.stop());

const act = (tenantId: string, action: string, body: unknown, headers?: Record<string, string>) =>
  gateway.post<OperationView & { code: string }>(`/api/saas/workspaces/${tenantId}/${action}`, body, headers);
const credit = (operationId: string) =>
  act('globex', 'balance-credit', { operationId, amountCents: 500, reason: 'outage' });
const stateOf = async (tenantId: string) =>
  (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
const accessOf = async (tenantId: string) => (await stateOf(tenantId)).access.state;
/** An answer that waits a second may come before the operation waits for its receipts. */
const waitsForReceipts = (operationId: string) =>
  eventually(async () => (await gateway.operation('acme', operationId)).status === 'awaiting_receipts', {
    describe: `${operationId} waits for its receipts`,
  });
/** The transition is cleared after the journal has recorded how the operation ended. */
const cleared = (tenantId: string) =>
  eventually(async () => (await stateOf(tenantId)).transition === undefined, { describe: 'no transition is pending' });
const balancePath = '/v1/customers/*/balance_transactions';

describe('a lost answer of the payment provider', () => {
  it('stops the operation, alerts people, refuses every repeat and is never sent again', async () => {
    const alerts: unknown[] = [];
    const messaging = await connectMessaging({
      url: platform.natsUrl,
      name: 'test',
      topology: platformTopology(),
      log: silentLog,
    });
    await messaging.ensureDurable({
      stream: 'ALERTS',
      durable: 'test',
      filterSubjects: ['alert.>'],
      ackWaitMs: 5_000,
      maxAckPending: 10,
    });
    const listening = await messaging.consume({ stream: 'ALERTS', durable: 'test' }, async ({ body }) => {
      alerts.push(body);
      return { kind: 'ack' };
    });
    await twin.addFault({ match: { method: 'POST', path: balancePath }, fault: 'lose_answer_after', times: 1 });

    expect(await credit('op-e2e-lost-001')).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } });
    expect(await credit('op-e2e-lost-001')).toMatchObject({ status: 409, body: { code: 'reconciliation_required' } });
    await eventually(() => alerts.length > 0, { describe: 'the alert' });
    expect(alerts).toMatchObject([{ kind: 'operation', id: 'op-e2e-lost-001', tenantId: 'globex' }]);
    expect(await twin.effects('op-e2e-lost-001')).toHaveLength(1);
    const evidence = await gateway.evidence('globex', 'op-e2e-lost-001');
    expect(evidence.operation.reconciliationRequirements).toHaveLength(2);
    expect(evidence.provider.objects).toMatchObject([
      { kind: 'customer_balance_transaction', summary: { amount: -500 } },
    ]);
    expect(evidence.notProven.join()).toContain('does not prove quiescence');
    expect(
      (await gateway.get<{ operations: OperationView[] }>('/api/saas/operations?status=reconciliation_required')).body
        .operations,
    ).toHaveLength(1);
    await listening.close();
    await messaging.close();
  });
});

describe('a part that is unreachable', () => {
  it('the payment provider: the operation fails provably, and its repeat succeeds', async () => {
    await platform.kill('provider-twin');
    expect(await credit('op-e2e-away-001')).toMatchObject({ status: 503, body: { code: 'provider_unavailable' } });
    expect((await gateway.operation('globex', 'op-e2e-away-001')).status).toBe('failed');
    await platform.restart('provider-twin');
    expect(await credit('op-e2e-away-001')).toMatchObject({
      status: 200,
      body: { attempts: [{ outcome: 'failed' }, { outcome: 'succeeded' }] },
    });
    expect(await twin.effects('op-e2e-away-001')).toHaveLength(1);
  });

  it('the broker: the intent and the closed access remain, and the message leaves when it is back', async () => {
    await platform.kill('nats');
    expect((await act('acme', 'suspend', { operationId: 'op-e2e-broker-1' }, { prefer: 'wait=1' })).status).toBe(202);
    await waitsForReceipts('op-e2e-broker-1');
    expect(await accessOf('acme')).toBe('closed');
    await platform.restart('nats');
    expect(await gateway.settled('acme', 'op-e2e-broker-1')).toMatchObject({ status: 'succeeded' });
    await cleared('acme');
  });

  it('the database: 503 and nothing half-done; the same request goes through when it is back', async () => {
    await platform.kill('document-store');
    expect(await credit('op-e2e-store-001')).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    expect(await twin.effects('op-e2e-store-001')).toHaveLength(0);
    await platform.restart('document-store');
    await eventually(async () => (await credit('op-e2e-store-001')).status === 200, {
      describe: 'the credit goes through',
    });
    expect(await twin.effects('op-e2e-store-001')).toHaveLength(1);
  });

  it('a consumer: access stays closed until its receipt is there', async () => {
    await platform.kill('storage-consumer');
    const asked = await act('acme', 'reactivate', { operationId: 'op-e2e-consumer' }, { prefer: 'wait=1' });
    expect(asked.status).toBe(202);
    await waitsForReceipts('op-e2e-consumer');
    // The deliveries are those of another service, which the message reaches later.
    const { lifecycle } = await eventually(
      async () => {
        const evidence = await gateway.evidence('acme', 'op-e2e-consumer');
        return (evidence.lifecycle.deliveries ?? []).length > 0 && evidence;
      },
      { describe: 'a delivery of the reactivation' },
    );
    expect(lifecycle.deliveries).toMatchObject([{ consumer: 'storage', status: 'pending' }]);
    expect(await accessOf('acme')).toBe('closed');
    await platform.restart('storage-consumer');
    expect(await gateway.settled('acme', 'op-e2e-consumer')).toMatchObject({ status: 'succeeded' });
    expect(await accessOf('acme')).toBe('open');
  });
});

describe('a payment provider that does not answer what one owner looks at', () => {
  /** Resolves when the provider holds as many reads as the gateway lets wait there. */
  async function manyAreHeld(): Promise<void> {
    let before = 0;
    let same = 0;
    await eventually(
      async () => {
        const { faults } = (await (await fetch(`${platform.twinUrl}/_twin/faults`)).json()) as {
          faults: { held: unknown[] }[];
        };
        const held = faults[0]?.held.length ?? 0;
        same = held > 0 && held === before ? same + 1 : 0;
        before = held;
        return same === 20;
      },
      { describe: 'no further read arrives at the provider' },
    );
  }

  it('leaves the operations of other workspaces their way', async () => {
    const owner = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { acme: 'owner' } }),
    );
    await twin.addFault({ match: { method: 'GET', path: '/v1/subscriptions/sub_acme' }, fault: 'hold', times: null });
    const looking = Array.from({ length: 80 }, () =>
      owner.post('/api/saas/workspaces/acme/plan/preview', { planId: 'pro' }),
    );
    await manyAreHeld();
    expect(await credit('op-e2e-looked-at')).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    await twin.removeFaults();
    await Promise.all(looking);
  });
});

describe('kill -9 of the gateway while operations run', () => {
  it('leaves each either finished once or running with a superseded executor, and nothing is sent twice', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `op-e2e-kill-${String(at).padStart(4, '0')}`);
    const asked = ids.map((id) =>
      credit(id).then(
        ({ status }) => status,
        () => 'connection lost',
      ),
    );
    await Promise.race(asked);
    await platform.kill('operator');
    await Promise.all(asked);
    await platform.restart('operator');
    for (const id of ids) {
      const read = await gateway.get<OperationView>(`/api/saas/workspaces/globex/operations/${id}`);
      const effects = (await twin.effects(id)).length;
      expect(effects).toBeLessThanOrEqual(1);
      if (read.status === 404) expect(effects).toBe(0);
      else if (read.body.status === 'succeeded') expect(effects).toBe(1);
      else if (read.body.status === 'running') expect(read.body.attempts.at(-1)?.executorState).toBe('superseded');
      else expect(['pending', 'failed']).toContain(read.body.status);
      const repeated = await credit(id);
      expect(repeated.status === 200 || repeated.body.code === 'operation_running').toBe(true);
      expect((await twin.effects(id)).length).toBeLessThanOrEqual(1);
    }
  });
});
