/** The end of a transition that an item held: after its outcome is written, by its executor or by a later sweep. */
import { forged, losingWrites } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import type { Subscription } from '../../mirror/domain/subscription';
import { newItem, type MigrationItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld } from '../testing/migration-world';
import { finishClearingItems } from './clear-item-transition';
import { itemInvestigation } from './resolve-migration';

const at = new Date('2026-03-01T00:00:00.000Z');
const job = 'mig-00000001';
const statuses = ['running', 'succeeded', 'failed', 'skipped', 'reconciliation_required'] as const;

/** A record in a status that no step has led to. */
const staged = (record: object) => record as never;

const held = (operationId: string): Partial<Subscription> => ({
  transition: { operationId, kind: 'change_plan', targetPlanId: 'pro', requestedAt: at },
});

/** A workspace for each status of an item, all with their transitions. */
async function leftBehind() {
  const world = await createMigrationWorld(0);
  const { ports } = bootMigrations(world, 1);
  for (const [place, status] of statuses.entries()) {
    await world.arrive(status, held(`${job}:${status}`));
    const item = newItem(job, place + 1, world.subscription(status));
    await ports.items.insert(forged<MigrationItem>(staged({ ...item, status })));
  }
  const holders = () =>
    world
      .subscriptions()
      .filter(({ transition }) => transition)
      .map(({ _id }) => _id);
  return { world, ports, holders };
}

describe('the sweep of transitions that items left', () => {
  it('clears those of items that have ended, and mirrors the plan of those alone that succeeded', async () => {
    const { world, ports, holders } = await leftBehind();
    expect(await finishClearingItems(ports)).toBe(3);
    expect(holders()).toEqual(['running', 'reconciliation_required']);
    expect(Object.fromEntries(world.subscriptions().map(({ _id, planId }) => [_id, planId]))).toEqual({
      running: 'starter',
      succeeded: 'pro',
      failed: 'starter',
      skipped: 'starter',
      reconciliation_required: 'starter',
    });
    expect(await finishClearingItems(ports)).toBe(0);
  });

  it('leaves transitions alone that belong to operations or to no item, and reads nothing for an operation', async () => {
    const { world, ports, holders } = await leftBehind();
    await world.arrive('held', held('op-other-00001'));
    await world.arrive('lost', held('mig-00000009:lost'));
    const asked: string[] = [];
    const findById = (id: string) => (asked.push(id), ports.items.findById(id));
    await world.arrive('free');
    const read: string[] = [];
    const find: typeof ports.subscriptions.find = async (...query) => {
      const page = await ports.subscriptions.find(...query);
      read.push(...page.map(({ _id }) => _id));
      return page;
    };
    await finishClearingItems({
      ...ports,
      items: { ...ports.items, findById },
      subscriptions: { ...ports.subscriptions, find },
    });
    expect(read.sort()).toEqual([...statuses, 'held', 'lost'].sort());
    expect(holders()).toEqual(['running', 'reconciliation_required', 'held', 'lost']);
    expect(asked.sort()).toEqual([...statuses.map((status) => `${job}:${status}`), 'mig-00000009:lost'].sort());
  });

  it('sets an item aside that it cannot deal with, and goes on with the others', async () => {
    const { ports, holders } = await leftBehind();
    const findById = async (id: string) => {
      if (id.endsWith(':failed')) throw new TypeError('not a record');
      return ports.items.findById(id);
    };
    expect(await finishClearingItems({ ...ports, items: { ...ports.items, findById } })).toBe(2);
    expect(holders()).toEqual(['running', 'failed', 'reconciliation_required']);
    expect(ports.items.quarantine.ids()).toEqual([`${job}:failed`]);
  });

  it('names each item of which the transition could not be cleared, and does not count it', async () => {
    const { ports } = await leftBehind();
    const warned: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
    expect(await finishClearingItems({ ...ports, log })).toBe(3);
    expect(warned).toEqual([]);
    const left = await leftBehind();
    const subscriptions = losingWrites(left.ports.subscriptions);
    expect(await finishClearingItems({ ...left.ports, subscriptions, log })).toBe(0);
    expect(warned).toEqual(['failed', 'skipped', 'succeeded'].map((status) => ({ itemId: `${job}:${status}` })));
  });
});

describe('the mirror of a workspace after its item has ended', () => {
  it('is read once more from the provider when people resolved the item, and only then', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('lost_answer_after_effect');
    const { submit, ports, sweepOutbox } = bootMigrations(world, 1);
    await submit();
    await sweepOutbox();
    const notes = async () =>
      (await ports.refreshes.find({}, { sort: { _id: 1 }, limit: 10 })).map(({ _id, eventId, reason }) => [
        _id,
        eventId,
        reason,
      ]);
    expect(await notes()).toEqual([]);
    const planned = await itemInvestigation.plan(ports, {
      id: 'mig-00000001:ws-001',
      outcome: 'applied',
      providerObject: 'sub_ws-001',
      executorStopped: 'the process list of its host was read',
      by: 'ann@example.com',
    });
    if (!planned.ok) throw new Error(planned.error);
    await itemInvestigation.record(ports, planned.value);
    expect(await notes()).toEqual([['ws-001', 'resolution:mig-00000001:ws-001', 'resolution']]);
  });
});
