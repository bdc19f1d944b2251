/** What every payment provider behind the port does, real or fake; a fake that fails here is not a fake. */
import { checkoutFeatures } from './checkout.features';
import { creationFeatures } from './creation.features';
import { providerFault, type ProviderFaultKind } from './fake/provider-faults';
import type { CallIntent, PaymentProvider, PreparedCall, ProviderSubscription } from './port';

export interface ProviderHarness {
  readonly provider: PaymentProvider;
  /** A fresh customer without a fixed currency, and its active subscription on `priceIds.starter`. */
  addWorkspace(): Promise<{ readonly customerId: string; readonly subscriptionId: string; readonly itemId: string }>;
  /** A subscription whose next charge is declined. */
  addDecliningWorkspace(): Promise<{ readonly subscriptionId: string; readonly itemId: string }>;
  readonly priceIds: { readonly starter: string; readonly pro: string };
  /** Effects of an operation, from the provider's own ledger. */
  effects(
    operationId: string,
  ): Promise<
    readonly { readonly path: string; readonly idempotencyKey: string | null; readonly objectId: string | null }[]
  >;
  /** The next mutation meets the fault. */
  failNext(kind: ProviderFaultKind): Promise<void>;
  /** The person pays on the page of an open session, or lets it expire. */
  completeCheckout(sessionId: string): Promise<void>;
  expireCheckout(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** Faults that every harness can bring about. */
const sharedFaults: readonly ProviderFaultKind[] = [
  'rate_limited',
  'server_error',
  'server_error_after_effect',
  'lost_answer_before_effect',
  'lost_answer_after_effect',
];

let operations = 0;

function newIntent(step: string): CallIntent {
  operations += 1;
  return { operationId: `op-feature-${operations}`, step };
}

async function valueOf<T>(call: PreparedCall<T>): Promise<T> {
  const answer = await call.send();
  if (answer.outcome !== 'succeeded') throw new Error(`expected success, got ${JSON.stringify(answer)}`);
  return answer.value;
}

type Opened = () => ProviderHarness;

/** The suite. `open` runs once; every test works on objects of its own. */
export function paymentProviderFeatures(name: string, open: () => Promise<ProviderHarness>): void {
  describe(name, () => {
    let harness: ProviderHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());
    subscriptionFeatures(() => harness);
    endingFeatures(() => harness);
    scheduleFeatures(() => harness);
    balanceFeatures(() => harness);
    idempotencyFeatures(() => harness);
    faultFeatures(() => harness);
    readFeatures(() => harness);
    creationFeatures(() => harness);
    checkoutFeatures(() => harness);
  });
}

function subscriptionFeatures(opened: Opened): void {
  it('pauses and resumes collection, and marks the subscription with the operation', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const [pause, resume] = [newIntent('pause-collection'), newIntent('resume-collection')];
    const paused = await valueOf(provider.pauseCollection(pause, subscriptionId));
    expect(paused).toMatchObject({ id: subscriptionId, status: 'active', collectionPaused: true, metadata: pause });
    expect(await valueOf(provider.resumeCollection(resume, subscriptionId))).toMatchObject({
      collectionPaused: false,
      metadata: resume,
    });
    for (const { operationId, step } of [pause, resume]) {
      expect(await effects(operationId)).toMatchObject([
        {
          path: `/v1/subscriptions/${subscriptionId}`,
          idempotencyKey: `${operationId}:${step}`,
          objectId: subscriptionId,
        },
      ]);
    }
  });

