/** Creation of workspaces on the whole platform, as processes: HTTP in, the provider's twin and listener services out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptListSchema } from '@platform/contracts-provisioning';
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { offLineEnvironment, startPlatform, type TestPlatform } from '../../support/platform';
import { runProgram } from '../../support/run-program';
import { openStage, wanted, type CreationStage } from './creation-stage';
import { filesBelow, traces } from './traces-in-files';

const canary = 'canary-9f1c52e7';

let platform: TestPlatform;
let gateway: GatewayClient;
let twin: TwinClient;
let stage: CreationStage | undefined;
let heard: CreationStage['heard'];
let create: CreationStage['create'];
let adminState: CreationStage['adminState'];
let attemptOf: CreationStage['attemptOf'];
let mirrored: CreationStage['mirrored'];
let charges: CreationStage['charges'];
let settledOf: CreationStage['settledOf'];

beforeAll(async () => {
  platform = await startPlatform({ without: ['query-builder'] });
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
  stage = await openStage({ platform, gateway, twin });
  ({ heard, create, adminState, attemptOf, mirrored, charges, settledOf } = stage);
});
afterAll(async () => {
  await stage?.close();
  await platform?.stop();
});

describe('a workspace', () => {
  it('begins with a trial: nothing is charged, listeners and consumers are notified, the gateway mirrors it', async () => {
    const created = await create('ada@example.com', { ...wanted, extras: { note: canary } });
    expect(created).toMatchObject({ status: 201, body: { status: 'committed' } });
    const { tenantId } = created.body;
    expect(await mirrored(tenantId)).toMatchObject({ status: 'trialing', access: { state: 'open' } });
    expect(await charges(tenantId)).toEqual([]);
    expect(heard.find((notice) => notice['tenantId'] === tenantId)).toMatchObject({
      event: 'TENANT_BEING_PROVISIONED',
      extras: { note: canary },
    });
    expect(await attemptOf(tenantId)).toMatchObject({
      status: 'committed',
      trialDays: 14,
      reservations: [
        { kind: 'trial', state: 'reserved' },
        { kind: 'trial', state: 'reserved' },
      ],
    });
    await eventually(async () => (await settledOf(tenantId)).some(({ status }) => status === 'succeeded'), {
      describe: 'the receipt of a consumer for created',
    });
  });

  it('of the same person is paid at once, and charged once', async () => {
    const created = await create('Ada+second@Example.com', wanted);
    expect(created).toMatchObject({ status: 201 });
    expect(await charges(created.body.tenantId)).toHaveLength(1);
    expect(await mirrored(created.body.tenantId)).toMatchObject({ status: 'active' });
    expect((await attemptOf(created.body.tenantId)).trialDays).toBe(0);
  });

  it('is free as often as the card allows', async () => {
    const free = { ...wanted, planId: 'free', paymentMethodId: 'pm_card_mastercard' };
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => create(`free-${at}@example.com`, free)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'capacity_exhausted')).toHaveLength(5);
  });

  it('whose card is declined is taken back, at the provider too', async () => {
    const before = heard.length;
    await create('decliner@example.com', { ...wanted, paymentMethodId: 'pm_card_visa_debit' });
    const declined = await create('decliner@example.com', { ...wanted, paymentMethodId: 'pm_card_chargeCustomerFail' });
    expect(declined).toMatchObject({ status: 402, body: { code: 'card_declined' } });
    const events = heard.slice(before).map((notice) => notice['event']);
    expect(events.at(-1)).toBe('TENANT_DELETED');
    const { tenantId } = heard.at(-1) as { tenantId: string };
    expect(await attemptOf(tenantId)).toMatchObject({ status: 'cancelled', rollback: { code: 'card_declined' } });
    expect(
      (await twin.effects(tenantId)).filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/')[2]),
    ).toEqual(['subscriptions', 'customers']);
    expect((await adminState(tenantId)).status).toBe(404);
  });

  it('whose payment is not known stays, and is committed by reading, with one charge', async () => {
    // The provider's own event would also commit it, at any moment.
    const events = (word: 'hold' | 'release') =>
      fetch(`${platform.twinUrl}/_twin/webhooks/${word}`, { method: 'POST' });
    await events('hold');
    await twin.addFault({
      match: { method: 'POST', path: '/v1/invoices/*/pay' },
      fault: 'lose_answer_after',
      times: 1,
    });
    const answer = await create('ada@example.com', wanted);
    expect(answer).toMatchObject({ status: 202, body: { attempt: { status: 'reconciliation_required' } } });
    const { tenantId } = answer.body;
    const location = `/api/saas/workspaces/${tenantId}/creation`;
    expect(answer.headers.get('location')).toBe(location);
    const askedAgain = async () => {
      const token = await platform.token({ role: 'user', email: 'ada@example.com' });
      return createPatientClient(platform.gatewayUrl, token).get(location);
    };
    expect(await askedAgain()).toMatchObject({ status: 200, body: { outcome: 'not_known' } });
    const unresolved = await gateway.get('/api/saas/workspaces/provisioning-attempts');
    expect(attemptListSchema.parse(unresolved.body)).toMatchObject({
      total: 1,
      attempts: [{ tenantId, status: 'reconciliation_required' }],
    });
    await platform.kill('provisioning');
    await platform.restart('provisioning');
    await eventually(async () => (await attemptOf(tenantId)).status === 'committed', {
      describe: 'the commitment by the reconciliation',
    });
    await events('release');
    expect(await charges(tenantId)).toHaveLength(1);
    expect(await mirrored(tenantId)).toMatchObject({ status: 'active' });
    expect(await askedAgain()).toMatchObject({ status: 200, body: { outcome: 'created' } });
  });
});

