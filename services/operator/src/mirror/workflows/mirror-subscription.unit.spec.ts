/** How a reading of the provider becomes the mirror, what prevents it, and how often store and provider are asked. */
import { overtakenWrites } from '@platform/durable/testing';
import { succeeded } from '@platform/kernel';
import type { ProviderSchedule, ProviderSubscription, SchedulePhase } from '@platform/payment-provider';
import { plansCollection } from '../../catalogue/store/plans';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import type { Subscription } from '../domain/subscription';
import { mirrorSubscription } from './mirror-subscription';

const periodEnd = new Date('2026-05-01T00:00:00.000Z');
const sold = { id: 'sub_acme', customerId: 'cus_acme', itemId: 'si_acme', priceId: 'price_starter' };

async function open(found: Partial<ProviderSubscription> = {}, change: Partial<Subscription> = {}) {
  const world = await createOperatorWorld(change);
  world.provider.seed({ subscriptions: [{ ...sold, currentPeriodEnd: periodEnd, ...found }] });
  const { ports } = bootOperator(world, 1);
  const asked: string[] = [];
  const { subscriptions, plans, provider } = ports;
  const watched: typeof ports = {
    ...ports,
    subscriptions: {
      ...subscriptions,
      findById: (id) => (asked.push('workspace'), subscriptions.findById(id)),
      mutate: (...write) => (asked.push('write'), subscriptions.mutate(...write)),
    },
    plans: {
      ...plans,
      findById: (id) => (asked.push(`plan ${id}`), plans.findById(id)),
      find: (...query) => (asked.push('plans'), plans.find(...query)),
    },
    provider: {
      ...provider,
      retrieveSubscription: (id) => (asked.push('provider'), provider.retrieveSubscription(id)),
    },
  };
  return { world, ports: watched, asked };
}

describe('the mirror of a workspace', () => {
  it('is written when the provider has changed, and not again', async () => {
    const { world, ports, asked } = await open({ quantity: 3 });
    expect(await mirrorSubscription(ports, tenant)).toEqual({ kind: 'mirrored' });
    expect(asked).toEqual(['workspace', 'provider', 'plan starter', 'write']);
    const written = world.subscription();
    expect(written).toMatchObject({ provider: { quantity: 3 }, currentPeriodEnd: periodEnd });
    expect(await mirrorSubscription(ports, tenant)).toEqual({ kind: 'mirrored' });
    expect(asked.slice(4)).toEqual(['workspace', 'provider', 'plan starter']);
    expect(world.subscription()).toEqual(written);
  });

  it('is written over the record that the caller has just read, without another reading', async () => {
    const { world, ports, asked } = await open({ quantity: 3 });
    expect(await mirrorSubscription(ports, tenant, world.subscription())).toEqual({ kind: 'mirrored' });
    expect(asked).toEqual(['provider', 'plan starter', 'write']);
  });

  it.each<[string, Partial<Subscription>, object]>([
    ['has no subscription', { provider: { customerId: 'cus_acme' } }, { kind: 'no_subscription' }],
    [
      'is under a transition',
      { transition: { operationId: 'op-1', kind: 'suspend', requestedAt: periodEnd } },
      { kind: 'transition_pending' },
    ],
    [
      'is being deleted',
      {
        deletion: { startedAt: periodEnd, operationId: 'op-delete-1' },
        transition: { operationId: 'op-1', kind: 'deletion', requestedAt: periodEnd },
      },
      { kind: 'deletion_started' },
    ],
    [
      'has a subscription that the provider does not have',
      { provider: { subscriptionId: 'sub_none' } },
      { kind: 'gone', reason: 'the payment provider has no such object' },
    ],
  ])('stays as it is when the workspace %s', async (_what, change, answer) => {
    const { world, ports, asked } = await open({ quantity: 3 }, change);
    const before = world.subscription();
    expect(await mirrorSubscription(ports, tenant)).toEqual(answer);
    expect(world.subscription()).toEqual(before);
    expect(asked).not.toContain('write');
  });

  it('does not exist for a workspace without a record', async () => {
    const { ports, asked } = await open();
    expect(await mirrorSubscription(ports, 'other')).toEqual({ kind: 'no_workspace' });
    expect(asked).toEqual(['workspace']);
  });

  it('stays as it is while the provider does not answer', async () => {
    const { world, ports } = await open();
    world.provider.setDown(true);
    const reason = 'the payment provider did not answer a read (refused)';
    expect(await mirrorSubscription(ports, tenant)).toEqual({ kind: 'provider_unavailable', reason });
  });

  it('is read again from the provider for each race that it loses, at most twelve times', async () => {
    const { ports, asked } = await open({ quantity: 3 });
    const subscriptions = overtakenWrites(ports.subscriptions);
    expect(await mirrorSubscription({ ...ports, subscriptions }, tenant)).toEqual({
      kind: 'store_unavailable',
      reason: 'the mirror could not be written',
    });
    expect(asked.filter((each) => each === 'provider')).toHaveLength(12);
  });
});

