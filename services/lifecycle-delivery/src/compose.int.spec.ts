/** The service as its process runs it: environment, composition, serving, and an orderly end, on real servers. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
} from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology, type Messaging } from '@platform/messaging';
import { startTestServer, type TestServer } from '@platform/messaging/testing';
import { runService } from '@platform/service-host';
import { createTestHost } from '@platform/service-host/testing';
import { eventually, uniqueName } from '@platform/testing';
import { compose } from './compose';
import { configSchema } from './config';

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

describe('the composed lifecycle delivery', () => {
  let broker: TestServer;
  let environment: Record<string, string>;
  beforeAll(async () => {
    broker = await startTestServer();
    environment = {
      NATS_URL: broker.url,
      MONGODB_URL: process.env['TEST_MONGODB_URL'] ?? '',
      MONGODB_DATABASE: uniqueName('composed'),
      PORT: '0',
      PLATFORM_MODE: 'local',
    };
  });
  afterAll(() => broker.stop());

  const start = () => {
    const host = createTestHost(environment);
    return Object.assign(host, {
      ended: runService({ name: 'lifecycle-delivery', schema: configSchema, compose }, host),
    });
  };

  it('does not start on a broker without its streams, and says which', async () => {
    const run = start();
    expect(await run.ended).toBe(1);
    expect(run.output.join('')).toContain('TENANT_LIFECYCLE is missing');
    expect(run.lines().map(({ message }) => message)).not.toContain('ready');
  });

  it('serves health, readiness, metrics and requests, takes messages, and ends in order', async () => {
    await ensureTopology({ url: broker.url, topology: platformTopology() });
    const run = start();
    const { url } = await run.logged('ready');
    const operator: Messaging = await connectMessaging({
      url: broker.url,
      name: 'operator',
      topology: platformTopology(),
      log: silentLog,
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const registration = { name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1' };
    expect(await operator.request(lifecycleRequests.register('storage'), registration, 60_000)).toMatchObject({
      ok: true,
      value: { durable: 'storage' },
    });
    const body = {
      tenantId: 'acme',
      operationId: 'operation-1',
      transition: 'suspended',
      requestedAt: new Date().toISOString(),
    };
    expect(
      await operator.publish({
        subject: lifecycleSubjects.message('suspended'),
        id: lifecycleMessageIds.message('operation-1'),
        type: lifecycleTypes.message('suspended'),
        body,
      }),
    ).toBe('acknowledged');
    await eventually(async () => /^lifecycle_deliveries_waiting\S* 1$/m.test(await textOf(`${url}/metrics`)), {
      describe: 'a delivery that waits',
    });
    const metrics = await textOf(`${url}/metrics`);
    for (const name of ['lifecycle_deliveries_failed', 'lifecycle_outbox_entries'])
      expect(metrics).toMatch(new RegExp(`^${name}\\S* 0$`, 'm'));
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(await operator.request(lifecycleRequests.consumers, {}, 60_000)).toMatchObject({
      ok: false,
      error: { code: 'no_responders' },
    });
    await operator.close();
  });

  it('sends again what a stream held that was recreated, long before the delivery is due', async () => {
    const run = start();
    await run.logged('ready');
    const raw = await connect({ servers: broker.url });
    const { streams } = await jetstreamManager(raw);
    const held = async () => (await streams.info('TENANT_LIFECYCLE')).state.messages > 0;
    await eventually(held, { describe: 'the delivery of the earlier process in the stream' });
    // Twice: the round of the start may still be under way at the first, and sends what it finds lost.
    for (const time of ['first', 'second']) {
      await streams.delete('TENANT_LIFECYCLE');
      await ensureTopology({ url: broker.url, topology: platformTopology() });
      await eventually(held, { describe: `the delivery after the ${time} recreation` });
    }
    await raw.close();
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
  });

  it('is not ready while the broker is unreachable, and ready again when it is back', async () => {
    const run = start();
    const { url } = await run.logged('ready');
    await broker.kill();
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 503, {
      describe: 'not ready',
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await broker.restart();
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200, {
      describe: 'ready again',
    });
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
  });
});
