/** Events of the payment provider on the whole platform: signed by the twin, received, dispatched once, mirrored. */
import { resolve } from 'node:path';
import type { AdminState, OperationView, WebhookEventView } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { seedPlatform } from '../../../infra/local/seed-platform';
import { readSettings, type LocalSettings } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment, startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { connectProvider, noticesOf, type ProviderSide } from './provider-side';

const root = resolve(__dirname, '../../..');
let platform: TestPlatform;
let settings: LocalSettings;
let gateway: GatewayClient;
let control: ProviderSide['control'];
let change: ProviderSide['change'];
let redeliver: ProviderSide['redeliver'];
let latestEvent: ProviderSide['latestEvent'];
let expectRefused: ProviderSide['expectRefused'];

beforeAll(async () => {
  platform = await startPlatform({ without: ['query-builder', 'storage-consumer', 'search-index-consumer'] });
  settings = readSettings({ PORT_BASE: String(platform.portBase), LOCAL_DIR: platform.localDir }, root);
  ({ control, change, redeliver, latestEvent, expectRefused } = connectProvider({
    twinUrl: platform.twinUrl,
    providerKey: settings.secrets.providerKey,
  }));
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
});
afterEach(() => control('webhooks/release'));
afterAll(() => platform?.stop());

interface WebhookEventsPage {
  readonly events: readonly WebhookEventView[];
}

