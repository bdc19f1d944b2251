/** The one call of a workspace of a migration: its permit, what is asked of the provider, and its record. */
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import { bootMigrations, createMigrationWorld, itemStatuses, jobOf, request } from '../testing/migration-world';

/** A governor that notes what it is asked and what it learns. */
function noting() {
  const notes: (string | boolean)[] = [];
  const acquire = async () => void notes.push('permit');
  return {
    notes,
    governor: { acquire, liveCall() {}, answered: (available: boolean) => void notes.push(available), close() {} },
  };
}

describe('the permits of the governor', () => {
  it.each(providerFaults.map(({ kind, code }) => [kind, code !== 'provider_unavailable'] as const))(
    'are paused by nothing but a refusal before execution: %s, available %s',
    async (kind, available) => {
      const world = await createMigrationWorld(1);
      world.provider.failNext(kind);
      const { notes, governor } = noting();
      await bootMigrations(world, 1, { ports: { governor } }).submit();
      expect(notes).toEqual(['permit', available]);
    },
  );

  it('are not taken for a change that is not sent to the provider', async () => {
    const world = await createMigrationWorld(2, {
      1: { planId: 'free', provider: {} },
      2: { planId: 'free', provider: {} },
    });
    const { notes, governor } = noting();
    await bootMigrations(world, 1, { ports: { governor } }).submit({
      ...request,
      fromPlanId: 'free',
      targetPlanId: 'hobby',
    });
    expect([notes, jobOf(world).tally.succeeded]).toEqual([[], 2]);
  });
});

describe('the call of an item', () => {
  it('changes the price of the item of the subscription, and names a quantity only where there is one', async () => {
    const effects: unknown[] = [];
    const provider = { customerId: 'cus_ws-002', subscriptionId: 'sub_ws-002', itemId: 'si_ws-002', quantity: 3 };
    const world = await createMigrationWorld(2, { 2: { provider } });
    const { customerId, subscriptionId: id, itemId, quantity } = provider;
    world.provider.seed({ subscriptions: [{ id, customerId, itemId, priceId: 'price_starter', quantity }] });
    const { ports } = bootMigrations(world, 1);
    const watched = Object.assign(Object.create(ports.provider) as typeof ports.provider, {
      prepare: (...call: Parameters<PaymentProvider['prepare']>) => {
        effects.push(call);
        return ports.provider.prepare(...call);
      },
    });
    await bootMigrations(world, 1, { ports: { provider: watched } }).submit();
    const effectOf = (tenantId: string) => ({
      step: 'change_plan',
      tenantId,
      subscriptionId: `sub_${tenantId}`,
      itemId: `si_${tenantId}`,
      priceId: 'price_pro',
    });
    expect(effects).toStrictEqual([
      [{ operationId: 'mig-00000001' }, effectOf('ws-001')],
      [{ operationId: 'mig-00000001' }, { ...effectOf('ws-002'), quantity: 3 }],
    ]);
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'succeeded' });
  });

  it('brings the end of the paid period into the mirror, where the provider has one', async () => {
    const world = await createMigrationWorld(2);
    const currentPeriodEnd = new Date('2026-07-01T00:00:00.000Z');
    world.provider.seed({
      subscriptions: [
        { id: 'sub_ws-001', customerId: 'cus_ws-001', priceId: 'price_starter', itemId: 'si_ws-001', currentPeriodEnd },
      ],
    });
    await bootMigrations(world, 1).submit();
    expect(world.subscription('ws-001')).toMatchObject({ planId: 'pro', currentPeriodEnd });
    expect(world.subscription('ws-002')).toMatchObject({ planId: 'pro' });
    expect(world.subscription('ws-002')).not.toHaveProperty('currentPeriodEnd');
  });

  it('is recorded with its answer, and the same alert tells of an unknown one whatever process stops the item', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('lost_answer_before_effect', { path: '/v1/subscriptions/sub_ws-001' });
    const { submit, sweepOutbox } = bootMigrations(world, 1);
    await submit();
    await sweepOutbox();
    expect(world.items()[0]?.providerCalls).toMatchObject([
      { step: 'change_plan', idempotencyKey: 'mig-00000001:ws-001:plan', sentAt: expect.any(Date), outcome: 'unknown' },
    ]);
    expect(world.published.map(({ id }) => id)).toContain('alert:operator:migration_item:mig-00000001:ws-001:1');
    expect(world.published.find(({ id }) => id.startsWith('alert:operator:migration_item'))?.body).toMatchObject({
      tenantId: 'ws-001',
    });
  });
});
