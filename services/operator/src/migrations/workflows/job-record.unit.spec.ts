/** The job's record in the hands of its executor: what is written, how often, and what ends it. */
import { losing, overtakenWrites } from '@platform/durable/testing';
import type { OutboxEntry } from '@platform/kernel';
import { createLatch } from '@platform/testing';
import {
  beginCapture,
  beginRun,
  emptyTally,
  finish,
  migrationSteps,
  newMigration,
  type LiveMigration,
  type PlanMigration,
} from '../domain/migration';
import { bootMigrations, createMigrationWorld, jobOf, request } from '../testing/migration-world';
import { openJobRecord, progressEntry } from './job-record';
import type { MigrationPorts } from './ports';

const at = new Date('2026-03-01T00:00:00.000Z');
const target = { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd', priceId: 'price_pro' };

function recordOf<T extends PlanMigration>(written: { readonly outcome: string; readonly record?: PlanMigration }): T {
  if (written.outcome !== 'applied') throw new Error(written.outcome);
  return written.record as T;
}

/** The record of a running job of 60 workspaces, opened by its executor. */
async function opened(
  differing: (honest: MigrationPorts) => Partial<MigrationPorts> = () => ({}),
  admittedThrough = 0,
) {
  const world = await createMigrationWorld(0);
  const { ports } = bootMigrations(world, 1);
  const { migrations, executor } = ports;
  const pending = recordOf(await migrations.insert(newMigration(request)));
  const capturing = recordOf(await migrations.mutate(pending, beginCapture(pending as never, executor, target)));
  const running = recordOf(await migrations.mutate(capturing, beginRun(capturing as never, 60, 'digest', at)));
  const admitted = recordOf<LiveMigration>(
    await migrations.mutate(running, migrationSteps.keep(running, { admittedThrough })),
  );
  const writes: number[] = [];
  const announced: (readonly OutboxEntry[])[] = [];
  const changed: MigrationPorts = {
    ...ports,
    ...differing(ports),
    publishMigrationNow: (_id, entries) => void announced.push(entries),
  };
  const counted = {
    ...changed.migrations,
    mutate: (...write: Parameters<typeof migrations.mutate>) => {
      writes.push(write[1].admittedThrough);
      return changed.migrations.mutate(...write);
    },
  };
  const record = openJobRecord({ ...changed, migrations: counted }, admitted);
  return { world, ports, record, writes, announced };
}

describe('the record of a job', () => {
  it('admits 25 workspaces by one write, however many of them are asked for at a time', async () => {
    const { record, writes, announced } = await opened();
    const asked = await Promise.all(Array.from({ length: 60 }, (_, place) => record.reserve(place + 1)));
    expect(new Set(asked)).toEqual(new Set(['written']));
    expect(writes).toEqual([25, 50, 75]);
    expect(record.current().admittedThrough).toBe(75);
    expect(announced).toEqual([]);
  });

  it('writes the outcomes so far with each reservation and each progress, and tells the progress at once', async () => {
    const { world, record, announced } = await opened();
    record.count('succeeded');
    await record.reserve(1);
    expect(jobOf(world)).toMatchObject({ tally: { ...emptyTally, succeeded: 1 }, progressTurn: 0 });
    record.count('succeeded');
    record.count('skipped');
    expect(record.tally()).toEqual({ ...emptyTally, succeeded: 2, skipped: 1 });
    expect(await Promise.all([record.publishProgress(), record.publishProgress()])).toEqual(['written', 'written']);
    expect(jobOf(world)).toMatchObject({ tally: { succeeded: 2, skipped: 1 }, progressTurn: 2 });
    const told = { status: 'running', count: 60, done: { succeeded: 2, failed: 0, skipped: 1 } };
    expect(announced.flat().map(({ closesOn, body }) => [closesOn, body])).toMatchObject([
      ['publish_ack', told],
      ['publish_ack', told],
    ]);
    expect(new Set(announced.flat().map(({ id }) => id)).size).toBe(2);
  });

  it('is not written again by an executor that lost it, also not for workspaces that were admitted', async () => {
    const { record, writes } = await opened(({ migrations }) => ({
      migrations: overtakenWrites(migrations, (next) => next.progressTurn === 1),
    }));
    expect(await record.reserve(1)).toBe('written');
    expect(await record.publishProgress()).toBe('lost');
    expect(writes).toHaveLength(2);
    expect([await record.reserve(2), await record.reserve(26), await record.publishProgress()]).toEqual([
      'lost',
      'lost',
      'lost',
    ]);
    expect(writes).toHaveLength(2);
  });

  it('is written again after a write without an answer, and admits nothing by that write', async () => {
    let unreachable = true;
    const { record } = await opened(losing('migrations', () => unreachable));
    expect(await record.reserve(1)).toBe('unknown');
    unreachable = false;
    expect(await record.reserve(1)).toBe('written');
    unreachable = true;
    expect(await record.publishProgress()).toBe('unknown');
    expect(await record.reserve(2)).toBe('written');
  });

  it.each([0, 25])(
    'begins what is admitted while another write waits for its answer (%d admitted before)',
    async (before) => {
      const answer = createLatch();
      const { record } = await opened(
        ({ migrations }) => ({
          migrations: overtakenWrites(
            migrations,
            (next) => next.progressTurn === 1,
            () => answer.wait(),
          ),
        }),
        before,
      );
      if (before === 0) await record.reserve(1);
      const progress = record.publishProgress();
      let reserved: string | undefined;
      void record.reserve(25).then((outcome) => (reserved = outcome));
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(reserved).toBe('written');
      answer.open();
      expect(await progress).toBe('written');
    },
  );

  it('is not written over by a late progress once it has ended', async () => {
    const { world, record, announced } = await opened();
    expect(await record.write((current) => finish(current as never, { ...emptyTally, succeeded: 60 }, 1, at))).toBe(
      'written',
    );
    expect(announced).toEqual([]);
    expect(await record.publishProgress()).toBe('lost');
    expect(jobOf(world)).toMatchObject({ status: 'completed', progressTurn: 1 });
  });

  it('goes on after a write that threw', async () => {
    const { record } = await opened();
    await expect(
      record.write(() => {
        throw new TypeError('broken');
      }),
    ).rejects.toThrow('broken');
    expect(await record.publishProgress()).toBe('written');
  });

  it('has no workspaces to tell of before its list is complete', () => {
    expect(progressEntry({ _id: 'mig-00000001', status: 'capturing' }, emptyTally, 1, at)).toMatchObject({
      closesOn: 'publish_ack',
      body: { migrationId: 'mig-00000001', status: 'capturing', count: 0, done: emptyTally },
    });
  });
});
