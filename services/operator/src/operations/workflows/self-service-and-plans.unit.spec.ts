import type { ProviderSubscription } from '@platform/payment-provider';
import type { OperationRequest } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  withPendingChange,
  type OperatorWorld,
} from '../../testing/operator-world';
import { runOperation } from './run-operation';

const business = {
  _id: 'business',
  name: 'Business',
  amountCents: 9_900,
  currency: 'usd',
  priceId: 'price_business',
  offered: true,
} as const;

let count = 0;
const ask = (world: OperatorWorld, action: OperationRequest['action'], values: OperationRequest['values'] = {}) =>
  runOperation(bootOperator(world, 1).ports, {
    operationId: `op-${(count += 1).toString().padStart(8, '0')}`,
    tenantId: tenant,
    action,
    values,
    actor: { id: 'owner' },
  });

async function changeAtProvider(world: OperatorWorld, found: Partial<ProviderSubscription>): Promise<void> {
  const read = await world.provider.retrieveSubscription('sub_acme');
  if (read.outcome === 'succeeded') world.provider.seed({ subscriptions: [{ ...read.value, ...found }] });
}

const steps = (world: OperatorWorld) => world.provider.ledger().map(({ step }) => step);
const codeOf = (answer: Awaited<ReturnType<typeof ask>>) =>
  answer.kind === 'failed' ? answer.operation.error.code : answer.kind;

describe('an immediate upgrade', () => {
  it('changes the price once and mirrors the plan', async () => {
    const world = await createOperatorWorld();
    expect(await ask(world, 'upgrade_plan', { planId: 'pro' })).toMatchObject({
      kind: 'succeeded',
      operation: { result: { planId: 'pro', fromPlanId: 'starter' } },
    });
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(steps(world)).toEqual(['change_price']);
  });

  it.each<[string, string, Partial<Subscription>]>([
    ['plan_not_available', 'nothing', {}],
    ['plan_not_available', 'legacy', {}],
    ['plan_already_applied', 'starter', {}],
    ['not_an_upgrade', 'free', {}],
    ['not_an_upgrade', 'starter', { planId: 'pro' }],
    ['not_an_upgrade', 'pro', { planId: 'free' }],
    ['no_provider_subscription', 'pro', { provider: { customerId: 'cus_acme' } }],
    ['workspace_suspended', 'pro', { status: 'suspended' }],
    ['subscription_ending', 'pro', { cancelsAt: new Date(0) }],
    ['subscription_ending', 'pro', { status: 'cancelled' }],
    ['payment_overdue', 'pro', { status: 'past_due' }],
    ['no_provider_subscription', 'pro', { planId: 'free', provider: { customerId: 'cus_acme' } }],
    ['deletion_started', 'pro', { deletion: { startedAt: new Date(0), operationId: 'op-delete-0001' } }],
    [
      'transition_pending',
      'pro',
      { transition: { operationId: 'op-other-00001', kind: 'cancel', requestedAt: new Date(0) } },
    ],
    [
      'checkout_in_progress',
      'pro',
      { transition: { operationId: 'op-other-00001', kind: 'checkout', requestedAt: new Date(0) } },
    ],
  ])('is refused with %s for plan %s', async (code, planId, workspace) => {
    const world = await createOperatorWorld(workspace);
    expect(codeOf(await ask(world, 'upgrade_plan', { planId }))).toBe(code);
    expect(steps(world)).toEqual([]);
  });

  it.each<[string, Partial<ProviderSubscription>]>([
    ['subscription_ending', { cancelsAt: new Date('2026-03-20T00:00:00.000Z') }],
    ['subscription_ending', { cancelAtPeriodEnd: true, currentPeriodEnd: new Date('2026-04-01T00:00:00.000Z') }],
    ['payment_overdue', { status: 'past_due' }],
    ['payment_overdue', { status: 'unpaid' }],
    ['payment_overdue', { status: 'incomplete' }],
  ])('is refused with %s by what the provider shows, before the mirror follows: %o', async (code, found) => {
    const world = await createOperatorWorld();
    await changeAtProvider(world, found);
    expect(codeOf(await ask(world, 'upgrade_plan', { planId: 'pro' }))).toBe(code);
    expect(steps(world)).toEqual([]);
  });

  it('is refused while another change is pending, and not for one that has landed', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    await bootOperator(world, 1).ports.plans.insert({ ...business });
    world.provider.seed({ priceIds: ['price_business'] });
    expect(codeOf(await ask(world, 'upgrade_plan', { planId: 'business' }))).toBe('plan_change_pending');
    world.provider.landScheduledChange(world.subscription()!.provider.scheduleId!);
    expect((await ask(world, 'upgrade_plan', { planId: 'business' })).kind).toBe('succeeded');
  });

  it('sends the quantity that the provider shows', async () => {
    const world = await createOperatorWorld();
    await changeAtProvider(world, { quantity: 3 });
    expect((await ask(world, 'upgrade_plan', { planId: 'pro' })).kind).toBe('succeeded');
    expect(await world.provider.retrieveSubscription('sub_acme')).toMatchObject({ value: { quantity: 3 } });
  });

  it('ends failed when the card is declined, with the plan and the transition as before', async () => {
    const world = await createOperatorWorld();
    world.provider.failNext('card_declined');
    expect(codeOf(await ask(world, 'upgrade_plan', { planId: 'pro' }))).toBe('card_declined');
    expect(world.subscription()).toMatchObject({ planId: 'starter' });
    expect(world.subscription()).not.toHaveProperty('transition');
  });
});

