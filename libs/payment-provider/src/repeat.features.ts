/**
 * How every payment provider handles a repeated call, or a fault: nothing happens twice; part of the suite behind the
 * port.
 */
import { providerFault, type ProviderFaultKind } from './fake/provider-faults';
import { credit, newIntent, valueOf, type Opened } from './payment-provider.harness';
import type { CallIntent, PaymentProvider } from './port';

/** Faults that every harness can cause. */
const sharedFaults: readonly ProviderFaultKind[] = [
  'rate_limited',
  'server_error',
  'server_error_after_effect',
  'lost_answer_before_effect',
  'lost_answer_after_effect',
];

export function idempotencyFeatures(opened: Opened): void {
  const credited = (provider: PaymentProvider, intent: CallIntent, customerId: string, amountCents?: number) =>
    provider.prepare(intent, credit(customerId, amountCents));

  it('answers the same call under the same key with the same object, and does it once', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const first = await valueOf(credited(provider, intent, customerId));
    expect(await valueOf(credited(provider, intent, customerId))).toEqual(first);
    expect(await effects(intent.operationId)).toHaveLength(1);
  });

  it('answers unknown when the key was used with another payload or another endpoint', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const creationId = `${intent.operationId}:balance_credit`;
    await valueOf(credited(provider, intent, customerId));
    expect((await credited(provider, intent, customerId, 501).send()).outcome).toBe('unknown');
    expect(
      (await provider.prepare(intent, { step: 'pay_invoice', invoiceId: 'in_a', creationId }).send()).outcome,
    ).toBe('unknown');
    expect(await effects(intent.operationId)).toHaveLength(1);
  });

  it('keeps a refusal under the key: other values need another key', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await credited(provider, intent, 'cus_absent').send()).toMatchObject(refused);
    expect(await credited(provider, intent, 'cus_absent').send()).toMatchObject(refused);
    expect((await credited(provider, intent, customerId).send()).outcome).toBe('unknown');
    expect(await effects(intent.operationId)).toEqual([]);
  });

  it('replays a declined card under the key, and keeps the old price', async () => {
    const { provider, addDecliningWorkspace, priceIds } = opened();
    const { subscriptionId, itemId } = await addDecliningWorkspace();
    const intent = newIntent();
    const change = () =>
      provider.prepare(intent, { step: 'change_price', subscriptionId, itemId, priceId: priceIds.pro }).send();
    const declined = { outcome: 'failed', code: 'card_declined', evidence: { httpStatus: 402 } };
    expect(await change()).toMatchObject(declined);
    expect(await change()).toMatchObject(declined);
    expect(await provider.retrieveSubscription(subscriptionId)).toMatchObject({ value: { priceId: priceIds.starter } });
  });
}

export function faultFeatures(opened: Opened): void {
  it.each(sharedFaults)('classifies %s, has its effect or not, and never has it twice', async (kind) => {
    const { provider, addWorkspace, effects, failNext } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const send = () => provider.prepare(intent, credit(customerId)).send();
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
