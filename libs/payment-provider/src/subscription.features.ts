/**
 * How every payment provider handles a subscription: its collection, its price and its end; part of the suite behind
 * the port.
 */
import { newIntent, valueOf, type Opened } from './payment-provider.harness';

export function subscriptionFeatures(opened: Opened): void {
  it('pauses and resumes collection, and marks the subscription with the operation', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const [pause, resume] = [newIntent(), newIntent()];
    const paused = await valueOf(provider.prepare(pause, { step: 'pause_collection', subscriptionId }));
    expect(paused).toMatchObject({
      id: subscriptionId,
      status: 'active',
      collectionPaused: true,
      metadata: { ...pause, step: 'pause_collection' },
    });
    expect(await valueOf(provider.prepare(resume, { step: 'resume_collection', subscriptionId }))).toMatchObject({
      collectionPaused: false,
      metadata: { ...resume, step: 'resume_collection' },
    });
    for (const [{ operationId }, step] of [
      [pause, 'pause_collection'],
      [resume, 'resume_collection'],
    ] as const) {
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
      provider.prepare(newIntent(), { step: 'change_price', subscriptionId, itemId, priceId: priceIds.pro }),
    );
    expect(changed).toMatchObject({ itemId, priceId: priceIds.pro });
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      outcome: 'succeeded',
      value: { priceId: priceIds.pro },
    });
  });

  it('leaves the price as it is where the holder must confirm, and says so', async () => {
    const { provider, addAskingWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addAskingWorkspace();
    const change = { subscriptionId, itemId, priceId: priceIds.pro };
    expect(await provider.prepare(newIntent(), { step: 'change_price', ...change }).send()).toMatchObject({
      outcome: 'failed',
      code: 'authentication_required',
    });
    const found = await provider.retrieveSubscription(subscriptionId);
    expect(found).toMatchObject({ outcome: 'succeeded', value: { priceId: priceIds.starter } });
    expect(found).not.toHaveProperty('value.pendingUpdate');
  });

  it('holds a change of price until its payment is confirmed', async () => {
    const { provider, addAskingWorkspace, confirmPayment, priceIds } = opened();
    const { subscriptionId, itemId } = await addAskingWorkspace();
    const held = await valueOf(
      provider.prepare(newIntent(), { step: 'hold_price_change', subscriptionId, itemId, priceId: priceIds.pro }),
    );
    expect(held).toMatchObject({
      priceId: priceIds.starter,
      status: 'active',
      pendingUpdate: { priceId: priceIds.pro, expiresAt: expect.any(Date) as Date },
      invoice: { status: 'open', hostedUrl: expect.stringMatching(/^https?:/) as string },
    });
    await confirmPayment(held.invoice!.id);
    const changed = await provider.retrieveSubscription(subscriptionId);
    expect(changed).toMatchObject({ outcome: 'succeeded', value: { priceId: priceIds.pro, status: 'active' } });
    expect(changed).not.toHaveProperty('value.pendingUpdate');
    expect(await provider.retrieveInvoice(held.invoice!.id)).toMatchObject({ value: { status: 'paid' } });
  });

  it('drops a held change, and voids its invoice, when no payer confirms it', async () => {
    const { provider, addAskingWorkspace, giveUpPayment, priceIds } = opened();
    const { subscriptionId, itemId } = await addAskingWorkspace();
    const held = await valueOf(
      provider.prepare(newIntent(), { step: 'hold_price_change', subscriptionId, itemId, priceId: priceIds.pro }),
    );
    await giveUpPayment(held.invoice!.id);
    const left = await provider.retrieveSubscription(subscriptionId);
    expect(left).toMatchObject({ outcome: 'succeeded', value: { priceId: priceIds.starter } });
    expect(left).not.toHaveProperty('value.pendingUpdate');
    expect(await provider.retrieveInvoice(held.invoice!.id)).toMatchObject({ value: { status: 'void' } });
  });

  it('changes the price at once where a held change can be paid', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addWorkspace();
    const changed = await valueOf(
      provider.prepare(newIntent(), { step: 'hold_price_change', subscriptionId, itemId, priceId: priceIds.pro }),
    );
    expect(changed).toMatchObject({ priceId: priceIds.pro, invoice: { status: 'paid' } });
    expect(changed).not.toHaveProperty('pendingUpdate');
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
    await valueOf(
      provider.prepare(newIntent(), { step: 'change_price', subscriptionId, itemId, priceId: priceIds.pro }),
    );
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
    expect(
      await provider.prepare(newIntent(), { step: 'pause_collection', subscriptionId: 'sub_absent' }).send(),
    ).toMatchObject({
      ...refused,
      evidence: { httpStatus: 404 },
    });
    const wrongs = [
      { itemId: 'si_absent', priceId: priceIds.pro },
      { itemId, priceId: 'price_absent' },
    ];
    for (const wrong of wrongs) {
      const intent = newIntent();
      expect(await provider.prepare(intent, { step: 'change_price', subscriptionId, ...wrong }).send()).toMatchObject(
        refused,
      );
      expect(await effects(intent.operationId)).toEqual([]);
    }
  });
}