describe('a deferred plan change', () => {
  it('makes a schedule, mirrors what is coming, and can be dropped', async () => {
    const world = await createOperatorWorld();
    expect((await ask(world, 'change_plan_later', { planId: 'pro' })).kind).toBe('succeeded');
    expect(world.subscription()).toMatchObject({
      planId: 'starter',
      pendingPlan: { planId: 'pro' },
      provider: { scheduleId: expect.any(String) },
    });
    expect(codeOf(await ask(world, 'change_plan_later', { planId: 'pro' }))).toBe('plan_already_applied');
    expect((await ask(world, 'drop_pending_change')).kind).toBe('succeeded');
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
    expect(world.subscription()?.provider).not.toHaveProperty('scheduleId');
    expect(codeOf(await ask(world, 'drop_pending_change'))).toBe('no_pending_change');
    expect(steps(world)).toEqual(['create_schedule', 'schedule_price', 'release_schedule']);
  });

  it('goes on with a schedule that an earlier failure left at the provider', async () => {
    const world = await createOperatorWorld();
    world.provider.failNext('rate_limited', { step: 'schedule_price' });
    expect(await ask(world, 'change_plan_later', { planId: 'pro' })).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'partial_effect', changed: ['create_schedule'], unchanged: ['schedule_price'] } },
    });
    expect((await ask(world, 'change_plan_later', { planId: 'pro' })).kind).toBe('succeeded');
    expect(steps(world)).toEqual(['create_schedule', 'schedule_price']);
  });

  it('replaces a pending change in one call, which leaves the former one in place when it is refused', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    await bootOperator(world, 1).ports.plans.insert({ ...business });
    world.provider.seed({ priceIds: ['price_business'] });
    const before = world.subscription()!;
    world.provider.failNext('rate_limited');
    expect(codeOf(await ask(world, 'change_plan_later', { planId: 'business' }))).toBe('provider_unavailable');
    expect(world.subscription()).toMatchObject({ pendingPlan: before.pendingPlan, provider: before.provider });
    expect((await ask(world, 'change_plan_later', { planId: 'business' })).kind).toBe('succeeded');
    expect(world.subscription()).toMatchObject({
      pendingPlan: { planId: 'business', scheduleId: before.provider.scheduleId },
    });
    expect(steps(world).slice(2)).toEqual(['schedule_price']);
  });

  it('is refused before anything when the provider does not know the price', async () => {
    const world = await createOperatorWorld();
    await bootOperator(world, 1).ports.plans.insert({ ...business });
    expect(codeOf(await ask(world, 'change_plan_later', { planId: 'business' }))).toBe('plan_not_available');
    expect(steps(world)).toEqual([]);
  });

  it('to the plan that is in force is refused while another one is pending', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    expect(await ask(world, 'change_plan_later', { planId: 'starter' })).toMatchObject({
      operation: { error: { code: 'plan_already_applied', message: /drop the change that is pending/ } },
    });
  });

  it('is not dropped once it has landed, and the mirror follows at once', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    world.provider.landScheduledChange(world.subscription()!.provider.scheduleId!);
    expect(codeOf(await ask(world, 'drop_pending_change'))).toBe('change_already_landed');
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
    expect(steps(world)).not.toContain('release_schedule');
  });

  it('fails provably while the provider cannot be asked', async () => {
    const world = await createOperatorWorld();
    world.provider.setDown(true);
    expect(codeOf(await ask(world, 'change_plan_later', { planId: 'pro' }))).toBe('provider_unavailable');
    expect(codeOf(await ask(world, 'cancel_subscription'))).toBe('provider_unavailable');
  });

  it('keeps the previous mirror and the pending intent when a replacement is ambiguous', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    const before = world.subscription()!;
    await bootOperator(world, 1).ports.plans.insert({ ...business });
    world.provider.seed({ priceIds: ['price_business'] });
    world.provider.failNext('lost_answer_after_effect', { step: 'schedule_price' });
    expect((await ask(world, 'change_plan_later', { planId: 'business' })).kind).toBe('stopped');
    expect(world.subscription()).toMatchObject({
      pendingPlan: before.pendingPlan,
      provider: before.provider,
      transition: { kind: 'change_plan' },
    });
  });
});

