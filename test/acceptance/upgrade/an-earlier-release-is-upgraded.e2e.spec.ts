/**
 * Data that release 0.1.0 wrote, and work of every kind that was open when it was killed: this release migrates the
 * documents and all work continues. `record.mjs` recorded the data with the old release; docs/operations.md, Upgrade,
 * has the steps.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, proofSize } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { readSettings, portOffsets } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { unpackEarlierRelease, type EarlierRelease } from '../../support/earlier-release';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { findPortBase } from '../../support/free-ports';

const services = ['operator', 'provisioning', 'billing-webhook', 'lifecycle-delivery', 'query-builder'];
const consumers = ['storage-consumer', 'search-index-consumer'];
/** The provider sends events when it runs, and while documents are migrated no service would receive them. */
const provider = 'provider-twin';
const portBase = findPortBase();
/** The provider owes 357 events of the demo, and each takes its way through three services. */
const owedEvents = proofSize({ lean: '30', full: '1000' });
let folder: string;
let recorded: EarlierRelease;
let platform: TestPlatform | undefined;
let gateway: GatewayClient;
let owner: string;
let twin: TwinClient;
let migration: Ran[];

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

const start = async (without: readonly string[] = []): Promise<TestPlatform> => {
  platform = await startPlatform({ portBase, localDir: folder, without });
  return platform;
};
async function ops(...args: string[]): Promise<Ran> {
  const { MONGODB_URL: _external, MONGODB_DATABASE: _named, ...inherited } = process.env;
  const env = { ...inherited, PORT_BASE: String(portBase), LOCAL_DIR: folder };
  const ran = await runProgram(['infra/local/ops.mjs', ...args], { env });
  return { status: ran.status, output: ran.stdout + ran.stderr };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'earlier-release-'));
  recorded = await unpackEarlierRelease(
    folder,
    `http://127.0.0.1:${portBase + portOffsets.billingWebhook}`,
    Number(owedEvents),
  );
  await start([...services, ...consumers, provider]);
  migration = [await ops('migrate'), await ops('migrate', '--apply'), await ops('migrate')];
  await platform?.stop();
  const { token, gatewayUrl, twinUrl } = await start();
  owner = await token({ role: 'platform_owner', workspaces: { acme: 'owner' }, permissions: ['shop.orders.read'] });
  gateway = createPatientClient(gatewayUrl, owner);
  const { secrets } = readSettings({ LOCAL_DIR: folder, PORT_BASE: String(portBase) }, folder);
  twin = createTwinClient(twinUrl, secrets.providerKey);
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('migrates: says what would change, changes it once, and finds nothing after that', () => {
  const [asked, applied, again] = migration as [Ran, Ran, Ran];
  expect(asked.status).toBe(1);
  expect(asked.output).toMatch(/subscriptions: version 0, \d+ documents; \d+ would change/);
  expect(applied.status).toBe(0);
  expect(applied.output).toMatch(/subscriptions: version 1, \d+ documents; \d+ changed/);
  expect(again).toMatchObject({ status: 0 });
  expect(again.output).not.toContain('would change');
});

it('shows every operation as the earlier release left it', async () => {
  const seen = await Promise.all(
    Object.entries(recorded.operations).map(async ([id, { tenantId }]) => {
      const operation = await gateway.operation(tenantId, id);
      return [id, { tenantId, status: operation?.status }] as const;
    }),
  );
  expect(seen.length).toBeGreaterThan(8);
  expect(Object.fromEntries(seen)).toEqual(recorded.operations);
});

it('ends a suspension that waited for a consumer: its message arrives, though the broker lost it', async () => {
  const ended = await gateway.settled('globex', 'upgrade-suspend');
  expect(ended.status).toBe('succeeded');
  expect(ended.lifecycle?.receipts?.map(({ consumer }) => consumer).sort()).toEqual(['search-index', 'storage']);
  // The earlier release called the provider once.
  expect((await twin.effects('upgrade-suspend')).length).toBe(1);
});

it('brings an event to its owner that the earlier release had accepted and not handed over', async () => {
  const state = await eventually(
    async () => {
      const { body } = await gateway.get<{ cancelsAt?: string }>('/api/saas/workspaces/initech/admin-state');
      return body.cancelsAt;
    },
    { describe: 'the cancellation in the mirror' },
  );
  expect(state).toMatch(/^20\d\d-/);
  expect(await ops('list', 'webhook-events')).toMatchObject({
    status: 0,
    output: expect.stringContaining('0 shown') as string,
  });
});

it('lists the creation that was cut off for a person, and begins it again for none', async () => {
  const { output } = await ops('list', 'provisioning-attempts');
  expect(output).toMatch(/executor superseded/);
  expect(output).toContain('1 of 1 unresolved attempts');
});

it('goes on: a credit, a suspension with both receipts, a page', async () => {
  const credit = { operationId: 'after-upgrade-credit', amountCents: 5, reason: 'after the upgrade' };
  await gateway.post('/api/saas/workspaces/acme/balance-credit', credit);
  expect((await gateway.settled('acme', 'after-upgrade-credit')).status).toBe('succeeded');
  expect((await twin.effects('after-upgrade-credit')).length).toBe(1);
  for (const action of ['reactivate', 'suspend']) {
    await gateway.post(`/api/saas/workspaces/globex/${action}`, { operationId: `after-upgrade-${action}` });
    expect((await gateway.settled('globex', `after-upgrade-${action}`)).status).toBe('succeeded');
  }
  const pages = await fetch(`http://127.0.0.1:${portBase + portOffsets.queryBuilder}/api/builder/ListPages`, {
    headers: { authorization: `Bearer ${owner}` },
  });
  expect(pages.status).toBe(200);
});

it('has lost no record and no trail', async () => {
  expect(await ops('deadletters', 'list')).toMatchObject({
    output: expect.stringContaining('No dead letter') as string,
  });
  expect((await ops('audit', 'verify')).status).toBe(0);
  const inner = [
    portOffsets.operatorInner,
    portOffsets.provisioning,
    portOffsets.billingWebhookInner,
    portOffsets.lifecycleDelivery,
  ];
  for (const port of inner) {
    const figures = await (await fetch(`http://127.0.0.1:${portBase + port}/metrics`)).text();
    expect(figures.match(/^quarantined_records\{.*\} (?!0$).*$/gm)).toBeNull();
    expect(figures).toMatch(/^store_away\{.*\} 0$/m);
  }
});
