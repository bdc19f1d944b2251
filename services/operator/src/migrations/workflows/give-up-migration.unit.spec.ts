/** What an executor leaves that gives up its job, and what it has told of it until then. */
import { forged } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { migrationMessageIds } from '@platform/contracts-operator';
import type { PlanMigration } from '../domain/migration';
import {
  bootMigrations,
  createMigrationWorld,
  itemStatuses,
  jobOf,
  request,
  type MigrationLife,
  type MigrationWorld,
} from '../testing/migration-world';
import { closingInvestigation } from './resolve-migration';
import { stopInterruptedMigrations } from './stop-migration';

type Ports = MigrationLife['ports'];
const unreachable = async () => {
  throw new StoreUnavailableError('unreachable');
};

const stopElsewhere = (world: MigrationWorld) =>
  stopInterruptedMigrations(bootMigrations(world, 2).ports, async () => 'superseded');

/** Another process stops the job, and people close it. */
async function closeElsewhere(world: MigrationWorld): Promise<void> {
  await stopElsewhere(world);
  const { ports } = bootMigrations(world, 2);
  const proofs = { executorStopped: 'the process list of its host was read', by: 'ann@example.com' };
  const planned = await closingInvestigation.plan(ports, { id: request.migrationId, ...proofs });
  if (!planned.ok) throw new Error(planned.error);
  await closingInvestigation.record(ports, planned.value);
}

/** A capture whose second item has no answer; `meanwhile` happens before its first one is written. */
async function givenUp(
  meanwhile: (world: MigrationWorld, honest: Ports) => Promise<unknown>,
  changed: (honest: Ports) => Partial<Ports> = () => ({}),
) {
  const world = await createMigrationWorld(2);
  const { ports } = bootMigrations(world, 1);
  const insert: Ports['items']['insert'] = async (draft) => {
    if (draft.ordinal === 2) return { outcome: 'unknown', reason: 'unreachable' };
    await meanwhile(world, ports);
    return ports.items.insert(draft);
  };
  const errors: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
  await bootMigrations(world, 1, { ports: { log, items: { ...ports.items, insert }, ...changed(ports) } }).submit();
  return { world, errors };
}

describe('a job that its executor gives up', () => {
  it('has what it listed skipped when people have closed the job meanwhile', async () => {
    const { world } = await givenUp(closeElsewhere);
    expect(jobOf(world).status).toBe('completed');
    expect(world.items()).toMatchObject([{ status: 'skipped', reason: 'job_closed' }]);
  });

  it('keeps what it listed when another process has stopped the job alone', async () => {
    const { world } = await givenUp(stopElsewhere);
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'interrupted' } });
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'pending' });
  });

  it('is left as it is when its record names another executor', async () => {
    const { world, errors } = await givenUp(async (_world, { migrations }) => {
      const job = (await migrations.findById(request.migrationId))!;
      const executor = { service: 'operator', instance: 'operator-2', incarnation: 'another' };
      await migrations.mutate(job, forged<PlanMigration>({ ...job, executor } as never));
    });
    expect(jobOf(world)).toMatchObject({ status: 'capturing', executor: { incarnation: 'another' } });
    expect(errors).toEqual([]);
  });

  it('is left as it is when it cannot be read', async () => {
    let captured = false;
    const { world, errors } = await givenUp(
      async () => void (captured = true),
      ({ migrations }) => ({
        migrations: { ...migrations, findById: (id) => (captured ? unreachable() : migrations.findById(id)) },
      }),
    );
    expect(jobOf(world).status).toBe('capturing');
    expect(errors).toEqual([]);
  });

  it('is left to the next start when the store is unreachable again while it is stopped', async () => {
    const world = await createMigrationWorld(1);
    const { ports } = bootMigrations(world, 1);
    let [reads, counts] = [0, 0];
    const items: Ports['items'] = {
      ...ports.items,
      // The executor reads its list three times in vain; the store answers again until its items are counted.
      find: (...query) => ((reads += 1) <= 3 ? unreachable() : ports.items.find(...query)),
      count: (filter) => ((counts += 1) === 1 ? unreachable() : ports.items.count(filter)),
    };
    const errors: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
    await bootMigrations(world, 1, { ports: { log, items } }).submit();
    expect(jobOf(world).status).toBe('running');
    expect(errors).toEqual([{ migrationId: 'mig-00000001' }]);
  });
});

describe('what a running job tells', () => {
  it('is the outcome of each workspace that was begun or skipped, once', async () => {
    const world = await createMigrationWorld(4, { 2: { status: 'past_due' } });
    world.provider.failNext('card_declined', { path: '/v1/subscriptions/sub_ws-003' });
    world.provider.failNext('lost_answer_before_effect', { path: '/v1/subscriptions/sub_ws-004' });
    const outcomes: string[] = [];
    await bootMigrations(world, 1, { ports: { itemEnded: (status) => void outcomes.push(status) } }).submit();
    expect(outcomes).toEqual(['succeeded', 'skipped', 'failed', 'reconciliation_required']);
    expect(Object.values(itemStatuses(world))).toEqual(outcomes);
  });

  it('is its progress under ids in order, of which the last one is of its end', async () => {
    const world = await createMigrationWorld(1);
    const { submit, sweepOutbox } = bootMigrations(world, 1, { ports: { pulse: (_ms, work) => ({ close: work }) } });
    await submit();
    await sweepOutbox();
    const progress = world.published.filter(({ subject }) => subject === 'migration.progress');
    expect(progress.map(({ id, body }) => [id, body['status']])).toEqual([
      [migrationMessageIds.progress('mig-00000001', 1), 'running'],
      [migrationMessageIds.progress('mig-00000001', 2), 'completed'],
    ]);
    expect(jobOf(world).progressTurn).toBe(2);
  });
});