describe('a listener of another service', () => {
  const bucketsOf = (tenantId: string) =>
    readFileSync(join(platform.localDir, 'consumers/storage-consumer.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(tenantId))
      .map((line) => (JSON.parse(line) as { effect: string }).effect);

  it('takes part in a creation before it is committed, and in its rollback', async () => {
    const created = await create('buckets@example.com', { ...wanted, extras: { storageRegion: 'eu' } });
    expect(created).toMatchObject({ status: 201 });
    expect(bucketsOf(created.body.tenantId)[0]).toBe('bucket name reserved');
    expect(
      (await attemptOf(created.body.tenantId)).listenerCalls.map(({ listener, outcome }) => [listener, outcome]),
    ).toEqual([
      ['storage', 'done'],
      ['welcome', 'done'],
    ]);
    // This person has had a trial, so the card is charged.
    await create('decliner@example.com', { ...wanted, paymentMethodId: 'pm_card_chargeCustomerFail' });
    const { tenantId } = heard.at(-1) as { tenantId: string };
    expect(bucketsOf(tenantId)).toEqual(['bucket name reserved', 'bucket name released']);
  });

  it('that refuses stops it, before those behind it are asked; its code is shown, and a person ends the attempt', async () => {
    const refused = await create('mars@example.com', {
      ...wanted,
      paymentMethodId: 'pm_card_amex',
      extras: { storageRegion: canary },
    });
    expect(refused).toMatchObject({
      status: 202,
      body: {
        attempt: {
          status: 'reconciliation_required',
          lastError: { code: 'listener_failed', message: expect.stringContaining('storage_region_unknown') },
        },
      },
    });
    const { tenantId } = refused.body;
    expect((await attemptOf(tenantId)).listenerCalls).toMatchObject([{ listener: 'storage', outcome: 'failed' }]);
    expect(heard.some((notice) => notice['tenantId'] === tenantId)).toBe(false);
    expect(await charges(tenantId)).toEqual([]);
    const ops = (...args: string[]) =>
      runProgram(['infra/local/ops.mjs', ...args], { env: offLineEnvironment(platform) });
    const listed = await ops('list', 'provisioning-attempts');
    expect(listed).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/1 of 1 unresolved attempts shown/),
    });
    expect(listed.stdout).toContain(tenantId);
    const shown = await ops('show', 'provisioning-attempt', tenantId);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      status: 'reconciliation_required',
      reservations: [{ heldBecause: expect.stringContaining('investigation'), timeline: [{ what: 'reserved' }] }, {}],
    });
    expect(
      await ops(
        'resolve',
        'provisioning-attempt',
        tenantId,
        '--outcome',
        'applied',
        '--provider-object',
        'in_any',
        '--executor-stopped',
        'its answer was read by this suite',
        '--by',
        'ann@example.com',
        '--yes',
      ),
    ).toMatchObject({ status: 1, stderr: expect.stringContaining('not prepared to its end') });
    expect(
      await ops(
        'resolve',
        'provisioning-attempt',
        tenantId,
        '--outcome',
        'not_applied',
        '--provider-object',
        'none',
        '--executor-stopped',
        'its answer was read by this suite',
        '--by',
        'ann@example.com',
        '--yes',
      ),
    ).toMatchObject({ status: 0, stderr: '' });
    expect(await attemptOf(tenantId)).toMatchObject({
      status: 'cancelled',
      reservations: [{ state: 'not_held' }, { state: 'not_held' }],
    });
    expect((await ops('list', 'provisioning-attempts')).stdout).toContain('0 of 0 unresolved attempts shown');
  });

  it('that is registered and away stops it too: creations fail closed', async () => {
    await platform.kill('storage-consumer');
    const stopped = await create('closed@example.com', wanted);
    expect(stopped).toMatchObject({
      status: 202,
      body: { attempt: { status: 'reconciliation_required', lastError: { code: 'listener_failed' } } },
    });
    expect(await charges(stopped.body.tenantId)).toEqual([]);
    await platform.restart('storage-consumer');
    expect(await create('open@example.com', wanted)).toMatchObject({ status: 201 });
  });
});

