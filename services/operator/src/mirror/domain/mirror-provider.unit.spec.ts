/** What the provider's subscription makes of the mirror. */
import type { ProviderSubscriptionStatus } from '@platform/payment-provider';
import { mirrorOf, type SubscriptionAtProvider } from './mirror-provider';
import { mirror, type Subscription } from './subscription';

const at = new Date('2026-01-01T00:00:00.000Z');
const now = new Date('2026-02-01T00:00:00.000Z');
const periodEnd = new Date('2026-03-01T00:00:00.000Z');
const subscription: Subscription = {
  _id: 'acme',
  revision: 'r1',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  planId: 'starter',
  provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_former' },
  isComplimentary: false,
};
const found: SubscriptionAtProvider = {
  status: 'active',
  itemId: 'si_acme',
  priceId: 'price_starter',
  quantity: 1,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: periodEnd,
  scheduleId: null,
};
const mirrored = (
  change: Partial<SubscriptionAtProvider>,
  { before = {}, planId = 'starter' }: { readonly before?: Partial<Subscription>; readonly planId?: string } = {},
) => {
  const current = { ...subscription, ...before };
  return mirror(current, mirrorOf(current, { ...found, ...change }, planId, undefined, now));
};

describe('the mirror of a subscription', () => {
  it('has its item, its period and its plan', () => {
    expect(mirrored({}, { planId: 'pro' })).toStrictEqual({
      ...subscription,
      planId: 'pro',
      provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_acme' },
      currentPeriodEnd: periodEnd,
    });
  });

  it('keeps its plan when no plan has the price, and the price until a plan is named again', () => {
    const unknown = mirror(subscription, mirrorOf(subscription, found, undefined, undefined, now));
    expect(unknown).toMatchObject({ planId: 'starter', unlistedPriceId: 'price_starter' });
    expect(mirror(unknown, { currentPeriodEnd: now }).unlistedPriceId).toBe('price_starter');
    expect(mirror(unknown, { planId: 'pro' })).not.toHaveProperty('unlistedPriceId');
    expect(mirrored({}, { before: unknown })).not.toHaveProperty('unlistedPriceId');
  });

  it('has the plan to which its schedule leads, and loses it with the schedule', () => {
    const pendingPlan = { planId: 'pro', at: periodEnd, scheduleId: 'sub_sched_1' };
    const scheduled = { ...found, scheduleId: 'sub_sched_1' };
    const changing = mirror(subscription, mirrorOf(subscription, scheduled, 'starter', pendingPlan, now));
    expect(changing).toMatchObject({ pendingPlan, provider: { scheduleId: 'sub_sched_1' } });
    const dropped = mirrored({}, { before: changing });
    expect(dropped).not.toHaveProperty('pendingPlan');
    expect(dropped.provider).not.toHaveProperty('scheduleId');
  });

  it.each<[ProviderSubscriptionStatus, Subscription['status']]>([
    ['active', 'active'],
    ['trialing', 'trialing'],
    ['past_due', 'past_due'],
    ['unpaid', 'past_due'],
    ['incomplete', 'past_due'],
    ['canceled', 'cancelled'],
    ['incomplete_expired', 'cancelled'],
    ['paused', 'past_due'],
  ])('that is %s is %s, and stays suspended', (status, own) => {
    expect(mirrored({ status }).status).toBe(own);
    expect(mirrored({ status }, { before: { status: 'suspended' } }).status).toBe('suspended');
  });

  it('keeps its status where the provider has a new one', () => {
    expect(mirrored({ status: 'of_later_years' }, { before: { status: 'trialing' } }).status).toBe('trialing');
  });

  it('has a quantity only where there are several', () => {
    const several = mirrored({ quantity: 3 });
    expect(several.provider).toMatchObject({ quantity: 3 });
    expect(mirrored({ quantity: 1 }, { before: several }).provider).not.toHaveProperty('quantity');
  });

  it('is overdue since the first reading that found it so, until it is paid', () => {
    const overdue = mirrored({ status: 'past_due' });
    expect(overdue.overdueSince).toEqual(now);
    expect(mirrored({ status: 'unpaid' }, { before: { overdueSince: at } }).overdueSince).toEqual(at);
    expect(mirrored({ status: 'active' }, { before: overdue })).not.toHaveProperty('overdueSince');
  });

  it.each<[string, Partial<SubscriptionAtProvider>, Date | undefined]>([
    ['when its period ends, if it is cancelled to then', { cancelAtPeriodEnd: true }, periodEnd],
    ['never, if it goes on', {}, undefined],
    ['on the date that a person chose at the provider', { cancelsAt: now }, now],
    ['never, if it has ended already', { cancelAtPeriodEnd: true, status: 'canceled' }, undefined],
    ['at no known time, if it has no period', { cancelAtPeriodEnd: true, currentPeriodEnd: null }, undefined],
  ])('ends %s', (_when, change, cancelsAt) => {
    expect(mirrored(change, { before: { cancelsAt: at } }).cancelsAt).toEqual(cancelsAt);
  });

  it('loses the end of its period with the period', () => {
    const without = mirrored({ currentPeriodEnd: null }, { before: { currentPeriodEnd: at } });
    expect(without).not.toHaveProperty('currentPeriodEnd');
  });
});
