/** Every fenced write of a migration with two writers who read the same record: one wins, the other changes nothing. */
import { forged } from '@platform/durable/testing';
import { admitTransition } from '../../mirror/domain/subscription';
import {
  beginCapture,
  beginRun,
  closeMigration,
  finish,
  newMigration,
  refuseMigration,
  stop,
  emptyTally,
  type PlanMigration,
} from '../domain/migration';
import {
  beginItem,
  failItem,
  newItem,
  resolveItem,
  skipItem,
  stopItem,
  succeedItem,
  transitionOf,
  type MigrationItem,
} from '../domain/migration-item';
import { bootMigrations, createMigrationWorld, request } from '../testing/migration-world';

const now = new Date('2026-01-01T00:00:00.000Z');
const executor = (incarnation: string) => ({ service: 'operator', instance: 'operator-1', incarnation });
const error = { code: 'outcome_unknown', message: 'not known' };
const resolution = {
  outcome: 'applied',
  executorStopped: 'its host is gone',
  providerObject: 'sub_1',
  by: 'ops@example.com',
  at: now,
} as const;

/** A record in a status that no step has led to. */
const staged = (record: object) => record as never;
const captured = { count: 0, digest: 'd', at: now };
const target = { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' };

async function setStage() {
  const world = await createMigrationWorld(1);
  const { ports } = bootMigrations(world, 1);
  return { world, ports };
}

async function insertJob(status: PlanMigration['status']) {
  const { world, ports } = await setStage();
  const inserted = await ports.migrations.insert(
    forged<PlanMigration>(staged({ ...newMigration(request), status, target, executor: executor('a'), captured })),
  );
  if (inserted.outcome !== 'applied') throw new Error('no job');
  return { world, ports, job: inserted.record };
}

describe('two writers of a job', () => {
  it.each<
    [
      string,
      PlanMigration['status'],
      (job: never, who: string) => Parameters<Awaited<ReturnType<typeof setStage>>['ports']['migrations']['mutate']>[1],
    ]
  >([
    ['its admission', 'pending', (job, who) => beginCapture(job, executor(who), target)],
    ['its run', 'capturing', (job) => beginRun(job, 1, 'd', now)],
    ['its refusal', 'capturing', (job) => refuseMigration(job, error, now)],
    ['its end', 'running', (job) => finish(job, emptyTally, 1, now)],
    ['its stop', 'running', (job) => stop(job, emptyTally, error, now)],
    ['its closing', 'reconciliation_required', (job) => closeMigration(job, emptyTally, resolution)],
  ])('cannot both write %s', async (_what, status, next) => {
    const { ports, job, world } = await insertJob(status);
    const outcomes = await Promise.all(['a', 'b'].map((who) => ports.migrations.mutate(job, next(job as never, who))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'not_applied']);
    expect(world.migrations()).toHaveLength(1);
  });

  it('cannot both insert it', async () => {
    const { ports } = await setStage();
    const outcomes = await Promise.all([1, 2].map(() => ports.migrations.insert(newMigration(request))));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['applied', 'not_applied']);
  });
});

describe('two writers of an item', () => {
  const call = {
    step: 'change_plan',
    method: 'POST',
    path: '/v1/subscriptions/sub_1',
    idempotencyKey: 'k',
    payloadDigest: 'd',
  } as const;
  it.each<
    [
      string,
      MigrationItem['status'],
      (item: never, who: string) => Parameters<Awaited<ReturnType<typeof setStage>>['ports']['items']['mutate']>[1],
    ]
  >([
    ['its admission', 'pending', (item, who) => beginItem(item, executor(who), call, now)],
    ['its skipping', 'pending', (item) => skipItem(item, 'past_due', now)],
    ['its success', 'running', (item) => succeedItem(item, now)],
    ['its failure', 'running', (item) => failItem(item, error, now)],
    ['its stop', 'running', (item) => stopItem(item, error, now)],
    ['its resolution', 'reconciliation_required', (item) => resolveItem(item, resolution)],
  ])('cannot both write %s', async (_what, status, next) => {
    const { ports, world } = await setStage();
    const inserted = await ports.items.insert(
      forged<MigrationItem>(staged({ ...newItem(request.migrationId, 1, world.subscription('ws-001')), status })),
    );
    if (inserted.outcome !== 'applied') throw new Error('no item');
    const outcomes = await Promise.all(
      ['a', 'b'].map((who) => ports.items.mutate(inserted.record, next(inserted.record as never, who))),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'not_applied']);
  });

  it('cannot both hold the workspace: the transitions of two jobs exclude each other', async () => {
    const { ports, world } = await setStage();
    const subscription = (await ports.subscriptions.findById('ws-001'))!;
    const drafts = ['mig-00000001', 'mig-00000002'].map((migrationId) => newItem(migrationId, 1, subscription));
    const outcomes = await Promise.all(
      drafts.map((draft) =>
        ports.subscriptions.mutate(
          subscription,
          admitTransition(subscription, transitionOf(draft, { targetPlanId: 'pro', createdAt: now }), {}),
        ),
      ),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'not_applied']);
    expect(world.subscription('ws-001').transition?.operationId).toBe('mig-00000001:ws-001');
  });

  it.each<[MigrationItem['status'], (item: never) => unknown]>([
    ['succeeded', (item) => beginItem(item, executor('a'), call, now)],
    ['failed', (item) => succeedItem(item, now)],
    ['skipped', (item) => beginItem(item, executor('a'), call, now)],
    ['reconciliation_required', (item) => succeedItem(item, now)],
    ['running', (item) => beginItem(item, executor('b'), call, now)],
  ])('never leads an item that is %s to a second outcome or a second executor', async (status, step) => {
    const { world } = await setStage();
    const item = staged({
      ...newItem(request.migrationId, 1, world.subscription('ws-001')),
      status,
      revision: 'r',
      createdAt: now,
      updatedAt: now,
    });
    expect(() => step(item)).toThrow(`no step from ${status}`);
  });
});