  it('changes the price of the one item', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addWorkspace();
    const changed = await valueOf(
      provider.changePrice(newIntent('change-price'), { subscriptionId, itemId, priceId: priceIds.pro }),
    );
    expect(changed).toMatchObject({ itemId, priceId: priceIds.pro });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      outcome: 'succeeded',
      value: { priceId: priceIds.pro },
    });
  });

  it('previews what a change of price would invoice at once, and changes nothing by asking', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, itemId, customerId } = await addWorkspace();
    const dearer = await provider.previewPriceChange({ subscriptionId, itemId, priceId: priceIds.pro });
    if (dearer.outcome !== 'succeeded') throw new Error(`no preview: ${JSON.stringify(dearer)}`);
    expect(dearer.value).toMatchObject({ subscriptionId, currency: 'usd' });
    expect(dearer.value.total).toBeGreaterThan(0);
    expect(dearer.value.total).toBeLessThanOrEqual(3_000);
    expect(dearer.value.amountDue).toBe(dearer.value.total);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      outcome: 'succeeded',
      value: { priceId: priceIds.starter },
    });
    expect(await provider.listBalanceTransactions(customerId)).toEqual({ outcome: 'succeeded', value: [] });
    await valueOf(provider.changePrice(newIntent('change-price'), { subscriptionId, itemId, priceId: priceIds.pro }));
    const cheaper = await provider.previewPriceChange({ subscriptionId, itemId, priceId: priceIds.starter });
    expect(cheaper.outcome === 'succeeded' && cheaper.value.total).toBeLessThan(0);
  });

  it('has no preview for subscriptions, items and prices that it does not know', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addWorkspace();
    const unknowns = [
      { subscriptionId: 'sub_absent', itemId, priceId: priceIds.pro },
      { subscriptionId, itemId: 'si_absent', priceId: priceIds.pro },
      { subscriptionId, itemId, priceId: 'price_absent' },
    ];
    for (const unknown of unknowns)
      expect(await provider.previewPriceChange(unknown)).toMatchObject({ outcome: 'failed', code: 'not_found' });
  });

  it('refuses unknown subscriptions, items and prices, and does nothing', async () => {
    const { provider, addWorkspace, priceIds, effects } = opened();
    const { subscriptionId, itemId } = await addWorkspace();
    const refused = { outcome: 'failed', code: 'provider_refused', evidence: { phase: 'response_read' } };
    expect(await provider.pauseCollection(newIntent('pause-collection'), 'sub_absent').send()).toMatchObject({
      ...refused,
      evidence: { httpStatus: 404 },
    });
    const wrongs = [
      { itemId: 'si_absent', priceId: priceIds.pro },
      { itemId, priceId: 'price_absent' },
    ];
    for (const wrong of wrongs) {
      const intent = newIntent('change-price');
      expect(await provider.changePrice(intent, { subscriptionId, ...wrong }).send()).toMatchObject(refused);
      expect(await effects(intent.operationId)).toEqual([]);
    }
  });
}

function endingFeatures(opened: Opened): void {
  it('ends a subscription at the end of its period, or now', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const [later, now] = [newIntent('cancel_at_period_end'), newIntent('cancel_now')];
    expect(await valueOf(provider.cancelAtPeriodEnd(later, subscriptionId))).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      metadata: later,
    });
    expect(await valueOf(provider.cancelNow(now, subscriptionId))).toMatchObject({
      id: subscriptionId,
      status: 'canceled',
    });
    expect(await effects(later.operationId)).toHaveLength(1);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      outcome: 'succeeded',
      value: { status: 'canceled' },
    });
  });

  it('executes every request to end a subscription: no key replays it', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const intent = newIntent('cancel_now');
    await valueOf(provider.cancelNow(intent, subscriptionId));
    expect(await provider.cancelNow(intent, subscriptionId).send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
      detail: { reason: 'not_found' },
    });
    expect((await effects(intent.operationId)).length).toBeLessThanOrEqual(1);
  });

  it('refuses to end what has ended, or what the provider does not know', async () => {
    const { provider, addWorkspace } = opened();
    const { subscriptionId } = await addWorkspace();
    await valueOf(provider.cancelNow(newIntent('cancel_now'), subscriptionId));
    expect(await provider.cancelNow(newIntent('cancel_now'), subscriptionId).send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
    });
    expect(await provider.cancelNow(newIntent('cancel_now'), 'sub_nobody').send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
      detail: { reason: 'not_found' },
    });
  });
}