describe('a bad request', () => {
  it.each([
    ['an unknown field', { force: true }, '/force'],
    ['extras that are a list', { extras: [] }, '/extras'],
    ['extras that are too deep', { extras: { a: { b: { c: { d: { e: 1 } } } } } }, '/extras'],
    ['extras that are too large', { extras: { text: 'x'.repeat(4_096) } }, '/extras'],
    ['no name', { workspaceName: '  ' }, '/workspaceName'],
    ['a country that is none', { billingProfile: { name: 'x', country: 'England' } }, '/billingProfile/country'],
    ['a card number for a payment method', { paymentMethodId: '4242 4242 4242 4242' }, '/paymentMethodId'],
  ])('with %s is refused with a pointer', async (_what, change, pointer) => {
    const refused = await create('bad@example.com', { ...wanted, ...change });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body.errors.map((error) => error.pointer)).toContain(pointer);
  });

  it('of a plan or card that does not exist, or without a token, begins nothing', async () => {
    expect(await create('bad@example.com', { ...wanted, planId: 'nothing' })).toMatchObject({
      status: 409,
      body: { code: 'plan_not_available' },
    });
    expect(await create('bad@example.com', { ...wanted, paymentMethodId: 'pm_absent' })).toMatchObject({
      status: 422,
      body: { code: 'payment_method_not_usable' },
    });
    expect(
      await createPatientClient(platform.gatewayUrl, 'nonsense').post('/api/saas/workspaces', wanted),
    ).toMatchObject({ status: 401 });
    const user = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'user' }));
    expect(await user.get('/api/saas/workspaces/provisioning-attempts')).toMatchObject({ status: 403 });
  });
});

describe('extras', () => {
  it('are in no file that the platform wrote: no database, no stream, no log', async () => {
    await create('canary@example.com', { ...wanted, extras: { note: canary } });
    expect(heard.some((notice) => JSON.stringify(notice).includes(canary))).toBe(true);
    const files = filesBelow(platform.localDir);
    expect(files.length).toBeGreaterThan(5);
    const found = (text: string) => files.flatMap((file) => traces(file, text));
    expect(found('Fresh').length).toBeGreaterThan(0);
    expect(found(canary)).toEqual([]);
  });
});
