/** How a job is admitted and how it ends when the store, another process or this process itself interrupts it. */
import { losing, overtaken, overtakenWrites } from '@platform/durable/testing';
import { migrationLimits } from '@platform/contracts-operator';
import { StoreUnavailableError } from '@platform/mongo';
import { silentLog } from '@platform/kernel';
import { newMigration, type PlanMigration } from '../domain/migration';
import {
  bootMigrations,
  createMigrationWorld,
  itemStatuses,
  jobOf,
  request,
  violationsOf,
  type MigrationWorld,
} from '../testing/migration-world';
import type { MigrationPorts } from './ports';
import { closingInvestigation } from './resolve-migration';
import { runMigration } from './run-migration';
import { stopInterruptedMigrations } from './stop-migration';

const unreachable = async () => {
  throw new StoreUnavailableError('unreachable');
};

/** Keeps what is logged: the level and the fields. */
function noting() {
  const lines: [string, object][] = [];
  const at = (level: string) => (fields: object) => void lines.push([level, fields]);
  return { lines, log: { ...silentLog, info: at('info'), error: at('error') } };
}

/** Runs a job that waits for its executor, on ports that differ from those of the world. */
async function run(
  count: number,
  differing: (honest: MigrationPorts, world: MigrationWorld) => Partial<MigrationPorts> = () => ({}),
) {
  const world = await createMigrationWorld(count);
  const { ports } = bootMigrations(world, 1);
  const inserted = await ports.migrations.insert(newMigration(request));
  if (inserted.outcome !== 'applied') throw new Error(inserted.outcome);
  const { lines, log } = noting();
  const changed = { ...ports, log, ...differing(ports, world) };
  const pending: PlanMigration = inserted.record;
  return { world, ports: changed, pending, lines, ended: runMigration(changed, pending) };
}

const about = { migrationId: 'mig-00000001' };
const becomes = (status: PlanMigration['status']) => (next: { readonly status: string }) => next.status === status;

/** Another process stops the job, and people close it. */
async function closeElsewhere(world: MigrationWorld): Promise<void> {
  const { ports } = bootMigrations(world, 2);
  await stopInterruptedMigrations(ports, async () => 'superseded');
  const proofs = { executorStopped: 'the process list of its host was read', by: 'ann@example.com' };
  const planned = await closingInvestigation.plan(ports, { id: request.migrationId, ...proofs });
  if (!planned.ok) throw new Error(planned.error);
  await closingInvestigation.record(ports, planned.value);
}

describe('the admission of a job', () => {
  it('is tried once at a time by one process', async () => {
    let reads = 0;
    const { world, ports, pending, ended } = await run(3, ({ plans }) => ({
      plans: { ...plans, findById: (id) => ((reads += 1), plans.findById(id)) },
    }));
    await Promise.all([ended, runMigration(ports, pending)]);
    expect(reads).toBe(2);
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 3 } });
    expect(world.provider.sends()).toHaveLength(3);
    expect(violationsOf(world)).toEqual([]);
  });

  it('does nothing for a job that an executor has, and reads nothing', async () => {
    const { world, ports, ended, lines } = await run(1);
    await ended;
    const before = jobOf(world);
    const logged = lines.length;
    await runMigration({ ...ports, plans: { ...ports.plans, findById: unreachable } }, before);
    expect([jobOf(world), lines.length]).toEqual([before, logged]);
  });

  it('that another process was given leaves the job to it', async () => {
    const { world, ended, lines } = await run(2, overtaken('migrations', becomes('capturing')));
    await ended;
    expect(jobOf(world).status).toBe('pending');
    expect([world.items(), lines]).toEqual([[], []]);
  });

  it('that finds no store leaves the job as it is recorded, and says so', async () => {
    const { world, ended, lines } = await run(2, ({ plans }) => ({ plans: { ...plans, findById: unreachable } }));
    await ended;
    expect(jobOf(world).status).toBe('pending');
    expect(lines).toEqual([['error', about]]);
  });

  it('that breaks is thrown', async () => {
    const broken = async () => {
      throw new TypeError('broken');
    };
    const { ended, lines } = await run(2, ({ plans }) => ({ plans: { ...plans, findById: broken } }));
    await expect(ended).rejects.toThrow('broken');
    expect(lines).toEqual([]);
  });

  it.each([
    ['the source plan is gone', 'starter', 'source plan does not exist'],
    ['the target plan is gone', 'pro', 'not offered'],
  ])('refuses the job when %s', async (_when, gone, message) => {
    const { world, ended } = await run(2, ({ plans }) => ({
      plans: { ...plans, findById: async (id) => (id === gone ? null : plans.findById(id)) },
    }));
    await ended;
    expect(jobOf(world)).toMatchObject({
      status: 'refused',
      error: { code: 'plan_not_available', message: expect.stringContaining(message) },
      finishedAt: expect.any(Date),
    });
    expect(world.items()).toEqual([]);
  });
});

