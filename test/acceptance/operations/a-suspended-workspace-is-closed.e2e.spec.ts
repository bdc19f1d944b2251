/**
 * A suspension from the customer's view: pages, self-service and a service of another team refuse while a receipt of a
 * required consumer is still missing. A reactivation opens them after the last receipt. A guard without a connection to
 * the broker refuses every request. That guards follow within a second is a bound on the age of their answers, which
 * their own suites prove with a clock set by hand.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminState } from '@platform/contracts-operator';
import { eventually, freePort } from '@platform/testing';
import { accessBoundMs } from '@platform/workspace-platform/access';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { findRoot } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { startPlatform, type TestPlatform } from '../../support/platform';

let platform: TestPlatform;
let gateway: GatewayClient;
let owner: GatewayClient;
let search: { readonly url: string; readonly child: ChildProcess };
let reader: string;

async function startSearch(): Promise<typeof search> {
  const port = await freePort();
  const root = findRoot(join(__dirname, '..'));
  const child = spawn(process.execPath, [join(root, 'dist/examples/search-index-consumer/main.js')], {
    env: { PATH: process.env['PATH'], NATS_URL: platform.natsUrl, INSTANCE: 'search-index-9', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`the consumer ended with code ${child.exitCode}`);
    await delay(50);
  }
  return { url, child };
}

interface Asked {
  readonly status: number;
  readonly body: { readonly code?: string; readonly access?: string };
}

const pagesUrl = (): string => `http://127.0.0.1:${platform.portBase + 50}`;
const read = async (url: string, headers: Record<string, string> = {}): Promise<Asked> => {
  const answer = await fetch(url, { headers });
  return { status: answer.status, body: (await answer.json()) as Asked['body'] };
};
const asks: Readonly<Record<string, () => Promise<Asked>>> = {
  page: () => read(`${pagesUrl()}/dms/pages/shop/orders/stats/open-orders`, { authorization: `Bearer ${reader}` }),
  'a service of another team': () => read(`${search.url}/search/acme`),
};
let requests = 0;
const selfService = async (): Promise<Asked> => {
  requests += 1;
  return owner.post('/api/saas/workspaces/acme/cancellation', { operationId: `op-self-service-${requests}` });
};

async function until(ask: () => Promise<Asked>, wanted: (asked: Asked) => boolean): Promise<void> {
  while (!wanted(await ask())) await delay(25);
}
const untilAll = (wanted: (asked: Asked) => boolean) =>
  Promise.all(Object.values(asks).map((ask) => until(ask, wanted)));
/** Access changes first, then the provider is called, and then the operation waits. */
const waitsForReceipts = (operationId: string) =>
  eventually(async () => (await gateway.operation('acme', operationId)).status === 'awaiting_receipts', {
    describe: `${operationId} waits for its receipts`,
  });

const closed = ({ status, body }: Asked): boolean =>
  status === 403 && body.code === 'workspace_closed' && body.access === 'suspended';
const unknown = ({ status, body }: Asked): boolean => status === 503 && body.code === 'access_unknown';
/** A guard whose question is answered late, as on a busy machine, does not know and refuses too. */
const refused = (asked: Asked): boolean => closed(asked) || unknown(asked);
const open = ({ status }: Asked): boolean => status === 200;
const adminState = async () => (await gateway.get<AdminState>('/api/saas/workspaces/acme/admin-state')).body;

beforeAll(async () => {
  platform = await startPlatform({});
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  owner = createPatientClient(
    platform.gatewayUrl,
    await platform.token({ role: 'user', workspaces: { acme: 'owner' } }),
  );
  reader = await platform.token({
    role: 'user',
    workspaces: { acme: 'member' },
    permissions: ['shop.orders.read'],
  });
  search = await startSearch();
});
afterAll(async () => {
  if (search && search.child.exitCode === null && search.child.kill('SIGKILL')) await once(search.child, 'exit');
  await platform?.stop();
});

it('is open before', async () => {
  await untilAll(open);
});

it('refuses pages, self-service and other services within a second by the clock of their guards, before every consumer has heard of it', async () => {
  await platform.kill('storage-consumer');
  const accepted = await gateway.post(
    '/api/saas/workspaces/acme/suspend',
    { operationId: 'op-closed-suspend' },
    { prefer: 'wait=0' },
  );
  expect(accepted.status).toBe(202);
  await untilAll(closed);
  expect(await selfService()).toMatchObject({ status: 403, body: { code: 'workspace_closed', access: 'suspended' } });
  await waitsForReceipts('op-closed-suspend');
  expect((await adminState()).access).toMatchObject({ state: 'closed', reason: 'suspended' });
  await platform.restart('storage-consumer');
  expect((await gateway.settled('acme', 'op-closed-suspend')).status).toBe('succeeded');
});

it('stays closed until the last receipt of the reactivation, and opens then', async () => {
  await platform.kill('storage-consumer');
  await gateway.post(
    '/api/saas/workspaces/acme/reactivate',
    { operationId: 'op-closed-reactivate' },
    { prefer: 'wait=0' },
  );
  await waitsForReceipts('op-closed-reactivate');
  // Longer than a guard goes by an answer.
  const watchedUntil = performance.now() + 2 * accessBoundMs;
  while (performance.now() < watchedUntil) {
    for (const ask of Object.values(asks)) expect(refused(await ask())).toBe(true);
    await delay(100);
  }
  await platform.restart('storage-consumer');
  await gateway.settled('acme', 'op-closed-reactivate');
  await untilAll(open);
});

it('refuses every caller while the broker is unreachable, says that it does not know, and goes on when it is back', async () => {
  await platform.kill('nats');
  await untilAll(unknown);
  await platform.restart('nats');
  await untilAll(open);
});
