import type { Behaviours } from '../fake/behaviour';
import type { PaymentProvider } from '../port';
import { answersWith, byOperation } from './description';
import { effectAnswer, effects, type Effect, type EffectStep } from './index';

const subscriptionId = 'sub_a';

describe('an effect', () => {
  it('is refused by the compiler without a description, or with the values of another one', () => {
    const credit = {
      step: 'balance_credit',
      customerId: 'cus_a',
      amountCents: 1,
      currency: 'usd',
      description: '',
    } as const;
    const refused: readonly Effect[] = [
      // @ts-expect-error -- no description has this step
      { step: 'refund', customerId: 'cus_a' },
      // @ts-expect-error -- a schedule is no subscription
      { step: 'cancel_now', scheduleId: 'sub_sched_a' },
      // @ts-expect-error -- a price change says which item
      { step: 'change_price', subscriptionId, priceId: 'price_pro' },
      // @ts-expect-error -- a value that the effect does not take
      { step: 'pause_collection', subscriptionId, priceId: 'price_pro' },
      // @ts-expect-error -- an amount is a number
      { ...credit, amountCents: '1' },
    ];
    expect(refused.map(({ step }) => step in effects)).toEqual([false, true, true, true, true]);
  });

  it('answers with the object of its own description', () => {
    const read = async (provider: PaymentProvider): Promise<void> => {
      const answer = await provider.prepare({ operationId: 'op-1' }, { step: 'cancel_now', subscriptionId }).send();
      if (answer.outcome !== 'succeeded') return;
      answer.value.currentPeriodEnd?.getTime();
      // @ts-expect-error -- a subscription has no phases
      expect(answer.value.phases).toBeUndefined();
    };
    expect(read).toBeInstanceOf(Function);
  });

  it('is refused by the compiler without a finder, or with one that sees other objects', () => {
    const described = {
      // @ts-expect-error -- every effect says how it is found
      blind: answersWith('customer')<{ readonly customerId: string }>({ path: () => '/v1/customers' }),
      mistaken: answersWith('customer')<{ readonly customerId: string }>({
        path: () => '/v1/customers',
        // @ts-expect-error -- a customer is retrieved by its own id
        evidence: {
          search: 'retrieveCustomer',
          needs: ['subscriptionId'],
          proof: 'state',
          looksFor: 'it',
          shows: () => true,
        },
      }),
      foreign: answersWith('customer')<{ readonly customerId: string }>({
        path: () => '/v1/customers',
        evidence: {
          search: 'retrieveCustomer',
          needs: ['customerId'],
          proof: 'state',
          looksFor: 'it',
          // @ts-expect-error -- a customer has no phases
          shows: ({ phases }) => phases.length > 0,
        },
      }),
      misspelt: answersWith('subscription')<object, { readonly metadata: { readonly step: string } }>({
        path: () => '/v1/subscriptions',
        // @ts-expect-error -- these are no parameters of the endpoint
        params: (_values, intent) => ({ meta: byOperation(intent) }),
        evidence: effects.pause_collection.evidence,
      }),
    };
    expect(Object.keys(described)).toEqual(['blind', 'mistaken', 'foreign', 'misspelt']);
  });

  it('is refused by the compiler without a behaviour of the fake', () => {
    const { cancel_now: _left, ...others } = {} as Behaviours;
    // @ts-expect-error -- the fake does not know cancel_now
    const behaviours: Behaviours = others;
    expect(behaviours).toEqual({});
  });

  it('says which step answered, and what actions read of the answer', () => {
    const steps = Object.keys(effects) as EffectStep[];
    const session = {
      id: 'cs_a',
      status: 'open' as const,
      url: null,
      customerId: null,
      subscriptionId: null,
      paymentMethodId: null,
      paymentStatus: 'unpaid' as const,
      invoiceId: null,
      expiresAt: new Date(0),
      metadata: {},
    };
    expect(steps).toHaveLength(21);
    expect(effectAnswer('create_session', session)).toEqual({
      step: 'create_session',
      objectId: 'cs_a',
      status: 'open',
      expiresAt: new Date(0),
    });
    expect(effectAnswer('create_session', { ...session, url: 'https://pay.test' })).toMatchObject({
      url: 'https://pay.test',
    });
  });
});
