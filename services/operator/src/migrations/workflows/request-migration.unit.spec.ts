/** A request for a migration: repeated, refused, sent by several callers at once, and compared with a dry run. */
import { createSequentialIds } from '@platform/kernel';
import { newMigration } from '../domain/migration';
import { bootMigrations, createMigrationWorld, request, jobOf, violationsOf } from '../testing/migration-world';

describe('a request for a migration', () => {
  it('is answered from its record when repeated, and refused with other values', async () => {
    const world = await createMigrationWorld(2);
    const { submit } = bootMigrations(world, 1);
    await submit();
    expect(await submit()).toMatchObject({ kind: 'accepted', migration: { status: 'completed' } });
    expect(await submit({ ...request, targetPlanId: 'legacy', notifyMembers: true })).toMatchObject({
      kind: 'refused',
      code: 'operation_id_reused',
      errors: [{ pointer: '/targetPlanId' }, { pointer: '/notifyMembers' }],
    });
    expect(world.provider.ledger()).toHaveLength(2);
    expect(world.migrations()).toHaveLength(1);
  });

  it('keeps the reason of its first request, whatever a repeat says', async () => {
    const world = await createMigrationWorld(1);
    const { submit } = bootMigrations(world, 1);
    await submit();
    expect(await submit({ ...request, reason: 'said otherwise' })).toMatchObject({ kind: 'accepted' });
    expect(jobOf(world).reason).toBe('the plan is no longer sold');
  });

  it('starts, when repeated, what no executor was ever admitted to', async () => {
    const world = await createMigrationWorld(2);
    const { ports } = bootMigrations(world, 1);
    await ports.migrations.insert(newMigration(request));
    await bootMigrations(world, 2).submit();
    expect(jobOf(world)).toMatchObject({ status: 'completed', executor: { incarnation: 'incarnation-2' } });
  });

  it('is executed once however many executors ask for it at a time', async () => {
    const world = await createMigrationWorld(10);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, life) =>
        bootMigrations(world, life + 1, { instance: `operator-${life}`, lanes: 3 }).submit(),
      ),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'accepted'));
    expect(world.provider.sends()).toHaveLength(10);
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 10 } });
    expect(violationsOf(world)).toEqual([]);
  });

  it.each([
    ['nowhere', 'pro', { kind: 'no_such_plan' }],
    ['starter', 'nowhere', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'legacy', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'euro', { kind: 'refused', code: 'plan_not_available' }],
    ['starter', 'starter', { kind: 'refused', code: 'plan_already_applied' }],
  ])('from %s to %s is refused and leaves nothing behind', async (fromPlanId, targetPlanId, answer) => {
    const world = await createMigrationWorld(1);
    expect(await bootMigrations(world, 1).submit({ ...request, fromPlanId, targetPlanId })).toMatchObject(answer);
    expect(world.migrations()).toEqual([]);
  });
});

describe('a migration that names a dry run', () => {
  it('is refused when the list is another one, before anything is written', async () => {
    const world = await createMigrationWorld(2);
    expect(await bootMigrations(world, 1).submit({ ...request, digest: createSequentialIds(3).next() })).toMatchObject({
      kind: 'refused',
      code: 'dry_run_outdated',
    });
    expect(world.migrations()).toEqual([]);
  });
});