function scheduleFeatures(opened: Opened): void {
  it('schedules another price for the end of the period, and lets it go again', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, customerId } = await addWorkspace();
    const made = await valueOf(provider.createSchedule(newIntent('create_schedule'), subscriptionId));
    expect(made).toMatchObject({ status: 'active', subscriptionId, phases: [{ priceId: priceIds.starter }] });
    const intent = newIntent('schedule_price');
    const scheduled = await valueOf(
      provider.schedulePrice(intent, { scheduleId: made.id, current: made.phases[0]!, priceId: priceIds.pro }),
    );
    expect(scheduled).toMatchObject({
      id: made.id,
      metadata: intent,
      phases: [
        { priceId: priceIds.starter, endDate: made.phases[0]!.endDate },
        { priceId: priceIds.pro, startDate: made.phases[0]!.endDate },
      ],
    });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      value: { scheduleId: made.id, priceId: priceIds.starter },
    });
    expect(await provider.listSchedules(customerId)).toMatchObject({ outcome: 'succeeded', value: [{ id: made.id }] });
    expect(await valueOf(provider.releaseSchedule(newIntent('release_schedule'), made.id))).toMatchObject({
      status: 'released',
      subscriptionId: null,
    });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      value: { scheduleId: null, priceId: priceIds.starter },
    });
  });

  it('refuses a second schedule, an unknown price, and a direct end of a managed subscription', async () => {
    const { provider, addWorkspace } = opened();
    const { subscriptionId } = await addWorkspace();
    const made = await valueOf(provider.createSchedule(newIntent('create_schedule'), subscriptionId));
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await provider.createSchedule(newIntent('create_schedule'), subscriptionId).send()).toMatchObject(refused);
    expect(
      await provider
        .schedulePrice(newIntent('schedule_price'), {
          scheduleId: made.id,
          current: made.phases[0]!,
          priceId: 'price_nobody',
        })
        .send(),
    ).toMatchObject(refused);
    expect(await provider.cancelAtPeriodEnd(newIntent('cancel_at_period_end'), subscriptionId).send()).toMatchObject(
      refused,
    );
    await valueOf(provider.releaseSchedule(newIntent('release_schedule'), made.id));
    expect(await provider.releaseSchedule(newIntent('release_schedule'), made.id).send()).toMatchObject(refused);
  });
}

function balanceFeatures(opened: Opened): void {
  it('credits the balance and fixes the currency of the customer', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent('credit');
    const first = await valueOf(
      provider.createBalanceTransaction(intent, { customerId, amount: -500, currency: 'usd', description: 'goodwill' }),
    );
    expect(first).toMatchObject({ customerId, amount: -500, currency: 'usd', endingBalance: -500, metadata: intent });
    const second = await valueOf(
      provider.createBalanceTransaction(newIntent('credit'), {
        customerId,
        amount: 200,
        currency: 'usd',
        description: 'correction',
      }),
    );
    expect(second.endingBalance).toBe(-300);
    expect(await provider.retrieveCustomer(customerId)).toMatchObject({
      outcome: 'succeeded',
      value: { id: customerId, deleted: false, currency: 'usd', balance: -300 },
    });
    expect(await effects(intent.operationId)).toMatchObject([{ objectId: first.id }]);
  });

  it('refuses a second currency and an unknown customer', async () => {
    const { provider, addWorkspace } = opened();
    const { customerId } = await addWorkspace();
    await valueOf(
      provider.createBalanceTransaction(newIntent('credit'), {
        customerId,
        amount: -1,
        currency: 'usd',
        description: 'a',
      }),
    );
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(
      await provider
        .createBalanceTransaction(newIntent('credit'), { customerId, amount: -1, currency: 'eur', description: 'b' })
        .send(),
    ).toMatchObject(refused);
    expect(
      await provider
        .createBalanceTransaction(newIntent('credit'), {
          customerId: 'cus_absent',
          amount: -1,
          currency: 'usd',
          description: 'c',
        })
        .send(),
    ).toMatchObject(refused);
  });
}