describe('a cancellation', () => {
  it('lets the subscription run to the end of its period, after dropping a pending change', async () => {
    const world = await createOperatorWorld({ currentPeriodEnd: new Date('2026-02-01T00:00:00.000Z') });
    await withPendingChange(world);
    expect((await ask(world, 'cancel_subscription')).kind).toBe('succeeded');
    expect(world.subscription()).toMatchObject({ status: 'active', cancelsAt: new Date('2026-02-01T00:00:00.000Z') });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
    expect(steps(world).slice(-2)).toEqual(['release_schedule', 'cancel_at_period_end']);
    expect(codeOf(await ask(world, 'cancel_subscription'))).toBe('already_cancelled');
  });

  it('says what it did when it ends after the first step, mirrors that at once, and continues from there', async () => {
    const world = await createOperatorWorld({ currentPeriodEnd: new Date('2026-02-01T00:00:00.000Z') });
    await withPendingChange(world);
    world.provider.failNext('rate_limited', { step: 'cancel_at_period_end' });
    const request = {
      operationId: 'op-cancel-0009',
      tenantId: tenant,
      action: 'cancel_subscription',
      values: {},
    } as const;
    const send = () => runOperation(bootOperator(world, 1).ports, { ...request, actor: { id: 'owner' } });
    expect(await send()).toMatchObject({
      kind: 'failed',
      operation: {
        error: {
          code: 'partial_effect',
          detail: { cause: 'provider_unavailable' },
          changed: ['release_schedule'],
          unchanged: ['cancel_at_period_end'],
        },
      },
    });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
    expect(world.subscription()).not.toHaveProperty('transition');
    expect((await send()).kind).toBe('succeeded');
    expect(steps(world).slice(2)).toEqual(['release_schedule', 'cancel_at_period_end']);
  });

  it('can be undone until the subscription ends, and no longer', async () => {
    const period = new Date('2026-02-01T00:00:00.000Z');
    const world = await createOperatorWorld({ currentPeriodEnd: period });
    expect(codeOf(await ask(world, 'keep_subscription'))).toBe('no_pending_end');
    await ask(world, 'cancel_subscription');
    expect(await ask(world, 'keep_subscription')).toMatchObject({
      kind: 'succeeded',
      operation: { result: { renewsAt: period.toISOString() } },
    });
    expect(world.subscription()).not.toHaveProperty('cancelsAt');
    expect(steps(world).slice(-1)).toEqual(['keep_after_period']);
    const ended = await createOperatorWorld({ status: 'cancelled', cancelsAt: period });
    expect(codeOf(await ask(ended, 'keep_subscription'))).toBe('workspace_closed');
  });

  it('is refused without a subscription at the provider', async () => {
    expect(codeOf(await ask(await createOperatorWorld({ provider: {} }), 'cancel_subscription'))).toBe(
      'no_provider_subscription',
    );
  });
});

describe('a free grant', () => {
  it('ends a running subscription and makes the workspace complimentary', async () => {
    const world = await createOperatorWorld();
    expect((await ask(world, 'grant_free_access', { planId: 'pro', freeUntil: '2027-01-01T00:00:00Z' })).kind).toBe(
      'succeeded',
    );
    expect(world.subscription()).toMatchObject({
      planId: 'pro',
      isComplimentary: true,
      freeUntil: new Date('2027-01-01T00:00:00.000Z'),
      provider: { customerId: 'cus_acme' },
    });
    expect(steps(world)).toEqual(['cancel_now']);
    expect(
      codeOf(await ask(world, 'grant_free_access', { planId: 'pro', freeUntil: '2027-01-01T00:00:00.000Z' })),
    ).toBe('plan_already_applied');
  });

  it('is recorded as skipped at the provider when there is nothing to end', async () => {
    const world = await createOperatorWorld({ provider: {}, planId: 'free' });
    expect((await ask(world, 'grant_free_access', { planId: 'pro' })).kind).toBe('succeeded');
    expect(world.operations()[0]?.attempts[0]?.providerCalls).toMatchObject([
      { step: 'cancel_now', skipped: expect.any(String) },
    ]);
  });
});
