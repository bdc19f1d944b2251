/**
 * docs/tutorials/production.md from an empty platform to the first paid workspace: the webhook endpoint by the command,
 * a plan with a price of the provider, a workspace that existed before, and a creation that is charged. `npm run
 * containers` runs the steps that need images or real servers.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookPath } from '@platform/contracts-billing-webhook';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient } from '../../../infra/local/demo/twin-client';
import { seededMarker } from '../../../infra/local/infrastructure-parts';
import { portOffsets } from '../../../infra/local/settings';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment, startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';

/** Nothing serves before the receiver has its secret. */
const allServices = [
  ...['operator', 'provisioning', 'billing-webhook', 'lifecycle-delivery', 'query-builder'],
  ...['storage-consumer', 'search-index-consumer'],
];
const folder = mkdtempSync(join(tmpdir(), 'first-day-'));
let platform: TestPlatform;
let gateway: GatewayClient;

const file = (name: string): string => join(folder, name);
const key = (): string =>
  (JSON.parse(readFileSync(file('secrets.json'), 'utf8')) as { providerKey: string }).providerKey;
const start = async (without: readonly string[], portBase?: number): Promise<void> => {
  platform = await startPlatform({ ...(portBase && { portBase }), localDir: folder, without });
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
};
const ops = (...args: string[]) =>
  runProgram(['dist/infra/ops/main.js', ...args], {
    env: { ...offLineEnvironment(platform), STRIPE_SECRET_KEY: key() },
  });

/** A request of a person with the secret key at the provider. */
async function atProvider(path: string, form: Readonly<Record<string, string>>): Promise<{ id: string }> {
  const answer = await fetch(`${platform.twinUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string };
}

beforeAll(async () => {
  // Keeps the samples of a development machine out, so that no plan and no workspace exists.
  writeFileSync(file(seededMarker), '{}');
  await start(allServices);
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the first day', () => {
  let priceId: string;

  it('makes the webhook endpoint, whose secret is the receiver’s from then on', async () => {
    const url = `http://127.0.0.1:${platform.portBase + portOffsets.billingWebhook}${webhookPath}`;
    const made = await ops('setup', 'stripe', '--url', url, '--apply', '--secret-file', file('webhook-secret'));
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const { portBase } = platform;
    await platform.stop();
    const secrets = JSON.parse(readFileSync(file('secrets.json'), 'utf8')) as object;
    const webhookSecret = readFileSync(file('webhook-secret'), 'utf8');
    writeFileSync(file('secrets.json'), JSON.stringify({ ...secrets, webhookSecret }));
    await start(['query-builder'], portBase);
    expect(await ops('setup', 'stripe', '--url', url)).toMatchObject({ status: 0 });
  });

  it('sells a plan at a price of the provider', async () => {
    const product = await atProvider('/v1/products', { name: 'Team' });
    const price = { currency: 'usd', unit_amount: '7900', 'recurring[interval]': 'month', product: product.id };
    priceId = (await atProvider('/v1/prices', price)).id;
    expect((await gateway.get<{ plans: unknown[] }>('/api/saas/plans')).body.plans).toEqual([]);
    const plan = { name: 'Team', amountCents: 7_900, currency: 'usd', priceId, offered: true };
    expect(await gateway.put('/api/saas/plans/team', plan)).toMatchObject({ status: 201 });
  });

  it('takes a workspace over that existed before, as the provider has it', async () => {
    const customer = await atProvider('/v1/customers', { email: 'old@example.com', payment_method: 'pm_card_visa' });
    const methods = { customer: customer.id, 'items[0][price]': priceId, trial_period_days: '30' };
    const subscription = await atProvider('/v1/subscriptions', methods);
    const workspace = {
      tenantId: 'old-co',
      workspaceName: 'Old Co',
      planId: 'team',
      owner: { userId: 'old', email: 'old@example.com' },
      customerId: customer.id,
      subscriptionId: subscription.id,
    };
    const write = (value: object) => writeFileSync(file('workspaces.json'), JSON.stringify({ workspaces: [value] }));
    const by = ['--by', 'ann@example.com'];
    const run = (...args: string[]) => ops('import', 'workspaces', file('workspaces.json'), ...args);
    write({ ...workspace, customerId: 'cus_other' });
    expect(await run('--apply', ...by)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(customer.id) as string,
    });
    write(workspace);
    expect((await run()).stdout).toContain('1 would be written');
    expect((await gateway.get('/api/saas/workspaces/old-co')).status).toBe(404);
    expect(await run('--apply', ...by)).toMatchObject({ status: 0, stdout: '1 written, 0 existed already.\n' });
    expect(await run('--apply', ...by)).toMatchObject({ status: 0, stdout: '0 written, 1 existed already.\n' });
    const read = await gateway.get('/api/saas/workspaces/old-co');
    expect(read).toMatchObject({
      status: 200,
      body: { workspace: { tenantId: 'old-co', status: 'trialing', planId: 'team' } },
    });
  });

  it('creates a workspace that pays, and hears of it from the provider', async () => {
    const token = await platform.token({ role: 'user', email: 'ada@example.com' });
    const user = createPatientClient(platform.gatewayUrl, token);
    const body = {
      workspaceName: 'First',
      planId: 'team',
      paymentMethodId: 'pm_card_visa',
      billingProfile: { name: 'Ada', country: 'GB' },
    };
    // The first one is on trial, and a card has one trial.
    expect(await user.post('/api/saas/workspaces', body)).toMatchObject({ status: 201 });
    const paid = await user.post<{ tenantId: string }>('/api/saas/workspaces', { ...body, workspaceName: 'Paid' });
    expect(paid).toMatchObject({ status: 201 });
    const { tenantId } = paid.body;
    const twin = createTwinClient(platform.twinUrl, key());
    const charged = await twin.effects(`workspace-created:${tenantId}`);
    expect(charged.filter(({ path }) => path.endsWith('/pay'))).toHaveLength(1);
    await eventually(
      async () => /invoice\.paid/.test((await ops('list', 'webhook-events', '--result', 'success')).stdout),
      { describe: 'the payment, as the provider announced it' },
    );
  });
});
