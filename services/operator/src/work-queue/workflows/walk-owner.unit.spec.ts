/** The rows of the work queue compared with their owners: by walks over all of them, and by single reads. */
import fc from 'fast-check';
import { workItemOf } from '../domain/work-item';
import { createQueueKeeper } from './keep-queue';
import { refreshItem } from './refresh-item';
import { walkOwner } from './walk-owner';
import { createQueueWorld, queueStart, workFacts } from '../testing/work-queue-world';

describe('a walk', () => {
  it('leaves exactly what the owner has, whatever was there before, and asks for single records only where they differ', async () => {
    const owned = fc.uniqueArray(
      fc.record({
        itemId: fc.constantFrom(...'abcdefghijkl'),
        since: fc.integer({ min: 0, max: 4 }),
        status: fc.constantFrom('running', 'reconciliation_required'),
      }),
      { selector: ({ itemId }) => itemId },
    );
    await fc.assert(
      fc.asyncProperty(owned, owned, async (before, now) => {
        const toMap = (all: typeof before) =>
          new Map(
            all.map(({ itemId, since, status }) => [
              itemId,
              workFacts(itemId, { since: new Date(queueStart + since), status }),
            ]),
          );
        const world = createQueueWorld(toMap(now));
        for (const each of toMap(before).values()) await world.items.insert(workItemOf(each, world.clock.now()));
        await walkOwner(world.ports, world.owner);
        expect(
          world.items
            .all()
            .map(({ itemId, status, since }) => ({ itemId, status, since: since.getTime() - queueStart }))
            .sort((a, b) => (a.itemId < b.itemId ? -1 : 1)),
        ).toEqual([...now].sort((a, b) => (a.itemId < b.itemId ? -1 : 1)));
        world.owner.calls = 0;
        expect(await walkOwner(world.ports, world.owner)).toEqual({ seen: now.length, repaired: 0 });
        expect(world.owner.calls).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('that cannot read its owner removes nothing and says so', async () => {
    const world = createQueueWorld(new Map([['a', workFacts('a')]]));
    const keeper = createQueueKeeper(world.ports, 0);
    expect(keeper.sources()).toMatchObject([{ state: 'reading' }]);
    await keeper.runRound(() => false);
    expect(keeper.sources()).toMatchObject([{ state: 'current', walkedAt: expect.any(String) }]);
    world.owner.away = true;
    world.clock.advance(60_000);
    await keeper.runRound(() => false);
    expect(keeper.sources()).toMatchObject([{ state: 'unavailable', problem: 'away' }]);
    expect(world.items.all()).toHaveLength(1);
  });
});

describe('a look at one item', () => {
  it('brings, changes and removes its row, and tells of each', async () => {
    const world = createQueueWorld();
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('absent');
    world.records.set('a', workFacts('a'));
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('changed');
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('unchanged');
    world.records.set('a', workFacts('a', { state: 'waiting', status: 'awaiting_receipts' }));
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('changed');
    world.records.delete('a');
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('removed');
    expect(world.changes.map(({ state }) => state)).toEqual(['stopped', 'waiting', null]);
    expect(await refreshItem(world.ports, 'delivery', 'a')).toMatchObject({ unavailable: expect.any(String) });
  });

  it('by two at once ends as the owner says, also when one of them has read earlier', async () => {
    const world = createQueueWorld();
    world.records.set('a', workFacts('a'));
    const slow = refreshItem(world.ports, 'operation', 'a');
    world.records.set('a', workFacts('a', { status: 'running', state: 'running' }));
    await Promise.all([slow, refreshItem(world.ports, 'operation', 'a')]);
    await refreshItem(world.ports, 'operation', 'a');
    expect(world.items.all()).toMatchObject([{ status: 'running' }]);
  });
});