function idempotencyFeatures(opened: Opened): void {
  const credit = (provider: PaymentProvider, intent: CallIntent, customerId: string, amount = -500) =>
    provider.createBalanceTransaction(intent, { customerId, amount, currency: 'usd', description: 'goodwill' });

  it('answers the same call under the same key with the same object, and does it once', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent('credit');
    const first = await valueOf(credit(provider, intent, customerId));
    expect(await valueOf(credit(provider, intent, customerId))).toEqual(first);
    expect(await effects(intent.operationId)).toHaveLength(1);
  });

  it('answers unknown when the key was used with another payload or another endpoint', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId, subscriptionId } = await addWorkspace();
    const intent = newIntent('credit');
    await valueOf(credit(provider, intent, customerId));
    expect((await credit(provider, intent, customerId, -501).send()).outcome).toBe('unknown');
    expect((await provider.pauseCollection(intent, subscriptionId).send()).outcome).toBe('unknown');
    expect(await effects(intent.operationId)).toHaveLength(1);
  });

  it('keeps a refusal under the key: other values need another key', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent('credit');
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await credit(provider, intent, 'cus_absent').send()).toMatchObject(refused);
    expect(await credit(provider, intent, 'cus_absent').send()).toMatchObject(refused);
    expect((await credit(provider, intent, customerId).send()).outcome).toBe('unknown');
    expect(await effects(intent.operationId)).toEqual([]);
  });

  it('replays a declined card under the key, and keeps the old price', async () => {
    const { provider, addDecliningWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addDecliningWorkspace();
    const intent = newIntent('change-price');
    const change = () => provider.changePrice(intent, { subscriptionId, itemId, priceId: priceIds.pro }).send();
    const declined = { outcome: 'failed', code: 'card_declined', evidence: { httpStatus: 402 } };
    expect(await change()).toMatchObject(declined);
    expect(await change()).toMatchObject(declined);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({ value: { priceId: priceIds.starter } });
  });
}

function faultFeatures(opened: Opened): void {
  it.each(sharedFaults)('classifies %s, has its effect or not, and never has it twice', async (kind) => {
    const { provider, addWorkspace, effects, failNext } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent('credit');
    const send = () =>
      provider
        .createBalanceTransaction(intent, { customerId, amount: -500, currency: 'usd', description: 'goodwill' })
        .send();
    const { outcome, code, effect, exchange, keptUnderKey } = providerFault(kind);
    await failNext(kind);
    const answer = await send();
    expect(answer).toMatchObject({ outcome, ...(code !== undefined && { code }), evidence: { phase: exchange.phase } });
    const done = (await effects(intent.operationId)).length;
    expect(done).toBe(effect === 'done' ? 1 : 0);
    expect((await send()).outcome).toBe(keptUnderKey ? 'unknown' : 'succeeded');
    expect(await effects(intent.operationId)).toHaveLength(keptUnderKey ? done : 1);
  });
}

function readFeatures(opened: Opened): void {
  it('lists balance transactions of one customer, newest first', async () => {
    const { provider, addWorkspace } = opened();
    const [mine, other] = [await addWorkspace(), await addWorkspace()];
    for (const amount of [-1, -2, -3])
      await valueOf(
        provider.createBalanceTransaction(newIntent('credit'), {
          customerId: mine.customerId,
          amount,
          currency: 'usd',
          description: 'x',
        }),
      );
    const list = await provider.listBalanceTransactions(mine.customerId);
    expect(list).toMatchObject({ outcome: 'succeeded', value: [{ amount: -3 }, { amount: -2 }, { amount: -1 }] });
    expect(await provider.listBalanceTransactions(other.customerId)).toEqual({ outcome: 'succeeded', value: [] });
  });

  it('lists the subscriptions of one customer', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { customerId, subscriptionId, itemId } = await addWorkspace();
    const expected: Partial<ProviderSubscription> = {
      id: subscriptionId,
      customerId,
      itemId,
      status: 'active',
      priceId: priceIds.starter,
      collectionPaused: false,
      cancelAtPeriodEnd: false,
    };
    expect(await provider.listSubscriptions(customerId)).toMatchObject({ outcome: 'succeeded', value: [expected] });
  });

  it('says not_found for ids that it does not know', async () => {
    const { provider } = opened();
    const notFound = { outcome: 'failed', code: 'not_found' };
    expect(await provider.retrieveCustomer('cus_absent')).toMatchObject(notFound);
    expect(await provider.retrieveSubscription('sub_absent')).toMatchObject(notFound);
    expect(await provider.listBalanceTransactions('cus_absent')).toMatchObject(notFound);
  });
}
