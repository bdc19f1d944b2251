/** An interrupted migration: stopped by the next boot or by an orderly end, with its evidence, and never replayed. */
import { migrationItemSteps } from '../domain/migration-item';
import { createLatch } from '@platform/testing';
import { bootMigrations, createMigrationWorld, itemStatuses, jobOf, violationsOf } from '../testing/migration-world';
import { stopInterruptedMigrations } from './stop-migration';

describe('an interrupted migration', () => {
  async function interrupted(lanes = 2) {
    const world = await createMigrationWorld(100);
    const latch = createLatch();
    let turns = 0;
    const governor = {
      acquire: () => ((turns += 1) > 10 ? latch.wait() : Promise.resolve()),
      liveCall() {},
      answered() {},
      close() {},
    };
    const first = bootMigrations(world, 1, { lanes, ports: { governor } });
    const running = first.submit();
    await latch.reached(lanes);
    return { world, first, running, latch };
  }

  it('is never completed by an executor of which one lane found itself stale while another waited for an outcome', async () => {
    const world = await createMigrationWorld(2);
    const answer = createLatch();
    const stale = createLatch();
    const { ports } = bootMigrations(world, 1);
    const items = Object.assign(Object.create(ports.items) as typeof ports.items, {
      mutate: async (...[current, next, announce]: Parameters<typeof ports.items.mutate>) => {
        if (next._id.endsWith('ws-001') && next.status === 'succeeded') await answer.wait();
        // The process that stops the job gives the item that is not begun another revision.
        if (next._id.endsWith('ws-002') && next.status === 'running') {
          await ports.items.mutate(current, migrationItemSteps.keep(current, {}));
          void stale.wait();
        }
        return ports.items.mutate(current, next, announce);
      },
    });
    const submitted = bootMigrations(world, 1, { lanes: 2, ports: { items } }).submit();
    await Promise.all([answer.reached(), stale.reached()]);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    answer.open();
    await submitted;
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'pending' });
    expect(jobOf(world)).toMatchObject({ status: 'running' });
    await stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'superseded');
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', tally: { succeeded: 1 } });
    expect(violationsOf(world)).toEqual([]);
  });

  it('is stopped by the next boot of its instance; nothing is replayed, and the executor that wakes later changes nothing', async () => {
    const { world, running, latch } = await interrupted();
    const second = bootMigrations(world, 2);
    expect(await stopInterruptedMigrations(second.ports, async () => 'superseded')).toEqual(['mig-00000001']);
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted' },
      tally: { succeeded: 10, reconciliation_required: 0 },
    });
    const sent = world.provider.sends().length;
    latch.open();
    await running;
    expect(world.provider.sends()).toHaveLength(sent);
    expect(Object.values(itemStatuses(world)).filter((status) => status === 'pending')).toHaveLength(90);
    expect(jobOf(world).status).toBe('reconciliation_required');
    expect(await second.submit()).toMatchObject({ kind: 'refused', code: 'reconciliation_required' });
    expect(world.provider.sends()).toHaveLength(sent);
    await second.sweepOutbox();
    expect(violationsOf(world)).toEqual([]);
  });

  it('of another instance, or of a live executor, is not touched', async () => {
    const { world, running, latch } = await interrupted();
    const before = jobOf(world);
    expect(
      await stopInterruptedMigrations(
        bootMigrations(world, 2, { instance: 'operator-2' }).ports,
        async () => 'superseded',
      ),
    ).toEqual([]);
    expect(await stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'open')).toEqual([]);
    expect(await stopInterruptedMigrations(bootMigrations(world, 1).ports, async () => 'superseded')).toEqual([]);
    expect(jobOf(world)).toEqual(before);
    latch.open();
    await running;
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 100 } });
  });

  it('by an orderly end finishes what is under way and says so itself', async () => {
    const { world, first, running, latch } = await interrupted();
    first.end();
    latch.open();
    await running;
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted', message: expect.stringContaining('in order') },
    });
    expect(
      Object.values(itemStatuses(world)).some((status) => status === 'running' || status === 'reconciliation_required'),
    ).toBe(false);
  });

  it('after the plan changed and before that was written keeps the item, its evidence and its transition', async () => {
    const world = await createMigrationWorld(3);
    const { ports } = bootMigrations(world, 1);
    // The process dies at the write of the first success: that write never reaches the store, and nothing follows it.
    const death = createLatch();
    const items = Object.assign(Object.create(ports.items) as typeof ports.items, {
      mutate: async (...[current, next, announce]: Parameters<typeof ports.items.mutate>) =>
        next.status === 'succeeded'
          ? death.wait().then(() => ({ outcome: 'not_applied' as const }))
          : ports.items.mutate(current, next, announce),
    });
    void bootMigrations(world, 1, { ports: { items } }).submit();
    await death.reached();
    expect(world.subscription('ws-001').planId).toBe('pro');
    const second = bootMigrations(world, 2);
    await stopInterruptedMigrations(second.ports, async () => 'superseded');
    await second.sweepOutbox();
    expect(world.items()).toMatchObject([
      {
        tenantId: 'ws-001',
        status: 'reconciliation_required',
        providerCalls: [{ idempotencyKey: 'mig-00000001:ws-001:plan' }],
      },
      { status: 'pending' },
      { status: 'pending' },
    ]);
    expect(world.subscription('ws-001')).toMatchObject({
      planId: 'pro',
      transition: { operationId: 'mig-00000001:ws-001' },
    });
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', captured: { count: 3 } });
    expect(world.provider.sends()).toHaveLength(1);
    expect(violationsOf(world)).toEqual([]);
  });
});
