/** Every effect is found by its description's search once it happened, and not before; part of the suite. */
import { systemClock } from '@platform/kernel';
import { effects, type Effect, type EffectStep, type Handles } from './effects';
import { findEffect } from './find-effect';
import { gatherEvidence } from './gather-evidence';
import { credit, newIntent, valueOf, type Opened, type ProviderHarness } from './payment-provider.harness';
import type { CallIntent } from './port';

/** An effect that can be produced now, and what an investigator knows of its objects. */
interface Ready {
  readonly effect: Effect;
  readonly handles: Handles;
  /** Documented test cards get a new id when they are attached. */
  readonly found?: (made: { readonly id: string }) => Handles;
}

type Prepared = (harness: ProviderHarness, intent: CallIntent) => Promise<Ready>;

const ofSubscription =
  (
    step: 'pause_collection' | 'resume_collection' | 'cancel_at_period_end' | 'keep_after_period' | 'cancel_now',
  ): Prepared =>
  async ({ addWorkspace }) => {
    const { subscriptionId } = await addWorkspace();
    return { effect: { step, subscriptionId }, handles: { subscriptionId } };
  };

async function newCustomer({
  provider,
}: ProviderHarness): Promise<{ readonly customerId: string; readonly email: string }> {
  const intent = newIntent();
  const email = `${intent.operationId}@example.com`;
  const { id } = await valueOf(provider.prepare(intent, { step: 'create_customer', email, name: 'Owner' }));
  return { customerId: id, email };
}

async function customerWithCard(harness: ProviderHarness) {
  const { customerId } = await newCustomer(harness);
  const { id: paymentMethodId } = await valueOf(
    harness.provider.prepare(newIntent(), {
      step: 'attach_payment_method',
      customerId,
      paymentMethodId: 'pm_card_visa',
    }),
  );
  return { customerId, paymentMethodId };
}

