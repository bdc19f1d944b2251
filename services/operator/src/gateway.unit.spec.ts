/** The documented answers of the mutations, what an owner reads, and the plan catalog, through HTTP. */
import { deliverSettlements } from './testing/operator-history';
import { withPendingChange } from './testing/operator-world';
import { base, credit, post, setStage } from './testing/stage';
import { operationKey } from './operations/workflows/operation-key';

describe('an answer of the gateway', () => {
  it('to an unfinished operation is 202 with its address, and then 200 from the record', async () => {
    const stage = await setStage();
    const started = await post(stage, 'suspend', { operationId: 'op-suspend-001' }, { prefer: 'wait=0' });
    expect(started.status).toBe(202);
    expect(started.headers['location']).toBe(`${base}/operations/op-suspend-001`);
    await deliverSettlements(stage.world, stage.life);
    expect((await post(stage, 'suspend', { operationId: 'op-suspend-001' })).status).toBe(200);
  });

  it('to an unknown outcome links to the evidence and lists both proofs', async () => {
    const stage = await setStage();
    stage.world.provider.failNext('timeout_after_effect');
    expect((await post(stage, 'balance-credit', credit)).json()).toMatchObject({
      operationId: credit.operationId,
      evidence: `${base}/operations/${credit.operationId}/evidence`,
      reconciliationRequirements: [{ proof: 'executor_quiescent' }, { proof: 'external_outcome_known' }],
    });
  });

  it('about an operation that an executor still tries to record is not that there is none', async () => {
    const { gateway, life } = await setStage();
    const never = new Promise<never>(() => undefined);
    void life.ports.work.run(operationKey('op-unrecorded-1'), () => never);
    const read = (id: string, role?: 'user') =>
      gateway.request('GET', `${base}/operations/${id}`, role === undefined ? {} : { role });
    expect((await read('op-unrecorded-1')).json()).toMatchObject({
      code: 'store_unavailable',
      detail: expect.stringContaining('do not choose a new id') as string,
    });
    expect((await read('op-unrecorded-1', 'user')).status).toBe(404);
    expect((await read('op-unrecorded-2')).status).toBe(404);
  });

  it('to the wish to keep a subscription that has ended does not say that it goes on', async () => {
    const { gateway, world } = await setStage();
    // The mirror has not learnt of it yet.
    world.provider.seed({ subscriptions: [{ id: 'sub_acme', customerId: 'cus_acme', status: 'canceled' }] });
    const body = { operationId: 'op-keep-000001' };
    const answer = await gateway.request('DELETE', `${base}/cancellation`, { role: 'user', body });
    expect(answer.json()).toMatchObject({
      code: 'no_pending_end',
      detail: expect.stringContaining('or has ended already') as string,
    });
  });

  it('says when to come back where coming back helps', async () => {
    const stage = await setStage();
    stage.world.provider.setDown(true);
    expect((await post(stage, 'balance-credit', credit)).headers['retry-after']).toBe('5');
  });

  it('to a repeated grant is the stored one, also after its date has passed; a first one must lie in the future', async () => {
    const stage = await setStage();
    const grant = { operationId: 'op-grant-00001', planId: 'pro', freeUntil: '2026-01-01T01:00:00Z' };
    expect((await post(stage, 'grant-free-access', grant)).status).toBe(200);
    stage.world.clock.advance(7_200_000);
    expect((await post(stage, 'grant-free-access', grant)).status).toBe(200);
    expect((await post(stage, 'grant-free-access', { ...grant, operationId: 'op-grant-00002' })).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/freeUntil' }],
    });
  });

  it('while the store is unreachable is 503 and changes nothing', async () => {
    const stage = await setStage();
    await post(stage, 'balance-credit', { ...credit, operationId: 'op-credit-0000' });
    stage.world.store.setAvailable(false);
    expect((await post(stage, 'balance-credit', credit)).json()).toMatchObject({ code: 'store_unavailable' });
    stage.world.store.setAvailable(true);
    expect(stage.world.operations()).toHaveLength(1);
    expect((await post(stage, 'balance-credit', credit)).status).toBe(200);
  });
});

