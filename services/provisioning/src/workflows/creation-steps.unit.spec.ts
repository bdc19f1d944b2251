/** What the steps of a creation record of the provider's answers, and what they count. */
import type { ProviderCreatedSubscription, ProviderInvoice } from '@platform/payment-provider';
import { misreadAnswers } from '@platform/payment-provider/testing';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';

const steps = (world: ProvisioningWorld) => world.provider.ledger().map(({ step }) => step);

async function boot() {
  const world = await createProvisioningWorld();
  return { world, ...bootProvisioning(world) };
}

/** A creation to which the provider answers the sale with other values. */
async function soldWith(change: (sale: ProviderCreatedSubscription) => Partial<ProviderCreatedSubscription>) {
  const { world, ports } = await boot();
  const prepare = misreadAnswers(ports.provider, 'create_subscription', (answer) =>
    answer.outcome === 'succeeded' ? { ...answer, value: { ...answer.value, ...change(answer.value) } } : answer,
  );
  const answer = await createWorkspace({ ...ports, provider: { ...ports.provider, prepare } }, creationRequest());
  return { world, answer };
}

/** A creation to which the provider answers the payment with an invoice in this status. */
async function paidWith(status: ProviderInvoice['status']) {
  const { world, ports } = await boot();
  const prepare = misreadAnswers(ports.provider, 'pay_invoice', (answer) =>
    answer.outcome === 'succeeded' ? { ...answer, value: { ...answer.value, status } } : answer,
  );
  const answer = await createWorkspace({ ...ports, provider: { ...ports.provider, prepare } }, creationRequest());
  return { world, answer };
}

describe('the sale of a creation', () => {
  it.each<[string, boolean, (sale: ProviderCreatedSubscription) => Partial<ProviderCreatedSubscription>]>([
    ['an open invoice', false, () => ({})],
    ['no invoice', true, () => ({ firstInvoice: null })],
    [
      'an invoice of nothing, which is paid',
      true,
      ({ firstInvoice }) => ({ status: 'active', firstInvoice: firstInvoice && { ...firstInvoice, status: 'paid' } }),
    ],
    ['a trial', true, () => ({ status: 'trialing' })],
  ])('with %s is free of a payment: %s', async (_what, free, change) => {
    const { world, answer } = await soldWith(change);
    expect(answer).toMatchObject({ kind: 'committed', attempt: { paymentFree: free } });
    expect(steps(world).includes('pay_invoice')).toBe(!free);
  });

  it('leaves every id and the end of the paid period in the record', async () => {
    const { world } = await soldWith(() => ({}));
    const handles = world.attempt()?.handles;
    const subscription = await world.provider.retrieveSubscription(handles?.subscriptionId ?? '');
    expect(subscription).toMatchObject({
      outcome: 'succeeded',
      value: {
        customerId: handles?.customerId,
        itemId: handles?.itemId,
        currentPeriodEnd: handles?.currentPeriodEnd,
      },
    });
    expect(handles).toEqual({
      customerId: expect.any(String),
      paymentMethodId: expect.any(String),
      subscriptionId: expect.any(String),
      itemId: expect.any(String),
      currentPeriodEnd: expect.any(Date),
      invoiceId: expect.any(String),
    });
  });

  it('leaves no end of a period where the provider names none', async () => {
    const { world } = await soldWith(() => ({ currentPeriodEnd: null }));
    expect(world.attempt()?.handles).not.toHaveProperty('currentPeriodEnd');
  });
});

describe('the first payment of a creation', () => {
  it('is awaited by the marker under the id of its invoice', async () => {
    const { world, ports } = await boot();
    world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
    await createWorkspace(ports, creationRequest());
    expect(world.attempt()?.handles.invoiceId).toMatch(/^in_/);
    expect(world.marker()).toMatchObject({
      provisioningState: 'awaiting_payment',
      invoiceId: world.attempt()?.handles.invoiceId,
    });
  });

  it('needs no other proof than the answer of the provider to its own executor', async () => {
    const { world } = await paidWith('paid');
    expect(world.attempt()).toMatchObject({ status: 'committed' });
    expect(world.attempt()).not.toHaveProperty('provenBy');
  });

  it('stops for people when the provider refuses it without declining the card', async () => {
    const { world, ports } = await boot();
    world.provider.failNext('invalid_request', { step: 'pay_invoice' });
    expect(await createWorkspace(ports, creationRequest())).toMatchObject({ kind: 'unresolved' });
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'provider_refused', message: expect.stringMatching(/^The payment of the first invoice: ./) },
    });
  });

  it.each(['void', 'uncollectible', 'draft'] as const)(
    'stops for people when the provider accepts it and shows the invoice as %s',
    async (status) => {
      const { world, answer } = await paidWith(status);
      expect(answer).toMatchObject({ kind: 'unresolved' });
      expect(world.attempt()).toMatchObject({
        status: 'reconciliation_required',
        lastError: { code: 'outcome_unknown' },
      });
      expect(world.attempt()).not.toHaveProperty('confirmation');
    },
  );
});

describe('a free plan', () => {
  it('is recorded as free of a payment, and its marker names no invoice', async () => {
    const { world, ports } = await boot();
    await createWorkspace(ports, creationRequest({ plan: freePlan }));
    expect(world.attempt()).toMatchObject({ status: 'committed', paymentFree: true });
    expect(world.marker()).toMatchObject({ provisioningState: 'committed', invoiceId: null });
  });
});

describe('the counts of a creation', () => {
  const made = ['create_customer', 'attach_payment_method', 'set_default_payment_method', 'create_subscription'];
  const answered = made.map((step) => `${step} succeeded`);

  it.each([
    ['is paid', () => undefined, [...answered, 'awaiting_payment', 'pay_invoice succeeded', 'committed']],
    [
      'stops at its payment',
      (world: ProvisioningWorld) => world.provider.failNext('timeout_before_effect', { step: 'pay_invoice' }),
      [...answered, 'awaiting_payment', 'pay_invoice unknown', 'reconciliation_required'],
    ],
  ])('name each answer of the provider and each status when it %s', async (_how, before, expected) => {
    const { world, ports } = await boot();
    before(world);
    const counts: string[] = [];
    const meter: ProvisioningPorts['meter'] = {
      attemptReached: (status) => void counts.push(status),
      providerAnswered: (step, outcome) => void counts.push(`${step} ${outcome}`),
    };
    await createWorkspace({ ...ports, meter }, creationRequest());
    expect(counts).toEqual(expected);
  });
});