describe('the plan of a mirror', () => {
  const twin = {
    name: 'Starter of 2025',
    amountCents: 1900,
    currency: 'usd',
    priceId: 'price_starter',
    offered: false,
  };

  it('is the one with the price at the provider', async () => {
    const { world, ports, asked } = await open({ priceId: 'price_pro' });
    await mirrorSubscription(ports, tenant);
    expect(world.subscription()?.planId).toBe('pro');
    expect(asked).toEqual(['workspace', 'provider', 'plan starter', 'plans', 'write']);
  });

  it.each(['si_acme', 'si_extra'])('is that of the item that sells it, also while %s is mirrored', async (itemId) => {
    const plan = { itemId: 'si_acme', priceId: 'price_pro', quantity: 3, currentPeriodEnd: periodEnd };
    const extra = { itemId: 'si_extra', priceId: 'price_extra', otherItems: [plan] };
    const { world, ports } = await open(extra, { provider: { subscriptionId: 'sub_acme', itemId } });
    await mirrorSubscription(ports, tenant);
    expect(world.subscription()).toMatchObject({ planId: 'pro', provider: { itemId: 'si_acme', quantity: 3 } });
  });

  it('stays where no plan has the price, which is recorded as one that is in no plan', async () => {
    const { world, ports } = await open({ priceId: 'price_own', quantity: 3 });
    expect(await mirrorSubscription(ports, tenant)).toEqual({ kind: 'mirrored' });
    const unlisted = { planId: 'starter', unlistedPriceId: 'price_own', provider: { quantity: 3 } };
    expect(world.subscription()).toMatchObject(unlisted);
  });

  it('stays where another plan has the same price', async () => {
    const { world, ports } = await open();
    await world.store.collection(plansCollection).insert({ _id: 'a-starter', ...twin });
    await mirrorSubscription(ports, tenant);
    expect(world.subscription()?.planId).toBe('starter');
  });

  it('is the one that was pending where several have the price that has landed', async () => {
    const pendingPlan = { planId: 'z-pro', at: periodEnd, scheduleId: 'sub_sched_1' };
    const { world, ports } = await open({ priceId: 'price_pro' }, { pendingPlan });
    await world.store.collection(plansCollection).insert({ _id: 'z-pro', ...twin, priceId: 'price_pro' });
    await mirrorSubscription(ports, tenant);
    expect(world.subscription()?.planId).toBe('z-pro');
  });

  it('is found where the catalog has lost the former one; of several, the first by id', async () => {
    const { world, ports } = await open({}, { planId: 'lost' });
    await world.store.collection(plansCollection).insert({ _id: 'a-starter', ...twin });
    await mirrorSubscription(ports, tenant);
    expect(world.subscription()?.planId).toBe('a-starter');
  });
});

describe('the pending plan of a mirror', () => {
  const phase = (priceId: string, month: number): SchedulePhase => ({
    startDate: new Date(Date.UTC(2026, month, 1)),
    endDate: new Date(Date.UTC(2026, month + 1, 1)),
    priceId,
    settings: { items: [{ price: priceId }] },
  });
  const running = phase('price_starter', 3);
  const twin = { name: 'Pro', amountCents: 4_900, currency: 'usd', priceId: 'price_pro', offered: true };
  const mirrorUnder = async (phases: readonly SchedulePhase[], change: Partial<Subscription> = {}) => {
    const { world, ports } = await open({ scheduleId: 'sub_sched_1' }, change);
    await world.store.collection(plansCollection).insert({ _id: 'z-pro', ...twin });
    const schedule: ProviderSchedule = {
      id: 'sub_sched_1',
      status: 'active',
      subscriptionId: 'sub_acme',
      phases,
      runningSince: running.startDate,
      metadata: {},
    };
    const provider: typeof ports.provider = {
      ...ports.provider,
      retrieveSchedule: async (id) => {
        expect(id).toBe('sub_sched_1');
        return succeeded(schedule);
      },
    };
    expect(await mirrorSubscription({ ...ports, provider }, tenant)).toEqual({ kind: 'mirrored' });
    return world.subscription();
  };

  it('is the one that the next phase sells, from its first day', async () => {
    expect(await mirrorUnder([running, phase('price_pro', 4)])).toMatchObject({
      planId: 'starter',
      pendingPlan: { planId: 'pro', at: new Date(Date.UTC(2026, 4, 1)), scheduleId: 'sub_sched_1' },
      provider: { scheduleId: 'sub_sched_1' },
    });
  });

  it.each(['pro', 'z-pro'])('stays %s where several plans have the price of the next phase', async (planId) => {
    const pendingPlan = { planId, at: periodEnd, scheduleId: 'sub_sched_1' };
    const mirrored = await mirrorUnder([running, phase('price_pro', 4)], { pendingPlan });
    expect(mirrored).toMatchObject({ planId: 'starter', pendingPlan: { planId } });
  });

  it.each<[string, readonly SchedulePhase[]]>([
    ['the last phase has begun', [phase('price_pro', 2), running]],
    ['no plan has the price of the next phase', [running, phase('price_own', 4)]],
  ])('is none when %s', async (_when, phases) => {
    const pendingPlan = { planId: 'pro', at: periodEnd, scheduleId: 'sub_sched_1' };
    const mirrored = await mirrorUnder(phases, { pendingPlan });
    expect(mirrored).not.toHaveProperty('pendingPlan');
    expect(mirrored).toMatchObject({ provider: { scheduleId: 'sub_sched_1' } });
  });

  it('stays with the whole mirror when the schedule cannot be read', async () => {
    const { world, ports } = await open({ scheduleId: 'sub_sched_none', quantity: 3 });
    const before = world.subscription();
    expect(await mirrorSubscription(ports, tenant)).toEqual({
      kind: 'provider_unavailable',
      reason: 'its schedules could not be read',
    });
    expect(world.subscription()).toEqual(before);
  });
});
