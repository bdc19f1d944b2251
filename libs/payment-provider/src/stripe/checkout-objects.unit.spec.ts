import { decodeCheckoutSession } from './checkout-objects';

const open = {
  id: 'cs_a',
  status: 'open',
  url: 'https://pay.test/cs_a',
  payment_status: 'unpaid',
  expires_at: 1_772_366_400,
};
const read = {
  id: 'cs_a',
  status: 'open',
  url: 'https://pay.test/cs_a',
  customerId: null,
  subscriptionId: null,
  paymentMethodId: null,
  paymentStatus: 'unpaid',
  invoiceId: null,
  expiresAt: new Date('2026-03-01T12:00:00.000Z'),
  metadata: {},
};
const complete = { ...open, status: 'complete', url: null, customer: 'cus_a', payment_status: 'paid', invoice: 'in_a' };
const readComplete = {
  ...read,
  status: 'complete',
  url: null,
  customerId: 'cus_a',
  subscriptionId: 'sub_a',
  paymentStatus: 'paid',
  invoiceId: 'in_a',
};

describe('a checkout session', () => {
  it('has sold nothing while it is open', () => {
    expect(decodeCheckoutSession(open)).toEqual(read);
    const nothing = { customer: null, subscription: null, invoice: null, metadata: null };
    expect(decodeCheckoutSession({ ...open, ...nothing })).toEqual(read);
    expect(decodeCheckoutSession({ ...open, url: undefined })).toEqual({ ...read, url: null });
  });

  it('names the subscription that it sold, and its card when the subscription is included', () => {
    const metadata = { operationId: 'op-1' };
    expect(decodeCheckoutSession({ ...complete, subscription: 'sub_a', metadata })).toEqual({
      ...readComplete,
      metadata,
    });
    const included = { id: 'sub_a', default_payment_method: { id: 'pm_a' } };
    expect(decodeCheckoutSession({ ...complete, subscription: included })).toEqual({
      ...readComplete,
      paymentMethodId: 'pm_a',
    });
    expect(decodeCheckoutSession({ ...complete, subscription: { id: 'sub_a' } })).toEqual(readComplete);
  });

  it('is not what does not say whether it is paid', () => {
    expect(decodeCheckoutSession({ ...open, payment_status: undefined })).toBeUndefined();
  });
});
