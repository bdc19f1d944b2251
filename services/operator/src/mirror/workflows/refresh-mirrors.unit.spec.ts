/** Notes to read a mirror again: how they are made, when they are removed, and how often they are tried. */
import { losingWrites } from '@platform/durable/testing';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { mirrorRefreshesCollection } from '../store/mirror-refreshes';
import { refreshMirror, refreshMirrors, requestRefresh } from './refresh-mirrors';

async function open() {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  const reads: string[] = [];
  const provider: typeof ports.provider = {
    ...ports.provider,
    retrieveSubscription: (id) => (reads.push(id), ports.provider.retrieveSubscription(id)),
  };
  const notes = () => world.store.collection(mirrorRefreshesCollection).all();
  return { world, ports: { ...ports, provider }, reads, notes };
}

describe('a note to read a mirror again', () => {
  it('is of the last event, and has a new revision with each of them', async () => {
    const { ports, notes } = await open();
    expect(await requestRefresh(ports, tenant, 'evt_1', 'provider_unavailable')).toBe(true);
    const [first] = notes();
    expect(first).toMatchObject({ _id: tenant, eventId: 'evt_1', reason: 'provider_unavailable' });
    expect(await requestRefresh(ports, tenant, 'evt_1', 'provider_unavailable')).toBe(true);
    const [repeated] = notes();
    expect(repeated?.revision).not.toBe(first?.revision);
    expect(await requestRefresh(ports, tenant, 'evt_2', 'transition_pending')).toBe(true);
    expect(notes()).toMatchObject([{ _id: tenant, eventId: 'evt_2', reason: 'transition_pending' }]);
  });

  it('is made with one write where there is none', async () => {
    const { world, ports, notes } = await open();
    let reads = 0;
    const refreshes: typeof ports.refreshes = {
      ...ports.refreshes,
      findById: (id) => ((reads += 1), ports.refreshes.findById(id)),
    };
    expect(await requestRefresh({ refreshes }, tenant, 'evt_1', 'operation')).toBe(true);
    expect([notes().length, reads]).toEqual([1, 0]);
    world.store.setAvailable(false);
    expect(await requestRefresh({ refreshes }, tenant, 'evt_2', 'operation')).toBe(false);
    expect(notes()).toMatchObject([{ eventId: 'evt_1' }]);
  });
});

describe('the refresh of a workspace', () => {
  it('reads nothing of the provider when there is no note', async () => {
    const { ports, reads } = await open();
    expect(await refreshMirror(ports, tenant)).toBe(true);
    expect(reads).toEqual([]);
  });

  it('removes the note once the mirror is written, without another look at it', async () => {
    const { world, ports, reads, notes } = await open();
    const end = new Date('2026-05-01T00:00:00.000Z');
    world.provider.seed({ subscriptions: [{ id: 'sub_acme', customerId: 'cus_acme', currentPeriodEnd: end }] });
    await requestRefresh(ports, tenant, 'evt_1', 'operation');
    const looked: string[] = [];
    const refreshes: typeof ports.refreshes = {
      ...ports.refreshes,
      findById: (id) => (looked.push(id), ports.refreshes.findById(id)),
    };
    expect(await refreshMirror({ ...ports, refreshes }, tenant)).toBe(true);
    expect(world.subscription()?.currentPeriodEnd).toEqual(end);
    expect([looked, reads, notes()]).toEqual([[tenant], ['sub_acme'], []]);
  });

  it('removes the note of a workspace that has nothing to mirror', async () => {
    const { ports, notes } = await open();
    await requestRefresh(ports, 'other', 'evt_1', 'operation');
    expect(await refreshMirror(ports, 'other')).toBe(true);
    expect(notes()).toEqual([]);
  });

  it.each(['the transition', 'the provider', 'the store'] as const)('keeps the note because of %s', async (part) => {
    const { world, ports, reads, notes } = await open();
    await requestRefresh(ports, tenant, 'evt_1', 'operation');
    const before = world.subscription()!;
    const transition = { operationId: 'op-other-00001', kind: 'suspend', requestedAt: new Date(0) } as const;
    if (part === 'the transition') await ports.subscriptions.mutate(before, { ...before, transition });
    if (part === 'the provider') world.provider.setDown(true);
    const subscriptions = losingWrites(ports.subscriptions);
    expect(await refreshMirror(part === 'the store' ? { ...ports, subscriptions } : ports, tenant)).toBe(false);
    expect(notes()).toMatchObject([{ _id: tenant, eventId: 'evt_1' }]);
    expect(reads).toHaveLength({ 'the transition': 0, 'the provider': 1, 'the store': 12 }[part]);
  });

  it('reads again when another event was noted meanwhile, and gives up after eight of them', async () => {
    const { ports, reads, notes } = await open();
    await requestRefresh(ports, tenant, 'evt_0', 'operation');
    const provider: typeof ports.provider = {
      ...ports.provider,
      retrieveSubscription: async (id) => {
        await requestRefresh(ports, tenant, `evt_${reads.length + 1}`, 'provider_unavailable');
        return ports.provider.retrieveSubscription(id);
      },
    };
    expect(await refreshMirror({ ...ports, provider }, tenant)).toBe(false);
    expect(reads).toHaveLength(8);
    expect(notes()).toMatchObject([{ eventId: 'evt_8' }]);
    expect(await refreshMirror(ports, tenant)).toBe(true);
    expect(notes()).toEqual([]);
  });
});

describe('a round over all notes', () => {
  it('tries each of them and counts those that remain', async () => {
    const { world, ports, reads, notes } = await open();
    for (const tenantId of ['absent-1', tenant, 'absent-2'])
      await requestRefresh(ports, tenantId, 'evt_1', 'provider_unavailable');
    world.provider.setDown(true);
    expect(await refreshMirrors(ports)).toBe(1);
    expect(notes()).toMatchObject([{ _id: tenant }]);
    world.provider.setDown(false);
    expect(await refreshMirrors(ports)).toBe(0);
    expect(notes()).toEqual([]);
    expect(reads).toEqual(['sub_acme', 'sub_acme']);
  });

  it('ends before the next note when the process stops', async () => {
    const { ports, notes } = await open();
    for (const tenantId of ['absent-1', 'absent-2', 'absent-3'])
      await requestRefresh(ports, tenantId, 'evt_1', 'provider_unavailable');
    let asked = 0;
    expect(await refreshMirrors(ports, () => (asked += 1) > 2)).toBe(0);
    expect(notes()).toMatchObject([{ _id: 'absent-3' }]);
  });
});