describe('a workspace owner', () => {
  it('reads the operations that workspace owners started, and no others', async () => {
    const stage = await setStage();
    await withPendingChange(stage.world);
    await post(stage, 'balance-credit', credit);
    const read = (id: string) => stage.gateway.request('GET', `${base}/operations/${id}`, { role: 'user' });
    expect((await read('op-before-00001')).status).toBe(200);
    expect((await read(credit.operationId)).status).toBe(404);
    expect(
      (
        await stage.gateway.request('POST', `${base}/suspend`, {
          role: 'user',
          body: { operationId: 'op-suspend-001' },
        })
      ).status,
    ).toBe(403);
  });
});

describe('the plan catalog', () => {
  const plan = { name: 'Team', amountCents: 7_900, currency: 'usd', priceId: 'price_team', offered: true };
  const monthly = { unitAmount: 7_900, currency: 'usd', interval: 'month', intervalCount: 1 } as const;
  const archived = { ...monthly, id: 'price_archived', active: false };

  it('takes a new plan, changes what may change, and refuses to change money', async () => {
    const { gateway, world } = await setStage();
    world.provider.seed({ priceIds: ['price_team'], amounts: { price_team: 7_900 } });
    expect((await gateway.request('PUT', '/api/saas/plans/team', { body: plan })).status).toBe(201);
    expect(
      (await gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, offered: false } })).json(),
    ).toMatchObject({ planId: 'team', offered: false });
    expect(
      (await gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, amountCents: 8_900 } })).json(),
    ).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/amountCents' }] });
    expect(
      (await gateway.request('PUT', '/api/saas/plans/lost', { body: { ...plan, priceId: undefined } })).json(),
    ).toMatchObject({ errors: [{ pointer: '/priceId' }] });
    expect(
      (await gateway.request('GET', '/api/saas/plans'))
        .json<{ plans: { planId: string }[] }>()
        .plans.map(({ planId }) => planId),
    ).toEqual(['free', 'legacy', 'pro', 'starter', 'team']);
  });

  it.each([
    ['of another amount', { amountCents: 790 }, '/amountCents', 'is 79.00 USD: subscribers pay it'],
    ['in another currency', { currency: 'eur' }, '/currency', 'is 79.00 USD: subscribers pay it'],
    ['whose id no price has', { priceId: `price_${'x'.repeat(123)}` }, '/priceId', "the id of the provider's price"],
    ['that the provider does not have', { priceId: 'price_typo' }, '/priceId', 'has no price price_typo'],
    ['that is inactive there', { priceId: 'price_archived' }, '/priceId', 'price_archived is inactive there'],
  ])('refuses a new plan at a price %s', async (_what, wrong, pointer, message) => {
    const { gateway, world } = await setStage();
    world.provider.seed({ priceIds: ['price_team'], amounts: { price_team: 7_900 }, prices: [archived] });
    const answer = await gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, ...wrong } });
    expect(answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer, message: expect.stringContaining(message) as string }],
    });
  });

  it('puts no plan back on sale at a price that has become inactive, unless the provider cannot be asked', async () => {
    const { gateway, world } = await setStage();
    const put = (offered: boolean) => gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, offered } });
    const seed = (active: boolean) => world.provider.seed({ prices: [{ ...archived, id: 'price_team', active }] });
    seed(true);
    expect((await put(true)).status).toBe(201);
    seed(false);
    expect((await put(true)).status).toBe(200);
    expect((await put(false)).status).toBe(200);
    expect((await put(true)).json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/priceId' }] });
    world.provider.setDown(true);
    expect((await put(true)).status).toBe(200);
  });

  it('writes no new plan while the provider cannot be asked for its price, and renames those that exist', async () => {
    const { gateway, world } = await setStage();
    world.provider.setDown(true);
    const put = (planId: string, body: object) => gateway.request('PUT', `/api/saas/plans/${planId}`, { body });
    expect((await put('team', plan)).json()).toMatchObject({ code: 'provider_unavailable' });
    const starter = { name: 'Start', amountCents: 1_900, currency: 'usd', priceId: 'price_starter', offered: true };
    expect((await put('starter', starter)).status).toBe(200);
  });
});