const adminState = async (tenantId: string) =>
  (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;

const until = (describe: string, check: () => Promise<void>) =>
  eventually(async () => (await check(), true), { describe });

describe('a change at the provider', () => {
  it('is mirrored, and every kind of redelivery gets its answer', async () => {
    await change('acme', { cancel_at_period_end: 'true' });
    await until('the mirror shows the end', async () => expect((await adminState('acme')).cancelsAt).toBeDefined());
    const eventId = await latestEvent('customer.subscription.updated', 'sub_acme');
    await until('the event is resolved', async () => expect(await redeliver(eventId, 'normal')).toEqual([200]));
    expect(await redeliver(eventId, 'duplicate')).toEqual([200, 200]);
    expect(await redeliver(eventId, 'late')).toEqual([200]);
    for (const mode of ['unsigned', 'wrong_secret', 'stale_signature'])
      expect(await redeliver(eventId, mode)).toEqual([400]);
  });

  it('told newest first ends as the provider has it', async () => {
    await control('webhooks/hold');
    await change('globex', { cancel_at_period_end: 'true' });
    await change('globex', { cancel_at_period_end: 'false' });
    await change('globex', { cancel_at_period_end: 'true' });
    await change('globex', { cancel_at_period_end: 'false', 'metadata[note]': 'kept' });
    await control('webhooks/flush', { order: 'swapped' });
    await until('the last event is resolved', async () =>
      expect(await redeliver(await latestEvent('customer.subscription.updated', 'sub_globex'), 'normal')).toEqual([
        200,
      ]),
    );
    expect(await adminState('globex')).not.toHaveProperty('cancelsAt');
  });
});

describe('an event whose handler does not answer', () => {
  it('is refused until the outcome is there, and handled once', async () => {
    await platform.kill('operator');
    await control('webhooks/hold');
    await change('acme', { cancel_at_period_end: 'false' });
    const eventId = await latestEvent('customer.subscription.updated', 'sub_acme');
    await expectRefused(eventId);
    await expectRefused(eventId);
    await platform.restart('operator');
    await until('the event is resolved', async () => expect(await redeliver(eventId, 'normal')).toEqual([200]));
    expect(await adminState('acme')).not.toHaveProperty('cancelsAt');
  });

  it('outlives a restart of the receiver, which asks the owner of the event before it stops one', async () => {
    await platform.kill('operator');
    await control('webhooks/hold');
    await change('acme', { 'metadata[round]': 'two' });
    const eventId = await latestEvent('customer.subscription.updated', 'sub_acme');
    await expectRefused(eventId);
    await platform.kill('billing-webhook');
    await platform.restart('billing-webhook');
    await platform.restart('operator');
    await until('the event is resolved', async () => expect(await redeliver(eventId, 'normal')).toEqual([200]));
  });

  it('is stopped by the end of the owner that had begun it, and only a person ends it', async () => {
    const twin = createTwinClient(platform.twinUrl);
    await control('webhooks/hold');
    await change('acme', { 'metadata[round]': 'three' });
    const eventId = await latestEvent('customer.subscription.updated', 'sub_acme');
    // Every read is held, so that a second one, of a reconciliation or of a repeated delivery, cannot proceed.
    await twin.addFault({ match: { method: 'GET', path: '/v1/subscriptions/sub_acme' }, fault: 'hold', times: null });
    await expectRefused(eventId);
    await platform.kill('operator');
    await platform.kill('billing-webhook');
    await twin.removeFaults();
    await platform.restart('billing-webhook');
    await platform.restart('operator');
    await until('the receiver learns that the event was stopped', async () =>
      expect(
        await gateway.get<WebhookEventsPage>('/api/saas/webhook-events?result=reconciliation_required'),
      ).toMatchObject({ status: 200, body: { events: [{ eventId }] } }),
    );
    await expectRefused(eventId);
    const stopped = await gateway.get<WebhookEventsPage>('/api/saas/webhook-events?result=reconciliation_required');
    expect(stopped).toMatchObject({
      status: 200,
      body: {
        events: [
          {
            eventId,
            type: 'customer.subscription.updated',
            owner: 'operator',
            deliveries: expect.any(Number),
            object: { id: 'sub_acme' },
          },
        ],
      },
    });
    const ops = (...args: string[]) =>
      runProgram(['dist/services/billing-webhook/ops.js', ...args], { env: offLineEnvironment(platform) });
    expect(await ops('list', 'webhook-events')).toMatchObject({ stderr: '', stdout: expect.stringContaining(eventId) });
    expect(
      (
        await ops(
          'resolve',
          'webhook-event',
          eventId,
          '--outcome',
          'applied',
          '--executor-stopped',
          'too short',
          '--by',
          'ann@example.com',
          '--yes',
        )
      ).status,
    ).toBe(1);
    await until('no process writes the record any more', async () =>
      expect(
        (
          await ops(
            'resolve',
            'webhook-event',
            eventId,
            '--outcome',
            'applied',
            '--executor-stopped',
            'both processes were killed by this suite',
            '--by',
            'ann@example.com',
            '--yes',
          )
        ).status,
      ).toBe(0),
    );
    expect(await redeliver(eventId, 'normal')).toEqual([200]);
  });
});

const seedFreeWorkspace = (tenantId: string) =>
  seedPlatform(settings, [], [{ tenantId, workspaceName: 'Lonely', planId: 'free', status: 'active' }]);

describe('a checkout', () => {
  const pay = (url: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paymentMethod: 'pm_card_visa' }),
    });

  it('is paid on the page of the provider and ends with the plan, the receipt and one session', async () => {
    const tenantId = 'hooli';
    const owner = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { [tenantId]: 'owner' } }),
    );
    const body = {
      operationId: 'op-e2e-checkout-1',
      planId: 'pro',
      successUrl: 'https://app.test/done',
      cancelUrl: 'https://app.test/back',
    };
    const begun = await owner.post<{ checkoutUrl: string }>(`/api/saas/workspaces/${tenantId}/checkout`, body);
    expect(begun).toMatchObject({
      status: 200,
      body: { status: 'open', checkoutUrl: expect.stringContaining('/_twin/checkout/') },
    });
    expect(
      (await owner.post<{ checkoutUrl: string }>(`/api/saas/workspaces/${tenantId}/checkout`, body)).body.checkoutUrl,
    ).toBe(begun.body.checkoutUrl);
    expect((await pay(begun.body.checkoutUrl)).status).toBe(200);
    await until('the checkout has ended', async () =>
      expect(
        (await gateway.get<OperationView>(`/api/saas/workspaces/${tenantId}/operations/${body.operationId}`)).body
          .status,
      ).toBe('succeeded'),
    );
    expect(await adminState(tenantId)).toMatchObject({ planId: 'pro' });
    // The transition is cleared after the outcome is journalled (law 6).
    await eventually(async () => (await adminState(tenantId)).transition === undefined, {
      describe: 'the transition is cleared',
    });
    expect(
      (await createTwinClient(platform.twinUrl).effects(body.operationId)).filter(
        ({ path }) => path === '/v1/checkout/sessions',
      ),
    ).toHaveLength(1);
    expect(await noticesOf(platform.natsUrl, body.operationId)).toMatchObject([
      { tenantId, planId: 'pro', email: 'user@workspace.example' },
    ]);
  });

  it('that is not paid expires: the plan stays, the subscription is free again, and a new id begins again', async () => {
    const tenantId = 'lonely';
    await seedFreeWorkspace(tenantId);
    const owner = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { [tenantId]: 'owner' } }),
    );
    const body = {
      operationId: 'op-e2e-checkout-2',
      planId: 'starter',
      successUrl: 'https://app.test/done',
      cancelUrl: 'https://app.test/back',
    };
    expect(await owner.post(`/api/saas/workspaces/${tenantId}/checkout`, body)).toMatchObject({
      status: 200,
      body: { status: 'open' },
    });
    expect(
      await owner.post(`/api/saas/workspaces/${tenantId}/checkout`, { ...body, operationId: 'op-e2e-checkout-3' }),
    ).toMatchObject({ status: 409, body: { code: 'checkout_in_progress' } });
    await control('clock', { advanceSeconds: 25 * 3_600 });
    await until('the checkout has ended', async () =>
      expect(
        (await gateway.get<OperationView>(`/api/saas/workspaces/${tenantId}/operations/${body.operationId}`)).body
          .status,
      ).toBe('failed'),
    );
    const ended = await gateway.get<OperationView>(`/api/saas/workspaces/${tenantId}/operations/${body.operationId}`);
    expect(ended.body.attempts.at(-1)?.error).toMatchObject({
      code: 'retry_window_expired',
      message: expect.stringContaining('expired before anybody paid'),
    });
    expect(await adminState(tenantId)).toMatchObject({ planId: 'free' });
    await until('the transition is cleared', async () =>
      expect(await adminState(tenantId)).not.toHaveProperty('transition'),
    );
    expect(await noticesOf(platform.natsUrl, body.operationId)).toEqual([]);
    expect(
      await owner.post(`/api/saas/workspaces/${tenantId}/checkout`, { ...body, operationId: 'op-e2e-checkout-4' }),
    ).toMatchObject({ status: 200, body: { status: 'open' } });
  });
});
