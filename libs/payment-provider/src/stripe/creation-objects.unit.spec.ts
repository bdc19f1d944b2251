import {
  decodeChangePreview,
  decodeCreatedSubscription,
  decodeHeldChange,
  decodeInvoice,
  decodeIssuedInvoice,
  decodePaymentMethod,
} from './creation-objects';

const bareInvoice = { id: 'in_a', customer: 'cus_a', status: 'draft', total: 1_900 };
const fullInvoice = {
  ...bareInvoice,
  customer: { id: 'cus_a' },
  status: 'open',
  hosted_invoice_url: 'https://pay.test/in_a',
  parent: { subscription_details: { subscription: 'sub_a', metadata: { operationId: 'op-1' } } },
};
const readBare = {
  id: 'in_a',
  customerId: 'cus_a',
  subscriptionId: null,
  status: 'draft',
  total: 1_900,
  hostedUrl: null,
};
const readFull = { ...readBare, subscriptionId: 'sub_a', status: 'open', hostedUrl: 'https://pay.test/in_a' };
const withoutSubscription = [
  ['without a parent', {}],
  ['whose parent is null', { parent: null }],
  ['whose parent is no subscription', { parent: { subscription_details: null } }],
  ['whose parent does not name it', { parent: { subscription_details: {} } }],
] as const;

describe('a payment method', () => {
  it('is read with its customer and the fingerprint of its card', () => {
    expect(decodePaymentMethod({ id: 'pm_a', customer: 'cus_a', card: { fingerprint: 'fp_a' } })).toEqual({
      id: 'pm_a',
      customerId: 'cus_a',
      cardFingerprint: 'fp_a',
    });
  });

  it.each([
    ['is no card', { id: 'pm_a' }],
    ['has no card', { id: 'pm_a', customer: null, card: null }],
    ['has a card without a fingerprint', { id: 'pm_a', card: {} }],
  ])('has neither customer nor fingerprint when it is detached and %s', (_name, answer) => {
    expect(decodePaymentMethod(answer)).toEqual({ id: 'pm_a', customerId: null, cardFingerprint: null });
  });

  it('is not what has no id', () => {
    expect(decodePaymentMethod({ customer: 'cus_a' })).toBeUndefined();
  });
});

describe('an invoice', () => {
  it('is read with its subscription and the page on which it is paid', () => {
    expect(decodeInvoice(fullInvoice)).toEqual(readFull);
  });

  it.each(withoutSubscription)('%s has no subscription', (_name, more) => {
    expect(decodeInvoice({ ...bareInvoice, ...more })).toEqual(readBare);
  });

  it.each([
    ['without a total', { ...bareInvoice, total: undefined }],
    ['of an unknown status', { ...bareInvoice, status: 'lost' }],
    ['that is null', null],
  ])('is not an answer %s', (_name, answer) => {
    expect(decodeInvoice(answer)).toBeUndefined();
  });
});

describe('an invoice of a list', () => {
  const listed = { currency: 'usd', created: 1_772_366_400 };
  const readListed = { currency: 'usd', createdAt: new Date('2026-03-01T12:00:00.000Z') };

  it('names the reason, the time and the last operation on its subscription', () => {
    expect(decodeIssuedInvoice({ ...fullInvoice, ...listed, billing_reason: 'subscription_cycle' })).toEqual({
      ...readFull,
      ...readListed,
      reason: 'subscription_cycle',
      subscriptionMetadata: { operationId: 'op-1' },
    });
  });

  it.each(withoutSubscription)('%s names no operation', (_name, more) => {
    expect(decodeIssuedInvoice({ ...bareInvoice, ...listed, ...more })).toEqual({
      ...readBare,
      ...readListed,
      reason: null,
      subscriptionMetadata: {},
    });
  });

  it('is neither an invoice without a time nor a time without an invoice', () => {
    expect(decodeIssuedInvoice(fullInvoice)).toBeUndefined();
    expect(decodeIssuedInvoice(listed)).toBeUndefined();
  });
});

describe.each([
  ['a created subscription', decodeCreatedSubscription, 'firstInvoice'],
  ['a held change', decodeHeldChange, 'invoice'],
] as const)('%s', (_name, decode, invoiceField) => {
  const subscription = {
    id: 'sub_a',
    customer: 'cus_a',
    status: 'incomplete',
    cancel_at_period_end: false,
    items: { data: [{ id: 'si_a', price: { id: 'price_pro' } }] },
  };
  const read = {
    id: 'sub_a',
    customerId: 'cus_a',
    status: 'incomplete',
    collectionPaused: false,
    cancelAtPeriodEnd: false,
    itemId: 'si_a',
    priceId: 'price_pro',
    quantity: 1,
    currentPeriodEnd: null,
    scheduleId: null,
    metadata: {},
  };

  it('is read with its invoice, or with none where the provider made none', () => {
    expect(decode({ ...subscription, latest_invoice: fullInvoice })).toEqual({ ...read, [invoiceField]: readFull });
    expect(decode({ ...subscription, latest_invoice: null })).toEqual({ ...read, [invoiceField]: null });
  });

  it.each([
    ['a subscription without the field', subscription],
    ['a subscription whose invoice is only named', { ...subscription, latest_invoice: 'in_a' }],
    ['an invoice without a subscription', { latest_invoice: fullInvoice }],
    ['null', null],
    ['undefined', undefined],
  ])('is not %s', (_answer, answer) => {
    expect(decode(answer)).toBeUndefined();
  });
});

describe('a preview of a change', () => {
  const answer = { object: 'invoice', currency: 'usd', total: 3_000, amount_due: 2_500, starting_balance: -500 };
  const read = {
    subscriptionId: 'sub_a',
    currency: 'usd',
    total: 3_000,
    tax: 0,
    startingBalance: -500,
    endingBalance: 0,
    amountDue: 2_500,
    prorationDate: null,
  };

  it('is read with the taxes as one amount, the balance after it and the start of the proration', () => {
    expect(
      decodeChangePreview('sub_a', {
        ...answer,
        ending_balance: -20,
        total_taxes: [{ amount: 190 }, { amount: 70 }],
        parent: { subscription_details: { subscription_proration_date: 1_772_366_400 } },
      }),
    ).toEqual({ ...read, tax: 260, endingBalance: -20, prorationDate: 1_772_366_400 });
  });

  it.each(withoutSubscription)('%s has no start of the proration', (_name, more) => {
    expect(decodeChangePreview('sub_a', { ...answer, ...more })).toEqual(read);
  });

  it('adds what a cheaper price gives back to the balance, where the provider does not name the balance after it', () => {
    expect(
      decodeChangePreview('sub_a', { ...answer, total: -800, amount_due: 0, ending_balance: null, total_taxes: null }),
    ).toEqual({ ...read, total: -800, amountDue: 0, endingBalance: -1_300 });
  });

  it('is not another object', () => {
    expect(decodeChangePreview('sub_a', { ...answer, object: 'subscription' })).toBeUndefined();
  });
});
