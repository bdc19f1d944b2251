/** Sales on the pages of the provider twin: a bank that answers later, and one card for the trials of two addresses. */
import { startContracts, type Contracts } from '../../operations/testing/contracts-at-twin';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootEvents } from '../../provider-events/testing/event-world';
import { handleProviderEvent } from '../../provider-events/workflows/handle-provider-event';
import { createOperatorWorld } from '../../testing/operator-world';
import { checkoutRequest, completed } from '../testing/checkout-world';
import { endWaitingCheckouts } from './end-waiting-checkouts';

let stage: Contracts;
let count = 0;
beforeAll(async () => {
  stage = await startContracts();
});
afterAll(() => stage.close());

/** Which operation holds the trial of which card, as provisioning records it. */
const holders = new Map<string, string>();

/** A workspace without a subscription whose owner has finished the page with this method. */
async function sold(paymentMethod: string, trialDays = 0) {
  count += 1;
  const [customerId, operationId] = [`cus_sale${count}`, `op-sale-000${count}`];
  await stage.control('seed', { customers: [{ id: customerId }] });
  const world = await createOperatorWorld({ planId: 'free', provider: { customerId } });
  const { events } = bootEvents(world, 1, {
    provider: stage.provider,
    trial: async ({ cardFingerprints, begun }) => {
      const held = cardFingerprints.some((card) => (holders.get(card) ?? operationId) !== operationId);
      if (begun) for (const card of cardFingerprints) if (!holders.has(card)) holders.set(card, operationId);
      return { kind: 'decided', days: begun ? 0 : trialDays, held };
    },
  });
  await runOperation(events, checkoutRequest({ operationId }));
  const { sessionId } = world.subscription()!.checkout!;
  await stage.control(`checkout/${sessionId}`, { paymentMethod });
  await handleProviderEvent(events, completed(sessionId));
  const session = await stage.provider.retrieveCheckoutSession(sessionId);
  if (session.outcome !== 'succeeded') throw new Error('the session cannot be read');
  const { subscriptionId, invoiceId } = session.value;
  const status = async () => (await stage.raw('GET', `subscriptions/${subscriptionId}`))['status'];
  return { world, events, invoiceId: invoiceId!, subscriptionId: subscriptionId!, status };
}

describe('a sale to a bank account', () => {
  it('waits, and is completed when the bank has paid', async () => {
    const { world, events, invoiceId } = await sold('pm_usBankAccount_success');
    expect(world.operations()).toMatchObject([{ status: 'awaiting_receipts', checkout: { waitsFor: 'payment' } }]);
    expect(world.subscription()).toMatchObject({ planId: 'free' });
    await stage.control(`invoices/${invoiceId}`, { accepted: true });
    expect(await endWaitingCheckouts(events)).toBe(1);
    expect(world.operations()).toMatchObject([{ status: 'succeeded' }]);
    expect(world.subscription()).toMatchObject({ planId: 'pro', status: 'active' });
  });

  it('is taken back when the bank refuses, although the provider goes on with it', async () => {
    const { world, events, invoiceId, status } = await sold('pm_usBankAccount_success');
    await stage.control(`invoices/${invoiceId}`, { accepted: false });
    expect(await status()).toBe('active');
    expect(await endWaitingCheckouts(events)).toBe(1);
    expect(world.operations()).toMatchObject([{ status: 'failed', error: { code: 'payment_failed' } }]);
    expect(world.subscription()).toMatchObject({ planId: 'free' });
    expect(await status()).toBe('canceled');
  });
});

describe('one card for two trials', () => {
  it('has the first, and the second is ended at once without a charge', async () => {
    const first = await sold('pm_card_mastercard', 14);
    expect(first.world.subscription()).toMatchObject({ planId: 'pro', status: 'trialing' });
    const second = await sold('pm_card_mastercard', 14);
    expect(second.world.operations()).toMatchObject([{ status: 'failed', error: { code: 'trial_refused' } }]);
    expect(second.world.subscription()).toMatchObject({ planId: 'free' });
    expect([await first.status(), await second.status()]).toEqual(['trialing', 'canceled']);
    await stage.control('clock', { advanceSeconds: 40 * 86_400 });
    const invoices = await stage.raw('GET', `invoices?subscription=${second.subscriptionId}`);
    const paid = (invoices as unknown as { data: { amount_paid: number }[] }).data.map((each) => each.amount_paid);
    expect(paid.filter((amount) => amount > 0)).toEqual([]);
  });
});
