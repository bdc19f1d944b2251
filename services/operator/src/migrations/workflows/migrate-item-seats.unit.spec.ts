/** What changes at the provider while the mirror is late: a migration undoes no units, and charges nothing that ends. */
import { mirrorRefreshesCollection } from '../../mirror/store/mirror-refreshes';
import { bootMigrations, createMigrationWorld, itemStatuses, jobOf, request } from '../testing/migration-world';

const [id, customerId, itemId] = ['sub_ws-001', 'cus_ws-001', 'si_ws-001'];
const sold = { customerId, subscriptionId: id, itemId };

async function withSeats(mirrored: number | undefined, atProvider: number) {
  const provider = { ...sold, ...(mirrored !== undefined && { quantity: mirrored }) };
  const world = await createMigrationWorld(2, { 1: { provider } });
  world.provider.seed({
    subscriptions: [{ id, customerId, itemId, priceId: 'price_starter', quantity: atProvider }],
  });
  const read = async () => {
    const found = await world.provider.retrieveSubscription(id);
    return found.outcome === 'succeeded' ? [found.value.priceId, found.value.quantity] : found;
  };
  return { world, read };
}

describe('a workspace of a migration whose units have changed at the provider', () => {
  it.each([
    ['more', 3, 5],
    ['fewer', 3, 2],
    ['more than the one of a record without them', undefined, 4],
  ])('to %s keeps them: it is skipped, and its mirror is read again', async (_what, mirrored, atProvider) => {
    const { world, read } = await withSeats(mirrored, atProvider);
    await bootMigrations(world, 1).submit();
    expect(await read()).toEqual(['price_starter', atProvider]);
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'skipped', 'ws-002': 'succeeded' });
    expect(world.items()[0]).toMatchObject({ reason: 'subscription_changed', providerCalls: [] });
    expect(await world.store.collection(mirrorRefreshesCollection).findById('ws-001')).toMatchObject({
      eventId: 'mig-00000001:ws-001',
      reason: 'operation',
    });
  });

  it.each([
    ['is to end with its period', { cancelAtPeriodEnd: true, currentPeriodEnd: new Date('2026-03-01T00:00:00.000Z') }],
    ['is to end on a date', { cancelsAt: new Date('2026-03-01T00:00:00.000Z') }],
    ['owes a payment', { status: 'past_due' as const }],
    ['has stopped in a trial without a card', { status: 'paused' as const }],
  ])('is charged nothing where it %s there and its mirror is late', async (_what, change) => {
    const world = await createMigrationWorld(2);
    world.provider.seed({ subscriptions: [{ id, customerId, itemId, priceId: 'price_starter', ...change }] });
    await bootMigrations(world, 1).submit();
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'skipped', 'ws-002': 'succeeded' });
    expect(world.provider.sends()).toHaveLength(1);
    expect(await world.store.collection(mirrorRefreshesCollection).findById('ws-001')).not.toBeNull();
  });

  it.each([
    ['another plan of the catalog', 'price_pro', {}],
    ['one that no plan has', 'price_negotiated', { quantity: 3 }],
  ])(
    'is left as it is where a person has changed its price to %s and the mirror is late',
    async (_what, priceId, more) => {
      const world = await createMigrationWorld(2, { 1: { provider: { ...sold, ...more } } });
      world.provider.seed({
        priceIds: ['price_negotiated'],
        subscriptions: [{ id, customerId, itemId, priceId, ...more }],
      });
      await bootMigrations(world, 1).submit();
      expect(itemStatuses(world)).toEqual({ 'ws-001': 'skipped', 'ws-002': 'succeeded' });
      expect(world.items()[0]).toMatchObject({ reason: 'subscription_changed', providerCalls: [] });
      expect(await world.provider.retrieveSubscription(id)).toMatchObject({ value: { priceId } });
      expect(await world.store.collection(mirrorRefreshesCollection).findById('ws-001')).not.toBeNull();
    },
  );

  it('is not begun where that its mirror is to be read again cannot be noted', async () => {
    const { world } = await withSeats(3, 5);
    const { ports } = bootMigrations(world, 1);
    const insert = async () => ({ outcome: 'unknown', reason: 'unreachable' }) as const;
    await bootMigrations(world, 1, { ports: { refreshes: { ...ports.refreshes, insert } } }).submit();
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending', 'ws-002': 'pending' });
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'store_unavailable' } });
  });

  it('moves with those that its mirror has', async () => {
    const { world, read } = await withSeats(3, 3);
    await bootMigrations(world, 1).submit();
    expect(await read()).toEqual(['price_pro', 3]);
  });

  it('fails while the provider does not say how many they are, and nothing is sent', async () => {
    const { world } = await withSeats(3, 5);
    world.provider.setDown(true);
    const answers: boolean[] = [];
    const governor = {
      acquire: async () => {},
      liveCall() {},
      answered: (a: boolean) => void answers.push(a),
      close() {},
    };
    await bootMigrations(world, 1, { ports: { governor } }).submit(request);
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'failed', 'ws-002': 'failed' });
    expect(world.items()[0]).toMatchObject({
      error: { code: 'provider_unavailable' },
      providerCalls: [{ step: 'change_plan', skipped: expect.stringContaining('did not say what it sells') as string }],
    });
    expect([world.provider.sends(), answers]).toEqual([[], [false, false]]);
    expect(world.subscription('ws-001')).not.toHaveProperty('transition');
  });
});
