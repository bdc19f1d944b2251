/** Proves which histories the model refuses, on histories that are written by hand. */
import { refine, type History } from './refine';

const operation = (more: object) => ({
  ...{
    _id: 'op',
    tenantId: 'w',
    action: 'credit_customer',
    values: { amountCents: 1 },
    status: 'pending',
    attempts: [],
  },
  ...more,
});
const call = { step: 'balance_credit', idempotencyKey: 'op:1', payloadDigest: 'd' };
const running = (...calls: object[]) => operation({ status: 'running', attempts: [{ providerCalls: calls }] });
const ended = (status: string, outcome: string) =>
  operation({ status, attempts: [{ providerCalls: [{ ...call, outcome }] }] });

function history(records: readonly object[], more: Partial<History> = {}): History {
  const versions = records.map((record, number) => ({ collection: 'operations', record, at: (number + 1) * 10 }));
  return { versions, sends: [], effects: [], said: [], requests: [{ operationId: 'op', at: 1 }], ...more };
}

const send = (outcome: 'succeeded' | 'failed' | 'unknown', at: number) => ({
  ...{ operationId: 'op', key: 'op:1', payload: 'd', outcome, at },
});

describe('a history beside the reference model', () => {
  it.each([
    ['writes by writes', [operation({}), running(), running(call), ended('succeeded', 'succeeded')], 36],
    ['with intent, attempt and call in one write', [running(call), ended('succeeded', 'succeeded')], 16],
  ])('is a refinement when its operation goes %s', (_name, records, at) => {
    const found = refine(history(records, { sends: [send('succeeded', at)], effects: [{ key: 'op:1', at: at - 1 }] }));
    expect(found.violations).toEqual([]);
    expect(found.judged).toBeGreaterThanOrEqual(6);
  });

  it('is none when a request leaves before its call is written down', () => {
    const found = refine(history([operation({}), running(call)], { sends: [send('unknown', 15)] }));
    expect(found.violations).toEqual([expect.stringContaining('request 1 under op:1, and 0 calls are written down')]);
  });

  it('is none when an unknown outcome is called failed', () => {
    const found = refine(history([running(call), ended('failed', 'unknown')], { sends: [send('unknown', 15)] }));
    expect(found.violations).toEqual([expect.stringContaining('without a known outcome of op:1')]);
  });

  it.each([
    ['is one when a call is called never sent, and was not', [], []],
    ['is none when a call is called never sent after it was', [send('unknown', 15)], [/op:1 is called never sent/]],
  ])('%s', (_name, sends, wanted) => {
    const unsent = { ...call, skipped: 'the workspace has changed' };
    const versions = [running(call), operation({ status: 'failed', attempts: [{ providerCalls: [unsent] }] })];
    const found = refine(history(versions, { sends })).violations;
    expect(found).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });

  it('is none when an attempt begins for a request that came after the retry window', () => {
    const failed = operation({ status: 'failed', attempts: [{ providerCalls: [] }] });
    const again = operation({ status: 'running', attempts: [{ providerCalls: [] }, { providerCalls: [] }] });
    const late = 23 * 3_600_000 + 100;
    const versions = [running(), failed, again].map((record, number) => ({
      ...{ collection: 'operations', record, at: number === 2 ? late + 1 : number + 2 },
    }));
    const requests = [
      { operationId: 'op', at: 1, answeredAt: 5 },
      { operationId: 'op', at: late },
    ];
    expect(refine({ ...history([]), versions, requests }).violations).toEqual([
      expect.stringContaining('no unanswered request is within the retry window'),
    ]);
  });

  it.each([
    ['is one', 'is announced as unknown while it is under way', 'running', []],
    ['is none', 'is announced as unknown before it begins', 'pending', [/never in doubt/]],
  ])('%s when a migration %s', (_name, _how, status, wanted) => {
    const versions = [status, 'running', 'completed'].map((now, number) => ({
      ...{ collection: 'plan_migrations', record: { _id: 'm', status: now }, at: number + 2 },
    }));
    const seen = { sayings: [], thanks: [], alerts: [{ about: 'migration/m', at: 2.5 }], rests: true };
    const found = refine({ ...history([]), versions, requests: [], seen }).violations;
    expect(found).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });

  it.each([
    ['is one', 'it goes on without one', { trialDays: '0' }, []],
    ['is none', 'it has sold one', { trialDays: '14' }, [/op is waiting, and its reservation is released/]],
  ])('%s when the trial of a checkout is given back although %s', (_name, _how, checkpoint, wanted) => {
    const sold = { ...call, outcome: 'succeeded' };
    const waiting = { status: 'awaiting_receipts', checkpoint, attempts: [{ providerCalls: [sold] }] };
    const trial = { _id: 'card', tenantId: 'w', operationId: 'op' };
    const writes = [
      {
        collection: 'operations',
        record: operation({ status: 'running', checkpoint, attempts: [{ providerCalls: [call] }] }),
      },
      { collection: 'trial_reservations', record: trial },
      { collection: 'operations', record: operation(waiting) },
      { collection: 'trial_reservations', record: { ...trial, tenantId: null, operationId: null } },
    ];
    const versions = writes.map((write, number) => ({ ...write, at: number + 2 }));
    const sends = [send('succeeded', 2.5)];
    const effects = [{ key: 'op:1', at: 2.5 }];
    const found = refine({ ...history([]), versions, requests: [{ operationId: 'op', at: 1 }], sends, effects });
    expect(found.violations).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });

  it.each([
    ['is one', 'that failed, while the next attempt runs', 2, []],
    [
      'is none',
      'that runs',
      1,
      [/its transition is cleared while it is running/, /it opens although op has suspended/],
    ],
  ])('%s when the transition of an attempt is cleared %s', (_name, _which, attempts, wanted) => {
    const suspend = (status: string, count: number) =>
      operation({ action: 'suspend', status, attempts: Array.from({ length: count }, () => ({ providerCalls: [] })) });
    const open = { _id: 'w', access: { state: 'open', operationId: null } };
    const closed = {
      ...open,
      access: { state: 'closed', operationId: 'op' },
      transition: { operationId: 'op', attempt: 1 },
    };
    const writes = [
      ...[suspend('running', 1), closed],
      ...(attempts > 1 ? [suspend('failed', 1), suspend('running', 2)] : []),
      open,
    ];
    const versions = writes.map((record, number) => ({
      ...{ collection: record._id === 'w' ? 'subscriptions' : 'operations', record, at: number + 2 },
    }));
    const requests = [1, 3.5].map((at) => ({ operationId: 'op', at }));
    const found = refine({ ...history([]), versions, requests }).violations;
    expect(found).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });
});