export function endingFeatures(opened: Opened): void {
  it('ends a subscription at the end of its period, or now', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const [later, now] = [newIntent(), newIntent()];
    expect(await valueOf(provider.prepare(later, { step: 'cancel_at_period_end', subscriptionId }))).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      metadata: { ...later, step: 'cancel_at_period_end' },
    });
    expect(await valueOf(provider.prepare(now, { step: 'cancel_now', subscriptionId }))).toMatchObject({
      id: subscriptionId,
      status: 'canceled',
    });
    expect(await effects(later.operationId)).toHaveLength(1);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({
      outcome: 'succeeded',
      value: { status: 'canceled' },
    });
  });

  it('takes an end at the end of the period back', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const [end, keep] = [newIntent(), newIntent()];
    await valueOf(provider.prepare(end, { step: 'cancel_at_period_end', subscriptionId }));
    expect(await valueOf(provider.prepare(keep, { step: 'keep_after_period', subscriptionId }))).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: false,
      metadata: { ...keep, step: 'keep_after_period' },
    });
    expect(await effects(keep.operationId)).toHaveLength(1);
  });

  it('executes every request to end a subscription: no key replays it', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { subscriptionId } = await addWorkspace();
    const intent = newIntent();
    await valueOf(provider.prepare(intent, { step: 'cancel_now', subscriptionId }));
    expect(await provider.prepare(intent, { step: 'cancel_now', subscriptionId }).send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
      detail: { reason: 'not_found' },
    });
    expect((await effects(intent.operationId)).length).toBeLessThanOrEqual(1);
  });

  it.each(['pause_collection', 'resume_collection', 'cancel_at_period_end', 'keep_after_period'] as const)(
    'answers to %s of what has ended as if it were unknown',
    async (step) => {
      const { provider, addWorkspace } = opened();
      const { subscriptionId } = await addWorkspace();
      await valueOf(provider.prepare(newIntent(), { step: 'cancel_now', subscriptionId }));
      expect(await provider.prepare(newIntent(), { step, subscriptionId }).send()).toMatchObject({
        outcome: 'failed',
        code: 'provider_refused',
        detail: { reason: 'not_found' },
      });
    },
  );

  it('refuses to end what has ended, or what the provider does not know', async () => {
    const { provider, addWorkspace } = opened();
    const { subscriptionId } = await addWorkspace();
    await valueOf(provider.prepare(newIntent(), { step: 'cancel_now', subscriptionId }));
    expect(await provider.prepare(newIntent(), { step: 'cancel_now', subscriptionId }).send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
    });
    expect(
      await provider.prepare(newIntent(), { step: 'cancel_now', subscriptionId: 'sub_absent' }).send(),
    ).toMatchObject({
      outcome: 'failed',
      code: 'provider_refused',
      detail: { reason: 'not_found' },
    });
  });
}
