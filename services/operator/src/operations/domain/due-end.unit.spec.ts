/** What falls due on a date: at the instant itself and not before, under an id that every replica makes alike. */
import { operationStatuses } from '@platform/contracts-operator';
import { at, attempt, inStatus, now, pendingPlan, running, workspace } from '../testing/action-fixtures';
import type { Subscription } from '../../mirror/domain/subscription';
import { dueEndsOf, judgeGeneration, requestFor, type DueEnd, type OverduePolicy } from './due-end';
import type { Operation } from './operation';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const from = (start: Date, ms: number) => new Date(start.getTime() + ms);
const suspending: OverduePolicy = { then: 'suspend', afterDays: 14 };

type Dated = Partial<Subscription>;
const granted: Dated = { isComplimentary: true, freeUntil: at };
const ending: Dated = { cancelsAt: at };
const changing: Dated = { pendingPlan: { ...pendingPlan, at } };
const overdue: Dated = { status: 'past_due', overdueSince: from(at, -14 * dayMs) };

const due = (workspaceOf: Dated, moment = at, policy: OverduePolicy = suspending) =>
  dueEndsOf(workspace(workspaceOf), moment, policy);

describe('what is due', () => {
  it.each<[string, Dated, Omit<DueEnd, 'tenantId' | 'due'>]>([
    [
      'the end of free access',
      granted,
      {
        action: 'end_free_access',
        values: { freeUntil: '2026-03-01T00:00:00.000Z' },
        reason: 'Free access was granted until 2026-03-01T00:00:00.000Z',
      },
    ],
    [
      'the end of a cancelled subscription',
      ending,
      {
        action: 'record_subscription_end',
        values: {},
        reason: 'The subscription was cancelled for 2026-03-01T00:00:00.000Z',
      },
    ],
    [
      'a plan change',
      changing,
      {
        action: 'record_plan_change',
        values: { planId: 'pro' },
        reason: 'The plan change was to take effect at 2026-03-01T00:00:00.000Z',
      },
    ],
    [
      'a suspension for an overdue payment',
      overdue,
      { action: 'suspend', values: {}, reason: 'A payment has been overdue since 2026-02-15T00:00:00.000Z' },
    ],
  ])('is %s, from its instant on', (_what, dated, end) => {
    expect(due(dated, from(at, -1))).toEqual([]);
    expect(due(dated, at)).toStrictEqual([{ tenantId: 'acme', due: at, ...end }]);
    expect(due(dated, from(at, 400 * dayMs))).toStrictEqual([{ tenantId: 'acme', due: at, ...end }]);
  });

  it('is everything that has come, in a fixed order', () => {
    expect(due({ ...granted, ...ending, ...changing, ...overdue }).map(({ action }) => action)).toEqual([
      'end_free_access',
      'record_subscription_end',
      'record_plan_change',
      'suspend',
    ]);
  });

  it.each<[string, Dated]>([
    ['no date', {}],
    ['a grant without an end', { isComplimentary: true }],
    ['a grant that has ended already', { ...granted, isComplimentary: false }],
    ['a grant to a suspended workspace', { ...granted, status: 'suspended' }],
    ['a cancelled subscription that is recorded as such', { ...ending, status: 'cancelled' }],
    ['an overdue payment of a suspended workspace', { ...overdue, status: 'suspended' }],
    ['an overdue payment without its date', { status: 'past_due' }],
    [
      'an operation that holds the workspace',
      { ...ending, transition: { operationId: 'o', kind: 'suspend', requestedAt: at } },
    ],
    ['a workspace that is being deleted', { ...ending, deletion: { startedAt: at, operationId: 'op-delete-01' } }],
  ])('is nothing with %s', (_what, dated) => {
    expect(due(dated, now)).toEqual([]);
  });

  it('is no suspension unless the policy says so', () => {
    for (const then of ['none', 'warn'] as const) expect(due(overdue, now, { then, afterDays: 14 })).toEqual([]);
    expect(dueEndsOf(workspace(overdue), now)).toEqual([]);
    expect(due(overdue, from(at, -14 * dayMs), { then: 'suspend', afterDays: 0 })).toHaveLength(1);
  });
});

describe('the operation of an end that is due', () => {
  const end: DueEnd = {
    tenantId: 'acme',
    action: 'end_free_access',
    values: { a: 'b' },
    due: at,
    reason: 'it is time',
  };

  it('asks for it in the name of the time', () => {
    expect(requestFor(end, 1)).toEqual({
      operationId: expect.stringMatching(/^time-[0-9a-f]{40}-1$/) as string,
      tenantId: 'acme',
      action: 'end_free_access',
      values: { a: 'b' },
      actor: { id: 'time' },
      reason: 'it is time',
    });
  });

  it('has one id per workspace, action, date and generation, whatever else is said', () => {
    const id = (change: Partial<DueEnd>, generation = 1) => requestFor({ ...end, ...change }, generation).operationId;
    expect(id({ reason: 'another', values: {} })).toBe(id({}));
    const others = [id({ tenantId: 'globex' }), id({ action: 'suspend' }), id({ due: now }), id({}, 2)];
    expect(new Set([id({}), ...others]).size).toBe(5);
    expect(id({}, 2).replace(/2$/, '1')).toBe(id({}));
  });
});

describe('a generation of it', () => {
  const record = (status: Operation['status'], change: Partial<Operation> = {}): Operation =>
    ({ ...running('suspend', { attempts: [attempt()] }), ...change, status }) as Operation;
  const resolution = {
    outcome: 'not_applied',
    executorStopped: 'gone',
    providerObject: null,
    by: 'ops@example.com',
    at,
  } as const;
  const edge = 23 * hourMs;

  it('is begun when there is no record of it', () => {
    expect(judgeGeneration(null, now)).toBe('begin');
  });

  it.each(operationStatuses)(
    'that is %s is judged alike before and after the window, unless it may be repeated',
    (status) => {
      const judged = [0, edge - 1, edge, 100 * dayMs].map((ms) => judgeGeneration(record(status), from(at, ms)));
      const always = (judgement: string) => [judgement, judgement, judgement, judgement];
      const repeatable = ['begin', 'begin', 'next', 'next'];
      const expected: Readonly<Record<Operation['status'], readonly string[]>> = {
        pending: repeatable,
        running: always('wait'),
        awaiting_receipts: always('wait'),
        awaiting_payment: always('wait'),
        succeeded: always('next'),
        failed: repeatable,
        reconciliation_required: always('wait'),
      };
      expect(judged).toEqual(expected[status]);
    },
  );

  it('that an investigation ended is followed by the next one at once', () => {
    expect(
      judgeGeneration(inStatus(running('suspend'), 'failed', { error: { code: 'c', message: 'm' }, resolution }), at),
    ).toBe('next');
  });
});
