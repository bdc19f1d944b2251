/** A migration as it is shown: who is asked about it, what is under way, and its pages. */
import type { AskExecutors } from '@platform/durable/executors';
import { forged } from '@platform/durable/testing';
import { newMigration, type PlanMigration } from '../domain/migration';
import { newItem, type MigrationItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld, request } from '../testing/migration-world';
import { newestMigrations, readMigration } from './read-migration';

type Questions = Parameters<AskExecutors>[0];

/** A record in a status that no step has led to. */
const staged = (record: object) => record as never;

const executor = { service: 'operator', instance: 'operator-1', incarnation: 'one' };

/** A job in this status with two items under way and one that is not begun. */
async function stored(status: PlanMigration['status'], change: object = { executor }) {
  const world = await createMigrationWorld(3);
  const { ports } = bootMigrations(world, 1);
  await ports.migrations.insert(forged<PlanMigration>(staged({ ...newMigration(request), status, ...change })));
  for (const [place, subscription] of world.subscriptions().entries()) {
    const item = newItem(request.migrationId, place + 1, subscription);
    await ports.items.insert(forged<MigrationItem>(staged({ ...item, status: place < 2 ? 'running' : 'pending' })));
  }
  const asked: Questions[number][] = [];
  const askExecutors = async (questions: Questions) => {
    asked.push(...questions);
    return questions.map(() => ({ state: 'alive' as const }));
  };
  return { ports: { ...ports, askExecutors }, asked };
}

describe('a migration that is read', () => {
  it.each(['capturing', 'running', 'reconciliation_required'] as const)(
    'has its executor asked and its items under way counted while it is %s',
    async (status) => {
      const { ports, asked } = await stored(status);
      expect(await readMigration(ports, request.migrationId, { limit: 10 })).toMatchObject({
        migration: { status },
        running: 2,
        knowledge: { state: 'alive' },
      });
      expect(asked).toEqual([{ key: 'plan_migrations/mig-00000001', executor }]);
    },
  );

  it.each([
    ['pending', {}],
    ['completed', { executor }],
    ['refused', { executor }],
  ] as const)('has no executor to ask and nothing under way when it is %s', async (status, change) => {
    const { ports, asked } = await stored(status, change);
    const read = await readMigration(ports, request.migrationId, { limit: 10 });
    expect(read).toMatchObject({ migration: { status }, running: 0 });
    expect(read).not.toHaveProperty('knowledge');
    expect(asked).toEqual([]);
  });

  it('has a next page only when there is more', async () => {
    const { ports } = await stored('pending', {});
    const whole = await readMigration(ports, request.migrationId, { limit: 3 });
    expect(whole).not.toHaveProperty('nextCursor');
    const first = await readMigration(ports, request.migrationId, { limit: 2 });
    expect(first).toMatchObject({ outcomes: [{ ordinal: 1 }, { ordinal: 2 }], nextCursor: expect.any(String) });
  });
});

describe('the newest migrations', () => {
  it('are listed from the last one, as many as asked for', async () => {
    const world = await createMigrationWorld(0);
    const { ports } = bootMigrations(world, 1);
    for (const migrationId of ['mig-00000001', 'mig-00000002', 'mig-00000003']) {
      await ports.migrations.insert(newMigration({ ...request, migrationId }));
      world.clock.advance(1_000);
    }
    expect((await newestMigrations(ports, 2)).map(({ _id }) => _id)).toEqual(['mig-00000003', 'mig-00000002']);
  });
});
