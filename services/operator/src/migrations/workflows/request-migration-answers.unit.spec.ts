/** What a caller is answered from the record of an earlier request, and when the store does not take this one. */
import { forged } from '@platform/durable/testing';
import { newMigration, type PlanMigration } from '../domain/migration';
import { bootMigrations, createMigrationWorld, request } from '../testing/migration-world';
import type { MigrationPorts } from './ports';
import { prepareMigration } from './prepare-migration';
import { requestMigration } from './request-migration';

const executor = { service: 'operator', instance: 'operator-1', incarnation: 'one' };
const error = { code: 'outcome_unknown', message: 'what it did is not known' };

/** A record in a status that no step has led to. */
const staged = (record: object) => forged<PlanMigration>({ ...newMigration(request), ...record } as never);

/** The answer to the request, and the records that were given to an executor. */
async function ask({
  differing = () => ({}),
  record,
  asked = request,
}: {
  differing?: (honest: MigrationPorts) => Partial<MigrationPorts>;
  record?: object;
  asked?: typeof request;
}) {
  const world = await createMigrationWorld(1);
  const { ports } = bootMigrations(world, 1);
  if (record) await ports.migrations.insert(staged(record));
  const started: string[] = [];
  const answer = await requestMigration({ ...ports, ...differing(ports) }, asked, ({ _id }) => void started.push(_id));
  return { world, answer, started };
}

describe('a repeated request', () => {
  it.each(['capturing', 'running', 'completed'])(
    'is answered from a record that is %s, and starts nothing',
    async (status) => {
      const { answer, started } = await ask({ record: { status, executor } });
      expect(answer).toMatchObject({ kind: 'accepted', migration: { status } });
      expect(started).toEqual([]);
    },
  );

  it('starts a record that no executor has', async () => {
    const { answer, started } = await ask({ record: { status: 'pending' } });
    expect(answer).toMatchObject({ kind: 'accepted', migration: { status: 'pending' } });
    expect(started).toEqual(['mig-00000001']);
  });

  it.each([
    ['reconciliation_required', error, 'reconciliation_required'],
    ['refused', { code: 'dry_run_outdated', message: 'another list' }, 'dry_run_outdated'],
    ['refused', { code: 'plan_not_available', message: 'no such plan' }, 'plan_not_available'],
  ])('is refused with the reason of a record that is %s: %j', async (status, reason, code) => {
    const { answer, started } = await ask({ record: { status, executor, error: reason } });
    expect(answer).toEqual({
      kind: 'refused',
      code,
      detail: reason.message,
      migration: expect.objectContaining({ _id: 'mig-00000001', status }),
    });
    expect(started).toEqual([]);
  });

  it('is compared also with a record that another process inserts meanwhile', async () => {
    const meanwhile =
      (record: object) =>
      ({ migrations }: MigrationPorts) => ({
        migrations: {
          ...migrations,
          insert: async (...draft: Parameters<typeof migrations.insert>) => {
            await migrations.insert(staged(record));
            return migrations.insert(...draft);
          },
        },
      });
    const other = await ask({ differing: meanwhile({ targetPlanId: 'euro' }) });
    expect(other.answer).toMatchObject({ kind: 'refused', code: 'operation_id_reused' });
    expect(other.started).toEqual([]);
    expect((await ask({ differing: meanwhile({ status: 'running', executor }) })).answer).toMatchObject({
      kind: 'accepted',
      migration: { status: 'running' },
    });
  });
});

describe('a request that the store does not take', () => {
  it.each([
    [{ outcome: 'unknown', reason: 'unreachable' }, /nothing has happened\. Repeat with the same migration id/],
    [{ outcome: 'not_applied', existing: null, conflict: ['_id'] }, /could not be read/],
  ] as const)('is answered %j with what the caller may do, and starts nothing', async (outcome, detail) => {
    const { answer, started } = await ask({
      differing: ({ migrations }) => ({ migrations: { ...migrations, insert: async () => outcome } }),
    });
    expect(answer).toEqual({ kind: 'store_unavailable', detail: expect.stringMatching(detail) });
    expect(started).toEqual([]);
  });
});

describe('a request that names a dry run', () => {
  it('is taken for the list of that dry run, and reads the list for it alone', async () => {
    let reads = 0;
    const counting = ({ subscriptions }: MigrationPorts) => ({
      subscriptions: {
        ...subscriptions,
        find: (...query: Parameters<typeof subscriptions.find>) => ((reads += 1), subscriptions.find(...query)),
      },
    });
    expect((await ask({ differing: counting })).answer).toMatchObject({ kind: 'accepted' });
    expect(reads).toBe(0);
    const world = await createMigrationWorld(1);
    const prepared = await prepareMigration(bootMigrations(world, 1).ports, 'starter', 'pro', { limit: 1 });
    if (prepared.kind !== 'prepared') throw new Error(prepared.kind);
    const { digest } = prepared.dryRun;
    const named = await ask({ differing: counting, asked: { ...request, digest } });
    expect(named.answer).toMatchObject({ kind: 'accepted', migration: { digest } });
    expect(reads).toBe(1);
    const outdated = await ask({ asked: { ...request, digest: 'another' } });
    expect(outdated.answer).toEqual({ kind: 'refused', code: 'dry_run_outdated' });
  });
});
