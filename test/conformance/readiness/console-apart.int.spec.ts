/**
 * The console's read side in a separate process: it fills the queue and answers reads, and executes nothing. The
 * gateway beside it executes actions and has no durable of the console.
 */
import { mintToken } from '@platform/http-server';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology } from '@platform/messaging';
import { startTestServer, type TestServer } from '@platform/messaging/testing';
import { connectStore } from '@platform/mongo';
import { startProviderTwin, type RunningTwin } from '@platform/provider-twin';
import { eventually, uniqueName } from '@platform/testing';
import { plansCollection } from '../../../services/operator/src/catalogue/store/plans';
import { schemaSteps } from '../../../services/operator/src/store/schema-steps';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import { startComposed, testSigningKey, type ComposedService } from './composed-service';

const topology = platformTopology();
const queueDurable = 'operator-work-queue';
const audience = 'workspace-platform';

async function seedWorkspace(url: string, database: string): Promise<void> {
  const [clock, ids] = [systemClock, createIds()];
  const store = await connectStore({ url, database, schemaSteps, clock, ids, log: silentLog, appName: 'seed' });
  const plans = store.collection(plansCollection);
  const subscriptions = store.collection(subscriptionsCollection);
  await plans.insert({ _id: 'free', name: 'Free', amountCents: 0, currency: 'usd', offered: true });
  await subscriptions.insert({
    _id: 'acme',
    workspaceName: 'Acme',
    status: 'active',
    access: { state: 'open', since: clock.now(), operationId: null },
    planId: 'free',
    provider: { customerId: 'cus_acme' },
    isComplimentary: false,
  });
  await store.close();
}

describe('a gateway and a console in two processes', () => {
  let broker: TestServer;
  let twin: RunningTwin;
  let gateway: ComposedService;
  let reading: ComposedService;
  let token: string;

  const ask = (service: ComposedService, method: string, path: string, body?: unknown) =>
    fetch(`${service.url}/api/saas${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const credit = (service: ComposedService, operationId: string) =>
    ask(service, 'POST', '/workspaces/acme/balance-credit', { operationId, amountCents: 500, reason: 'outage' });

  beforeAll(async () => {
    broker = await startTestServer();
    await ensureTopology({ url: broker.url, topology });
    twin = await startProviderTwin({ port: 0 });
    const customers = [{ id: 'cus_acme' }];
    const seeded = await fetch(`${twin.url}/_twin/seed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ customers }),
    });
    expect(seeded.status).toBe(200);
    const environment = {
      NATS_URL: broker.url,
      MONGODB_URL: process.env['TEST_MONGODB_URL'] ?? '',
      MONGODB_DATABASE: uniqueName('apart'),
      STRIPE_API_BASE: twin.url,
    };
    await seedWorkspace(environment.MONGODB_URL, environment.MONGODB_DATABASE);
    gateway = await startComposed('operator', { ...environment, CONSOLE_ELSEWHERE: 'true' });
    reading = await startComposed('operator', { ...environment, CONSOLE_ONLY: 'true', INSTANCE: 'operator-console-1' });
    token = await mintToken({
      signingKey: testSigningKey,
      issuer: audience,
      audience,
      caller: {
        subject: 'person-1',
        email: 'person@example.com',
        role: 'platform_owner',
        workspaces: {},
        permissions: [],
      },
      lifetimeSeconds: 3_600,
    });
  });

  afterAll(async () => {
    for (const service of [reading, gateway]) expect(await service.stop()).toBe(0);
    await twin.close();
    await broker.stop();
  });

  it('act in one and show it in the other', async () => {
    const refused = await credit(reading, 'op-apart-0001');
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([404, 'served_elsewhere']);
    const applied = await credit(gateway, 'op-apart-0001');
    expect([applied.status, await applied.text()]).toEqual([200, expect.stringContaining('op-apart-0001')]);
    const shown = await ask(reading, 'GET', '/workspaces/acme/operations/op-apart-0001');
    expect(await shown.json()).toMatchObject({ operationId: 'op-apart-0001', status: 'succeeded' });
  });

  it('keep the work queue in the console alone', async () => {
    const listed = await eventually(
      async () => {
        const answer = await ask(reading, 'GET', '/work-queue');
        return answer.status === 200 ? answer : undefined;
      },
      { describe: 'the work queue of the console' },
    );
    expect(await listed.json()).toHaveProperty('items');
    expect((await ask(gateway, 'GET', '/work-queue')).status).toBe(404);
    expect((await fetch(`${gateway.url}/console`)).status).toBe(404);
  });

  it('hold durables of their own, which the readiness of each names', async () => {
    const messaging = await connectMessaging({ url: broker.url, name: 'test', topology, log: silentLog });
    const executing = ['LIFECYCLE_SETTLED/operator', 'PROVIDER_EVENTS/operator', 'WORKSPACES/operator'];
    const looking = ['ALERTS', 'LIFECYCLE_SETTLED', 'PROVIDER_OUTCOMES', 'WORKSPACES'].map(
      (stream) => `${stream}/${queueDurable}`,
    );
    const removeAll = async (durables: readonly string[]) => {
      for (const durable of durables) await messaging.removeDurable(...(durable.split('/') as [string, string]));
    };
    try {
      await removeAll(executing);
      await gateway.becomes('names what it executes from', ({ named }) => named('consumers').length === 3);
      expect((await gateway.readiness()).named('consumers')).toEqual(executing);
      expect((await reading.readiness()).named('consumers')).toEqual([]);
      await ensureTopology({ url: broker.url, topology });
      await gateway.becomes('ready again', ({ status }) => status === 200);
      await removeAll(looking);
      await reading.becomes('names what it looks at', ({ named }) => named('consumers').length === 4);
      expect((await reading.readiness()).named('consumers')).toEqual(looking);
      expect((await gateway.readiness()).status).toBe(200);
    } finally {
      await ensureTopology({ url: broker.url, topology });
      await messaging.close();
    }
  });

  it('run no relay, sweep or executor in the console', async () => {
    const metrics = await (await fetch(`${reading.url}/metrics`)).text();
    for (const name of ['operations_under_way', 'provider_events_pending']) expect(metrics).not.toContain(`${name}{`);
  });
});
