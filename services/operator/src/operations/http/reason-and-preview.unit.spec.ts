/** What every action accepts besides its values: the reason, and the preview on which the request is based. */
import type { ActionPreview, OperationView } from '@platform/contracts-operator';
import { base, credit, post, setStage, type Stage } from '../../testing/stage';

const upgrade = { operationId: 'op-upgrade-001', planId: 'pro' };

async function previewed(stage: Stage, segment: string, body: object): Promise<ActionPreview> {
  return (await post(stage, `${segment}/preview`, body)).json<ActionPreview>();
}

async function change(stage: Stage): Promise<void> {
  const { subscriptions } = stage.life.ports;
  const read = (await subscriptions.findById('acme'))!;
  await subscriptions.mutate(read, { ...read, workspaceName: `${read.workspaceName}!` });
}

describe('the reason of an action', () => {
  it('is kept with the record and shown; a repeat with another one is the same operation', async () => {
    const stage = await setStage();
    const answer = await post(stage, 'upgrade', { ...upgrade, reason: 'asked for by telephone' });
    expect(answer.json<OperationView>()).toMatchObject({
      reason: 'asked for by telephone',
      values: { planId: 'pro' },
      attempts: [{ actor: { id: 'platform_owner@example.com' } }],
    });
    const repeat = await post(stage, 'upgrade', { ...upgrade, reason: 'another one' });
    expect(repeat.json()).toEqual(answer.json());
  });

  it('of a credit is one of its values, too, and may have 500 characters', async () => {
    const stage = await setStage();
    const reason = 'ä'.repeat(500);
    const answer = await post(stage, 'balance-credit', { ...credit, reason });
    expect(answer.json<OperationView>()).toMatchObject({ status: 'succeeded', reason, values: { reason } });
    for (const wrong of ['', ' ', 'x'.repeat(501)])
      expect((await post(stage, 'suspend', { operationId: 'op-suspend-001', reason: wrong })).status).toBe(400);
  });
});

describe('the view of a failed operation', () => {
  it('has its error at its top, and says until when it may be repeated', async () => {
    const stage = await setStage();
    stage.world.provider.failNext('rate_limited');
    await post(stage, 'balance-credit', credit);
    const read = await stage.gateway.request('GET', `${base}/operations/${credit.operationId}`);
    const { error, retryUntil, createdAt } = read.json<OperationView>();
    expect(error).toMatchObject({ code: 'provider_unavailable' });
    expect(Date.parse(retryUntil!) - Date.parse(createdAt)).toBe(23 * 3_600_000);
  });

  it('has no end of its repeats when its payment was given up, and a repeat says just that', async () => {
    const stage = await setStage();
    stage.world.provider.askForConfirmation('sub_acme');
    expect((await post(stage, 'upgrade', upgrade)).status).toBe(202);
    expect((await post(stage, 'upgrade/give-up', { operationId: 'op-give-up-0001' })).status).toBe(200);
    const read = await stage.gateway.request('GET', `${base}/operations/${upgrade.operationId}`);
    expect(read.json<OperationView>()).toMatchObject({ status: 'failed', error: { code: 'confirmation_expired' } });
    expect(read.json<OperationView>()).not.toHaveProperty('retryUntil');
    const repeated = await post(stage, 'upgrade', upgrade);
    expect([repeated.status, repeated.json<{ code: string }>().code]).toEqual([402, 'confirmation_expired']);
  });
});

describe('the digest of a preview', () => {
  it('that holds lets the action through, also when it is repeated after a failure of its own', async () => {
    const stage = await setStage();
    const { previewDigest } = await previewed(stage, 'upgrade', { planId: 'pro' });
    stage.world.provider.failNext('rate_limited');
    expect((await post(stage, 'upgrade', { ...upgrade, previewDigest })).json()).toMatchObject({
      code: 'provider_unavailable',
    });
    expect((await post(stage, 'upgrade', { ...upgrade, previewDigest })).status).toBe(200);
  });

  it('that does not hold any more refuses the action and its repeat, without any effect', async () => {
    const stage = await setStage();
    const { previewDigest } = await previewed(stage, 'upgrade', { planId: 'pro' });
    await change(stage);
    for (const _repeat of [1, 2])
      expect((await post(stage, 'upgrade', { ...upgrade, previewDigest })).json()).toMatchObject({
        status: 409,
        code: 'preview_outdated',
      });
    expect(stage.world.provider.ledger()).toEqual([]);
  });

  it('fixes the instant of the proration, and is of the figures that the provider says from there', async () => {
    const stage = await setStage();
    const { provider } = stage.world;
    const digest = (await previewed(stage, 'upgrade', { planId: 'pro' })).previewDigest;
    stage.world.clock.advance(60_000);
    provider.seed({ customers: [{ id: 'cus_acme', currency: 'usd', balance: -500 }] });
    expect((await post(stage, 'upgrade', { ...upgrade, previewDigest: digest })).json()).toMatchObject({
      code: 'preview_outdated',
    });
    const { previewDigest } = await previewed(stage, 'upgrade', { planId: 'pro' });
    stage.world.clock.advance(60_000);
    const other = { ...upgrade, operationId: 'op-upgrade-002' };
    expect((await post(stage, 'upgrade', { ...other, previewDigest })).status).toBe(200);
    expect(stage.world.operations().at(-1)?.checkpoint).toMatchObject({ prorationDate: previewDigest.split('.')[1] });
  });

  it('is not taken for outdated while the provider cannot be asked', async () => {
    const stage = await setStage();
    const { previewDigest } = await previewed(stage, 'upgrade', { planId: 'pro' });
    stage.world.provider.setDown(true);
    expect((await post(stage, 'upgrade', { ...upgrade, previewDigest })).json()).toMatchObject({
      code: 'provider_unavailable',
    });
    stage.world.provider.setDown(false);
    expect((await post(stage, 'upgrade', { ...upgrade, previewDigest })).status).toBe(200);
  });

  it('is of these values, and of an action without plans as well', async () => {
    const stage = await setStage();
    const { previewDigest } = await previewed(stage, 'balance-credit', { amountCents: 500, reason: 'outage' });
    expect((await post(stage, 'balance-credit', { ...credit, amountCents: 501, previewDigest })).json()).toMatchObject({
      code: 'preview_outdated',
    });
    const other = { ...credit, operationId: 'op-credit-0002' };
    expect((await post(stage, 'balance-credit', { ...other, previewDigest })).status).toBe(200);
    const { previewDigest: suspension } = await previewed(stage, 'suspend', {});
    expect(
      (await post(stage, 'suspend', { operationId: 'op-suspend-001', previewDigest: suspension })).status,
    ).toBeLessThan(300);
  });
});