describe('a job that is closed while its executor captures', () => {
  /** The other process is faster than the read of the list. */
  const during = (meanwhile: (world: MigrationWorld) => Promise<unknown>) => {
    return run(2, ({ subscriptions }, world) => ({
      subscriptions: {
        ...subscriptions,
        find: async (...query) => {
          const page = await subscriptions.find(...query);
          if (world.items().length === 0) await meanwhile(world);
          return page;
        },
      },
    }));
  };

  it('has the workspaces skipped that its executor listed afterwards', async () => {
    const { world, ended } = await during(closeElsewhere);
    await ended;
    expect(jobOf(world)).toMatchObject({ status: 'completed', resolution: { by: 'ann@example.com' } });
    expect(world.items()).toMatchObject([
      { status: 'skipped', reason: 'job_closed' },
      { status: 'skipped', reason: 'job_closed' },
    ]);
    expect(world.provider.sends()).toEqual([]);
  });

  it('keeps them for the investigation when it was stopped alone', async () => {
    const { world, ended } = await during((world) =>
      stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'superseded'),
    );
    await ended;
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted', message: expect.stringContaining('while its list was captured') },
    });
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending', 'ws-002': 'pending' });
  });
});

describe('a running job', () => {
  it('logs its begin and its end, tells its progress in the agreed rhythm, and counts each outcome', async () => {
    const rhythms: number[] = [];
    let closed = 0;
    const outcomes: string[] = [];
    const { ended, lines } = await run(2, () => ({
      pulse: (everyMs) => (rhythms.push(everyMs), { close: async () => void (closed += 1) }),
      itemEnded: (status) => void outcomes.push(status),
    }));
    await ended;
    const tally = { succeeded: 2, failed: 0, skipped: 0, reconciliation_required: 0 };
    expect(lines.filter(([, fields]) => !('step' in fields))).toEqual([
      ['info', { ...about, fromPlanId: 'starter', count: 2 }],
      ['info', { ...about, status: 'completed', ...tally }],
    ]);
    expect([rhythms, closed, outcomes]).toEqual([[migrationLimits.progressMs], 1, ['succeeded', 'succeeded']]);
  });

  it.each([
    ['has no answer', losing('migrations', becomes('running'))],
    ['is lost', overtaken('migrations', becomes('running'))],
  ])('begins nothing when the write that begins it %s', async (_how, differing) => {
    const { world, ended } = await run(2, differing);
    await ended;
    expect(jobOf(world).status).toBe('capturing');
    expect(world.provider.sends()).toEqual([]);
  });

  it.each([
    ['unknown', losing('migrations', becomes('completed'))],
    ['lost', overtaken('migrations', becomes('completed'))],
  ])('says that its end could not be recorded: %s', async (written, differing) => {
    const { world, ended, lines } = await run(1, differing);
    await ended;
    expect(jobOf(world).status).toBe('running');
    expect(lines.at(-1)).toEqual(['error', { ...about, written }]);
  });

  it('ends by its own count when the items cannot be counted', async () => {
    const { world, ended } = await run(2, ({ items }) => ({ items: { ...items, count: unreachable } }));
    await ended;
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 2 }, progressTurn: 1 });
  });

  it.each<[string, 'unknown' | 'lost', string]>([
    ['has no answer', 'unknown', 'reconciliation_required'],
    ['is lost', 'lost', 'running'],
  ])('begins no workspace when its reservation %s', async (_how, how, status) => {
    const reserves = (next: Pick<PlanMigration, 'status' | 'admittedThrough'>) =>
      next.status === 'running' && next.admittedThrough === 25;
    const interfered = how === 'unknown' ? losing : overtaken;
    const { world, ended, lines } = await run(2, interfered('migrations', reserves));
    await ended;
    expect(jobOf(world).status).toBe(status);
    expect(lines.at(-1)).toEqual([
      'error',
      how === 'lost' ? about : { ...about, reason: expect.stringContaining('did not answer') },
    ]);
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending', 'ws-002': 'pending' });
  });

  it.each([
    ['while a workspace waits for its permit', 'acquire'],
    ['after a workspace was admitted', 'reserve'],
  ])('stops itself when its process ends %s', async (_when, moment) => {
    let ending = false;
    const outcomes: string[] = [];
    const read: string[] = [];
    const { world, ended } = await run(2, (honest) => ({
      stopping: () => ending,
      itemEnded: (status) => void outcomes.push(status),
      subscriptions: {
        ...honest.subscriptions,
        findById: (id) => (read.push(id), honest.subscriptions.findById(id)),
      },
      governor: { ...honest.governor, acquire: async () => void (ending = ending || moment === 'acquire') },
      migrations: overtakenWrites(
        honest.migrations,
        (next) => next.admittedThrough > 0 && next.status === 'running',
        async () => void (ending = ending || moment === 'reserve'),
      ),
    }));
    await ended;
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted', message: expect.stringContaining('ended in order') },
    });
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending', 'ws-002': 'pending' });
    expect([outcomes, read]).toEqual([[], moment === 'reserve' ? [] : ['ws-001']]);
  });

  it('reads its items in pages, each of them once', async () => {
    const reads: number[] = [];
    const { world, ended } = await run(101, ({ items }) => ({
      lanes: 3,
      items: {
        ...items,
        find: async (...query) => {
          const page = await items.find(...query);
          reads.push(page.length);
          return page;
        },
      },
    }));
    await ended;
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 101 } });
    expect(reads).toEqual([100, 1]);
  });

  it('ends when its items cannot be read', async () => {
    const { world, ended } = await run(2, ({ items }) => {
      let reads = 0;
      const find: typeof items.find = (...query) => ((reads += 1) <= 3 ? unreachable() : items.find(...query));
      return { items: { ...items, find } };
    });
    await ended;
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'store_unavailable' } });
    expect(world.provider.sends()).toEqual([]);
  });
});
