/** The job of a migration: what its request is compared by, what it refuses, and how its record ends. */
import type { Checked } from '@platform/durable/steps';
import type { Plan } from '../../catalogue/domain/plan';
import {
  beginCapture,
  beginRun,
  closeMigration,
  emptyTally,
  finish,
  isLive,
  migrationDifferences,
  newMigration,
  refuseMigration,
  stop,
  targetOf,
  type PlanMigration,
} from './migration';

const at = new Date('2026-03-01T00:00:00.000Z');
const request = {
  migrationId: 'mig-00000001',
  fromPlanId: 'starter',
  targetPlanId: 'pro',
  notifyMembers: false,
  requestedBy: { id: 'ann' },
  reason: 'no longer sold',
};
const executor = { service: 'operator', instance: 'operator-1', incarnation: 'one' };
const error = { code: 'outcome_unknown', message: 'not known' };

function stored<M extends PlanMigration>(draft: Checked<M>): M {
  return { ...draft, revision: 'r', createdAt: at, updatedAt: at } as unknown as M;
}

function plan(change: Partial<Plan> = {}): Plan {
  const stamps = { revision: 'r', createdAt: at, updatedAt: at };
  return { _id: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd', offered: true, ...stamps, ...change };
}

const target = { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' };
const pending = stored(newMigration(request));
const capturing = stored(beginCapture(pending, executor, target));
const running = stored(beginRun(capturing, 3, 'digest', at));
const stopped = stored(stop(running, emptyTally, error, at));
const closed = stored(closeMigration(stopped, emptyTally, { executorStopped: 'gone', by: 'ann@example.com', at }));
const refused = stored(refuseMigration(pending, error, at));

describe('a job of a migration', () => {
  it.each([pending, capturing, running, stopped, closed, refused])(
    'has a live executor while it captures or runs: $status',
    (migration) => {
      expect(isLive(migration)).toBe(migration === capturing || migration === running);
    },
  );

  it('has the digest of a dry run only when the request names one', () => {
    expect(newMigration(request)).not.toHaveProperty('digest');
    expect(newMigration({ ...request, digest: 'd' }).digest).toBe('d');
  });
});

describe('a repeated request', () => {
  it('has no difference when its values are the same', () => {
    expect(migrationDifferences(pending, { ...request, reason: 'said otherwise' })).toEqual([]);
  });

  it('is compared value by value, and each difference is named where the caller wrote it', () => {
    expect(
      migrationDifferences(pending, {
        ...request,
        fromPlanId: 'free',
        targetPlanId: 'team',
        notifyMembers: true,
        digest: 'd',
      }),
    ).toEqual([
      { pointer: '/path/fromPlanId', message: 'the stored request has "starter", this one "free"' },
      { pointer: '/targetPlanId', message: 'the stored request has "pro", this one "team"' },
      { pointer: '/notifyMembers', message: 'the stored request has false, this one true' },
      { pointer: '/digest', message: 'the stored request has nothing, this one "d"' },
    ]);
  });
});

describe('a target plan', () => {
  const missing = { code: 'plan_not_available', detail: 'The target plan does not exist or is not offered.' };
  it.each<[string, Plan | null, object]>([
    ['that does not exist', null, missing],
    ['that is not offered', plan({ offered: false }), missing],
    [
      'that is the source plan',
      plan({ _id: 'starter' }),
      { code: 'plan_already_applied', detail: 'Source and target are the same plan.' },
    ],
    [
      'in another currency',
      plan({ currency: 'eur' }),
      { code: 'plan_not_available', detail: 'The target plan is in eur, the source plan in usd.' },
    ],
  ])('%s is refused', (_which, found, error) => {
    expect(targetOf(plan({ _id: 'starter' }), found)).toEqual({ ok: false, error });
  });

  it('is kept as it is now, with a price only when it is paid', () => {
    const from = plan({ _id: 'starter' });
    expect(targetOf(from, plan())).toStrictEqual({ ok: true, value: target });
    expect(targetOf(from, plan({ priceId: 'price_pro' }))).toStrictEqual({
      ok: true,
      value: { ...target, priceId: 'price_pro' },
    });
  });
});

describe('the end of a job', () => {
  it.each([
    ['an outcome that is not known', { succeeded: 2, reconciliation_required: 1 }, /^The outcome of 1 workspace is/],
    ['a workspace without an outcome', { succeeded: 2 }, /without an outcome of 1 workspace of the list\.$/],
    ['both', { succeeded: 1, reconciliation_required: 1 }, /without an outcome of 1 workspace of the list\.$/],
  ])('with %s is a stop that says so', (_what, tally, message) => {
    expect(finish(running, { ...emptyTally, ...tally }, 1, at)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'outcome_unknown', message: expect.stringMatching(message) },
      finishedAt: at,
    });
  });
});
