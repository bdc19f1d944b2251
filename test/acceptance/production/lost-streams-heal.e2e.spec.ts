/**
 * A started platform loses streams, durables and the bucket of access, one at a time, while people work: each is
 * recreated from one place, its content is sent again from the records, and no person helps. In the full proof
 * everything is lost once, and messages that wait for a reader which is down are lost with their stream.
 */
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { AdminState, OperationView } from '@platform/contracts-operator';
import { platformTopology, restoreTopology } from '@platform/messaging';
import { eventually, proofSize } from '@platform/testing';
import { createGatewayClient, type GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { seedPlatform } from '../../../infra/local/seed-platform';
import { settingsOf, startPlatform, type TestPlatform } from '../../support/platform';

const topology = platformTopology();
const everything = [
  ...topology.streams.flatMap(({ name, durables }) => [name, ...durables.map(({ durable }) => `${name}/${durable}`)]),
  ...topology.buckets.map(({ name }) => `KV_${name}`),
  // Durables of parties that declare them themselves.
  'TENANT_LIFECYCLE/storage',
  'WORK_CHANGES/operator-1',
];
const lost = proofSize({
  lean: ['LIFECYCLE', 'TENANT_LIFECYCLE/storage', 'LIFECYCLE_SETTLED/operator', 'KV_workspace_access'],
  full: everything,
});
/** A delivery whose receipt was lost is due after five minutes, and due deliveries are searched every five minutes. */
const rebuiltWithinMs = 720_000;

interface Waiting {
  readonly stream: string;
  /** Parts that are down while the message is in transit, in this order. */
  readonly down: readonly string[];
  /** Parts that are restarted before the stream is lost, so that their message reaches it. */
  readonly back?: readonly string[];
}

/** Messages that no reader has read when their stream is lost. */
const waiting: readonly Waiting[] = [
  { stream: 'LIFECYCLE', down: ['lifecycle-delivery'] },
  { stream: 'TENANT_LIFECYCLE', down: ['storage-consumer'] },
  { stream: 'LIFECYCLE_SETTLED', down: ['storage-consumer', 'operator'], back: ['storage-consumer'] },
];

let platform: TestPlatform;
let gateway: GatewayClient;
let raw: NatsConnection;
let jsm: JetStreamManager;
const workspaces = [...lost, ...waiting.map(({ stream }) => stream)].map((_each, at) => `heals-${at}`);
const operationOf = (tenantId: string): string => `op-${tenantId}`;

beforeAll(async () => {
  platform = await startPlatform({});
  const rows = workspaces.map((tenantId) => ({ tenantId, planId: 'starter', workspaceName: tenantId }));
  await seedPlatform(
    settingsOf(platform),
    [],
    rows.map((row) => ({ ...row, status: 'active' as const })),
  );
  gateway = createGatewayClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  raw = await connect({ servers: platform.natsUrl });
  jsm = await jetstreamManager(raw);
});
afterAll(async () => {
  await raw?.close();
  await platform?.stop();
});

async function suspend(tenantId: string): Promise<void> {
  const body = { operationId: operationOf(tenantId) };
  const answer = await gateway.post(`/api/saas/workspaces/${tenantId}/suspend`, body, { prefer: 'wait=0' });
  expect([200, 202]).toContain(answer.status);
}

const [isThere, remove] = [
  (name: string): Promise<unknown> => {
    const [stream = '', durable] = name.split('/');
    return durable === undefined ? jsm.streams.info(stream) : jsm.consumers.info(stream, durable);
  },
  (name: string): Promise<unknown> => {
    const [stream = '', durable] = name.split('/');
    return durable === undefined ? jsm.streams.delete(stream) : jsm.consumers.delete(stream, durable);
  },
];
const createdOf = async (name: string): Promise<string> => ((await isThere(name)) as { created: string }).created;

async function loses(name: string): Promise<void> {
  const before = await createdOf(name);
  await remove(name);
  await eventually(async () => (await createdOf(name)) !== before, {
    describe: `${name} is created again`,
  });
}

/** The current operation; undefined while its gateway is down. */
async function statusOf(tenantId: string): Promise<OperationView['status'] | undefined> {
  return gateway.operation(tenantId, operationOf(tenantId)).then(
    ({ status }) => status,
    () => undefined,
  );
}

describe('a platform that loses of its broker', () => {
  it.each(lost.map((name, at) => [name, workspaces[at]!] as const))(
    '%s has it again without anybody, and goes on',
    async (name, tenantId) => {
      await suspend(tenantId);
      await loses(name);
    },
  );

  const unread = proofSize({ lean: waiting.slice(1, 2), full: waiting });
  it.each(unread.map((row, at) => [row.stream, row, workspaces[lost.length + at]!] as const))(
    '%s with a message that no consumer has read gets it again from the records',
    async (stream, { down, back = [] }, tenantId) => {
      // Parts that pass the message on are stopped first; the gateway is stopped only after it has accepted the
      // request.
      const early = down.filter((part) => part !== 'operator' && (back.includes(part) || down.length === 1));
      for (const part of early) await platform.kill(part);
      const before = (await jsm.streams.info(stream)).state.last_seq;
      await suspend(tenantId);
      await eventually(async () => (await statusOf(tenantId)) === 'awaiting_receipts', {
        describe: `${tenantId} waits`,
      });
      for (const part of down.filter((each) => !early.includes(each))) await platform.kill(part);
      for (const part of back) await platform.restart(part);
      await eventually(async () => (await jsm.streams.info(stream)).state.last_seq > before, {
        describe: `a message in ${stream}`,
      });
      await loses(stream);
      for (const part of down.filter((each) => !back.includes(each))) await platform.restart(part);
    },
  );

  it('has ended every piece of work, each once at the provider, and is ready', async () => {
    const used = workspaces.slice(0, lost.length + unread.length);
    for (const tenantId of used)
      await eventually(async () => (await statusOf(tenantId)) === 'succeeded', {
        describe: `the suspension of ${tenantId} after ${[...lost, ...unread.map(({ stream }) => stream)][used.indexOf(tenantId)]} was lost`,
        deadlineMs: rebuiltWithinMs,
      });
    const twin = createTwinClient(platform.twinUrl);
    const effects = await Promise.all(used.map((tenantId) => twin.effects(operationOf(tenantId))));
    expect(effects.map((each) => each.length)).toEqual(used.map(() => 1));
    expect(await restoreTopology({ url: platform.natsUrl, topology })).toEqual([]);
    const { ports } = settingsOf(platform);
    for (const port of [ports.operatorInner, ports.billingWebhookInner, ports.provisioning, ports.lifecycleDelivery])
      await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, {
        describe: `a service that is ready on port ${port}`,
      });
  });

  it('holds the access of each workspace in the bucket again', async () => {
    for (const tenantId of workspaces) {
      const { body } = await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`);
      const kept = async () => {
        const found = await jsm.direct.getMessage('KV_workspace_access', {
          last_by_subj: `$KV.workspace_access.${tenantId}`,
        });
        return (found?.json<{ state: string }>().state ?? null) === body.access.state;
      };
      await eventually(() => kept().catch(() => false), { describe: `the access of ${tenantId}` });
    }
  });
});
