/** The stop of a job, write by write: what is fenced off, who is alerted, and what a lost write leaves. */
import { losingWrites, overtakenWrites } from '@platform/durable/testing';
import { silentLog, type OutboxEntry } from '@platform/kernel';
import { createLatch } from '@platform/testing';
import type { LiveMigration, PlanMigration } from '../domain/migration';
import { stopItem } from '../domain/migration-item';
import {
  bootMigrations,
  createMigrationWorld,
  itemStatuses,
  jobOf,
  type MigrationLife,
} from '../testing/migration-world';
import { stopInterruptedMigrations, stopMigration } from './stop-migration';

type Ports = MigrationLife['ports'];
const about = { migrationId: 'mig-00000001' };
const error = { code: 'interrupted', message: 'stopped by a test' };

/** A job whose executor waits in the call of its first workspace. */
async function underWay(count = 40) {
  const world = await createMigrationWorld(count);
  const { ports } = bootMigrations(world, 1);
  const latch = createLatch();
  const subscriptions = overtakenWrites(
    ports.subscriptions,
    (next) => 'transition' in next,
    () => latch.wait(),
  );
  const running = bootMigrations(world, 1, { ports: { subscriptions } }).submit();
  await latch.reached();
  return { world, latch, running, ports: bootMigrations(world, 2).ports };
}

/** Notes what the stop logs, publishes and counts. */
function noting() {
  const noted = {
    errors: [] as object[],
    ended: [] as string[],
    ofItems: [] as OutboxEntry[],
    ofJobs: [] as OutboxEntry[],
  };
  const ports = {
    log: { ...silentLog, error: (fields: object) => void noted.errors.push(fields) },
    itemEnded: (status: string) => void noted.ended.push(status),
    publishItemNow: (_id: string, entries: readonly OutboxEntry[]) => void noted.ofItems.push(...entries),
    publishMigrationNow: (_id: string, entries: readonly OutboxEntry[]) => void noted.ofJobs.push(...entries),
  };
  return { noted, ports };
}

const superseded = async () => 'superseded' as const;

describe('the stop of a job', () => {
  it('alerts people of the job and of each workspace under way, at once, and counts them', async () => {
    const { world, ports } = await underWay();
    const { noted, ports: watched } = noting();
    expect(await stopInterruptedMigrations({ ...ports, ...watched }, superseded)).toEqual(['mig-00000001']);
    expect(noted.ofItems.map(({ id, body }) => [id, body])).toMatchObject([
      ['alert:operator:migration_item:mig-00000001:ws-001:1', { tenantId: 'ws-001' }],
    ]);
    expect(noted.ofJobs.map(({ id, body }) => [id, body])).toMatchObject([
      [
        'alert:operator:migration:mig-00000001:1',
        {
          tenantId: null,
          reason: expect.stringContaining('while it ran'),
        },
      ],
    ]);
    expect(noted.ended).toEqual(['reconciliation_required']);
    const waiting = [...(await ports.items.outbox.pending(10)), ...(await ports.migrations.outbox.pending(10))];
    expect(waiting.map(({ entry }) => entry.id)).toEqual([...noted.ofItems, ...noted.ofJobs].map(({ id }) => id));
    expect(noted.errors).toEqual([{ ...about, reason: expect.stringContaining('Nothing is replayed') }]);
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted' },
      tally: { succeeded: 0, reconciliation_required: 1 },
    });
    expect(world.items()[0]).toMatchObject({ error: { code: 'outcome_unknown' } });
  });

  it('fences off the workspaces that its executor may begin, and those alone', async () => {
    const { world, ports } = await underWay();
    const before = world.items().map(({ revision }) => revision);
    await stopInterruptedMigrations(ports, superseded);
    const changed = world.items().filter(({ revision }, at) => revision !== before[at]);
    expect(changed.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
  });

  it.each(['superseded', 'stopped'] as const)('follows when its executor is known to be %s', async (state) => {
    const { ports } = await underWay();
    expect(await stopInterruptedMigrations(ports, async () => state)).toEqual(['mig-00000001']);
  });

  it('asks about the incarnation that the job names', async () => {
    const { world, ports } = await underWay();
    const asked: string[] = [];
    await stopInterruptedMigrations(ports, async (incarnation) => (asked.push(incarnation), 'open'));
    expect([asked, jobOf(world).status]).toEqual([['incarnation-1'], 'running']);
  });

  it('finds the workspaces that the executor began meanwhile, and counts them too', async () => {
    const { world, ports } = await underWay(3);
    let first = true;
    const items: Ports['items'] = {
      ...ports.items,
      // The walk is over when the executor begins its next workspace.
      find: async (...query) => {
        if (!first || query[0]['status'] !== 'running') return ports.items.find(...query);
        first = false;
        return [];
      },
    };
    await stopInterruptedMigrations({ ...ports, items }, superseded);
    expect(itemStatuses(world)).toMatchObject({ 'ws-001': 'reconciliation_required' });
    expect(jobOf(world)).toMatchObject({ tally: { reconciliation_required: 1 } });
  });

  it('writes the counters once when nothing was begun meanwhile', async () => {
    const { ports } = await underWay(3);
    let writes = 0;
    const mutate: Ports['migrations']['mutate'] = (...write) => ((writes += 1), ports.migrations.mutate(...write));
    await stopInterruptedMigrations({ ...ports, migrations: { ...ports.migrations, mutate } }, superseded);
    expect(writes).toBe(1);
  });

  it('sends no alert of a workspace that its executor ended first', async () => {
    const { world, ports } = await underWay(1);
    const { noted, ports: watched } = noting();
    const items = overtakenWrites(
      ports.items,
      (next) => next.status === 'reconciliation_required',
      (current) => ports.items.mutate(current, stopItem(current as never, error, new Date(0))),
    );
    await stopInterruptedMigrations({ ...ports, ...watched, items }, superseded);
    expect([noted.ended, noted.ofItems]).toEqual([[], []]);
    expect(world.items()).toMatchObject([{ status: 'reconciliation_required', error }]);
  });
});

describe('a stop whose write', () => {
  const stops = (next: { readonly status: string }) => next.status === 'reconciliation_required';
  const live = (migration: PlanMigration) => migration as LiveMigration;

  it('has no answer is not done, and says that the next start does it', async () => {
    const { world, ports } = await underWay(2);
    const { noted, ports: watched } = noting();
    const migrations = losingWrites(ports.migrations, stops);
    expect(await stopMigration({ ...ports, ...watched, migrations }, live(jobOf(world)), error)).toBe(false);
    expect(jobOf(world).status).toBe('running');
    expect(noted.errors).toEqual([{ ...about, reason: 'the answer was lost' }]);
    expect(noted.ofJobs).toEqual([]);
  });

  it('is lost to another process leaves the job to it, without a word', async () => {
    const { world, ports } = await underWay(2);
    const { noted, ports: watched } = noting();
    const migrations = overtakenWrites(ports.migrations, stops);
    expect(await stopInterruptedMigrations({ ...ports, ...watched, migrations }, superseded)).toEqual([]);
    expect(jobOf(world).status).toBe('running');
    expect([noted.errors, noted.ofJobs]).toEqual([[], []]);
  });
});