async function scheduled(harness: ProviderHarness) {
  const { customerId, subscriptionId } = await harness.addWorkspace();
  const schedule = await valueOf(harness.provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
  return { customerId, subscriptionId, schedule };
}

const situations: { readonly [Step in EffectStep]: Prepared } = {
  pause_collection: ofSubscription('pause_collection'),
  resume_collection: ofSubscription('resume_collection'),
  cancel_at_period_end: ofSubscription('cancel_at_period_end'),
  keep_after_period: ofSubscription('keep_after_period'),
  cancel_now: ofSubscription('cancel_now'),
  change_price: async ({ addWorkspace, priceIds }) => {
    const { subscriptionId, itemId } = await addWorkspace();
    return {
      effect: { step: 'change_price', subscriptionId, itemId, priceId: priceIds.pro },
      handles: { subscriptionId },
    };
  },
  hold_price_change: async ({ addAskingWorkspace, priceIds }) => {
    const { subscriptionId, itemId } = await addAskingWorkspace();
    return {
      effect: { step: 'hold_price_change', subscriptionId, itemId, priceId: priceIds.pro },
      handles: { subscriptionId, priceId: priceIds.pro },
    };
  },
  change_plan: async ({ addWorkspace, priceIds }) => {
    const { subscriptionId, itemId } = await addWorkspace();
    return {
      effect: { step: 'change_plan', tenantId: 'acme', subscriptionId, itemId, priceId: priceIds.pro },
      handles: { subscriptionId },
    };
  },
  create_schedule: async ({ addWorkspace }) => {
    const { customerId, subscriptionId } = await addWorkspace();
    return { effect: { step: 'create_schedule', subscriptionId }, handles: { customerId, subscriptionId } };
  },
  schedule_price: async (harness) => {
    const { customerId, schedule } = await scheduled(harness);
    const [current] = schedule.phases;
    return {
      effect: {
        step: 'schedule_price',
        scheduleId: schedule.id,
        current: current!,
        priceId: harness.priceIds.pro,
        interval: 'month',
        intervalCount: 1,
      },
      handles: { customerId },
    };
  },
  release_schedule: async (harness) => {
    const { customerId, schedule } = await scheduled(harness);
    return {
      effect: { step: 'release_schedule', scheduleId: schedule.id },
      handles: { customerId, scheduleId: schedule.id },
    };
  },
  balance_credit: async ({ addWorkspace }) => {
    const { customerId } = await addWorkspace();
    return {
      effect: { step: 'balance_credit', customerId, amountCents: 500, currency: 'usd', description: 'goodwill' },
      handles: { customerId },
    };
  },
  pay_invoice: async (harness, { operationId }) => {
    const holder = await customerWithCard(harness);
    const { firstInvoice } = await valueOf(
      harness.provider.prepare(newIntent(), {
        step: 'create_subscription',
        ...holder,
        priceId: harness.priceIds.starter,
        trialDays: 0,
      }),
    );
    const invoiceId = firstInvoice!.id;
    return { effect: { step: 'pay_invoice', invoiceId, creationId: `created:${operationId}` }, handles: { invoiceId } };
  },
  create_customer: async (_harness, { operationId }) => ({
    effect: { step: 'create_customer', email: `${operationId}@example.com`, name: 'Owner' },
    handles: { createdSince: new Date().toISOString() },
  }),
  attach_payment_method: async (harness) => {
    const { customerId } = await newCustomer(harness);
    return {
      effect: { step: 'attach_payment_method', customerId, paymentMethodId: 'pm_card_visa' },
      handles: { customerId, paymentMethodId: 'pm_card_visa' },
      found: ({ id }) => ({ paymentMethodId: id }),
    };
  },
  set_default_payment_method: async (harness) => {
    const { customerId, paymentMethodId } = await customerWithCard(harness);
    return { effect: { step: 'set_default_payment_method', customerId, paymentMethodId }, handles: { customerId } };
  },
  delete_customer: async (harness) => {
    const { customerId } = await newCustomer(harness);
    return { effect: { step: 'delete_customer', customerId }, handles: { customerId } };
  },
  create_subscription: async (harness) => {
    const holder = await customerWithCard(harness);
    return {
      effect: { step: 'create_subscription', ...holder, priceId: harness.priceIds.starter, trialDays: 0 },
      handles: { customerId: holder.customerId },
    };
  },
  void_invoice: async (harness) => {
    const { subscriptionId, itemId } = await harness.addAskingWorkspace();
    const change = { subscriptionId, itemId, priceId: harness.priceIds.pro };
    const held = await valueOf(harness.provider.prepare(newIntent(), { step: 'hold_price_change', ...change }));
    const invoiceId = held.invoice!.id;
    return { effect: { step: 'void_invoice', invoiceId }, handles: { invoiceId } };
  },
  expire_session: async (harness) => {
    const { customerId } = await harness.addWorkspace();
    const { id: sessionId } = await valueOf(
      harness.provider.prepare(newIntent(), {
        step: 'create_session',
        customerId,
        priceId: harness.priceIds.pro,
        tenantId: 'acme',
        planId: 'pro',
        trialDays: 0,
        successUrl: 'https://app.test/done',
        cancelUrl: 'https://app.test/back',
      }),
    );
    return { effect: { step: 'expire_session', sessionId }, handles: { customerId, sessionId } };
  },
  create_session: async (harness) => {
    const { customerId } = await harness.addWorkspace();
    return {
      effect: {
        step: 'create_session',
        customerId,
        priceId: harness.priceIds.pro,
        tenantId: 'acme',
        planId: 'pro',
        trialDays: 0,
        successUrl: 'https://app.test/done',
        cancelUrl: 'https://app.test/back',
      },
      handles: { customerId },
    };
  },
};

export function evidenceFeatures(opened: Opened): void {
  it.each(Object.keys(effects) as EffectStep[])(
    'shows that %s happened when its answer was lost, and names the search that finds nothing before',
    async (step) => {
      const harness = opened();
      const { provider } = harness;
      const intent = newIntent();
      const { effect, handles, found } = await situations[step](harness, intent);
      const call = provider.prepare(intent, effect);
      // What a journal keeps of a call whose answer was lost: the description of the request, and the time.
      const calls = [{ ...call.description, sentAt: new Date(), phase: 'bytes_written', outcome: 'unknown' }] as const;
      const look = async (known: Handles) => {
        const [finding] = await gatherEvidence(provider, { ...intent, calls, handles: known }, systemClock);
        return finding!;
      };
      expect(await look(handles)).toMatchObject({
        step,
        source: 'answered',
        objects: [],
        search: expect.stringContaining(effects[step].evidence.search) as string,
        looksFor: expect.stringContaining(intent.operationId) as string,
      });
      const made = await valueOf(call);
      expect(await look({ ...handles, ...found?.(made) })).toMatchObject({
        source: 'answered',
        objects: [expect.objectContaining({ id: made.id })],
      });
      const blind = await gatherEvidence(provider, { ...intent, calls: [{ step }], handles: {} }, systemClock);
      expect(blind).toMatchObject([
        { source: 'not_askable', problem: expect.stringContaining(effects[step].evidence.needs[0]) as string },
      ]);
    },
  );

  it('follows a list to its end', async () => {
    const harness = opened();
    const { provider } = harness;
    const { customerId } = await harness.addWorkspace();
    const intent = newIntent();
    await valueOf(provider.prepare(intent, credit(customerId)));
    for (let later = 0; later < 105; later += 1) await valueOf(provider.prepare(newIntent(), credit(customerId, 1)));
    const calls = [{ step: 'balance_credit' }];
    expect(await gatherEvidence(provider, { ...intent, calls, handles: { customerId } }, systemClock)).toMatchObject([
      { source: 'answered', objects: [{ kind: 'customer_balance_transaction', summary: { amount: -500 } }] },
    ]);
  });

  it('does not take the effect of another operation for its own, where the object names one', async () => {
    const harness = opened();
    for (const step of (Object.keys(effects) as EffectStep[]).filter(
      (each) => effects[each].evidence.proof === 'intent',
    )) {
      const intent = newIntent();
      const { effect, handles } = await situations[step](harness, intent);
      await valueOf(harness.provider.prepare(intent, effect));
      expect(await findEffect(harness.provider, { ...newIntent(), step }, handles)).toEqual({
        outcome: 'succeeded',
        value: [],
      });
    }
  });
}
