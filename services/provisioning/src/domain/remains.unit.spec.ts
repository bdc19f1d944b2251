import type { SentCall } from '@platform/durable/journal';
import type { Attempt } from './attempt';
import { isUnknown, leavesRemains, newRemains, withAnswer, withCall, type OpenRemains } from './remains';

const call = (step: string, outcome?: SentCall['outcome']): SentCall => ({
  step,
  method: 'POST',
  path: `/v1/${step}`,
  idempotencyKey: `key:${step}`,
  payloadDigest: 'digest',
  sentAt: new Date('2026-03-01T12:00:00.000Z'),
  ...(outcome !== undefined && { outcome }),
});
const handles = { customerId: 'cus_a', subscriptionId: 'sub_a', invoiceId: 'in_a' };
const attempt = {
  tenantId: 'acme',
  status: 'cancelled',
  resolution: { outcome: 'not_applied' },
  handles: { ...handles, paymentMethodId: 'pm_a', itemId: 'si_a' },
  providerCalls: [],
} as unknown as Attempt;
const begun = {
  _id: 'acme',
  status: 'open',
  tenantId: 'acme',
  handles,
  paymentFree: false,
  unknownSteps: [],
  providerCalls: [],
};
const open = begun as unknown as OpenRemains;

describe('the remains of a creation', () => {
  it.each<[string, boolean, object]>([
    ['an investigation cancelled', true, {}],
    ['has only a subscription', true, { handles: { subscriptionId: 'sub_a' } }],
    ['has only a customer', true, { handles: { customerId: 'cus_a' } }],
    ['has no object at the provider', false, { handles: { invoiceId: 'in_a' } }],
    ['its own executor cancelled', false, { resolution: undefined }],
    ['an investigation committed', false, { status: 'committed' }],
  ])('of a creation that %s exist: %s', (_name, exist, change) => {
    expect(leavesRemains({ ...attempt, ...change } as Attempt)).toBe(exist);
  });

  it('name the objects, and the steps whose outcome is unknown', () => {
    const providerCalls = [
      call('create_customer', 'succeeded'),
      call('create_subscription', 'unknown'),
      call('cancel_now', 'failed'),
      call('void_invoice'),
    ];
    expect(newRemains({ ...attempt, paymentFree: true, providerCalls })).toStrictEqual({
      ...begun,
      paymentFree: true,
      unknownSteps: ['create_subscription', 'void_invoice'],
    });
  });

  it('name no object that the creation did not have, and prove a payment unless it was free', () => {
    expect(newRemains({ ...attempt, handles: {} })).toStrictEqual({ ...begun, handles: {} });
  });

  it('record their calls in order, and an answer completes the last one', () => {
    const [first, second] = [call('cancel_now', 'succeeded'), call('delete_customer')];
    const sent = withCall(withCall(open, first), second);
    expect(sent).toEqual({ ...begun, providerCalls: [first, second] });
    expect(withAnswer(sent, { outcome: 'failed' })).toEqual({
      ...begun,
      providerCalls: [first, { ...second, outcome: 'failed' }],
    });
  });

  it('never send a step again whose outcome is unknown', () => {
    const sent = [call('cancel_now'), call('void_invoice', 'unknown'), call('delete_customer', 'failed')];
    const remains = { ...open, unknownSteps: ['create_customer'], providerCalls: sent };
    const unknown = (step: string) => isUnknown(remains, step);
    expect(['create_customer', 'cancel_now', 'void_invoice'].map(unknown)).toEqual([true, true, true]);
    expect(['delete_customer', 'create_subscription'].map(unknown)).toEqual([false, false]);
  });
});
