/** The two answers of a case, as a table: without a proof in the records, no answer is presented as known. */
import type { Evidence } from '@platform/contracts-operator';
import { moneyVerdict, runningVerdict } from './operation-verdict';
import { caseOfOperation } from './operation-case';
import { at, call, evidence, type Situation } from '../testing/operation-evidence';

const lost = call({ outcome: 'unknown', phase: 'bytes_written' });
const answered = call({ outcome: 'succeeded', phase: 'response_read', httpStatus: 200, objectId: 'cbtxn_1' });
const declined = call({ outcome: 'failed', phase: 'response_read', httpStatus: 402 });
const found: Evidence['provider'] = {
  source: 'answered',
  objects: [{ kind: 'customer_balance_transaction', id: 'cbtxn_1', summary: {} }],
};
const nothing: Evidence['provider'] = { source: 'answered', objects: [] };
const away: Evidence['provider'] = { source: 'unavailable', objects: [], problem: 'time-out' };

describe('did money move', () => {
  it.each<[string, Situation, string]>([
    ['a confirmed credit', { status: 'succeeded', calls: [answered] }, 'moved'],
    [
      'a lost answer, and the provider lists it',
      { status: 'reconciliation_required', calls: [lost], provider: found },
      'moved',
    ],
    [
      'a lost answer, and the provider lists nothing',
      { status: 'reconciliation_required', calls: [lost] },
      'not_known',
    ],
    [
      'a lost answer, and the provider is unreachable',
      { status: 'reconciliation_required', calls: [lost], provider: away },
      'not_known',
    ],
    ['a recorded call without any answer', { status: 'running', calls: [call()] }, 'not_known'],
    ['a refused card', { status: 'failed', calls: [declined] }, 'did_not_move'],
    ['a refusal, then a lost answer', { status: 'reconciliation_required', calls: [declined, lost] }, 'not_known'],
    ['no recorded call', { status: 'running' }, 'did_not_move'],
    [
      'a skipped step alone',
      { status: 'awaiting_receipts', calls: [{ step: 'pause_collection', skipped: 'no subscription' }] },
      'did_not_move',
    ],
    [
      'a suspension that was confirmed',
      { status: 'succeeded', action: 'suspend', calls: [call({ ...answered, step: 'pause_collection' })] },
      'no_money',
    ],
    [
      'a suspension whose answer was lost',
      { status: 'reconciliation_required', action: 'suspend', calls: [call({ ...lost, step: 'pause_collection' })] },
      'not_known',
    ],
    [
      'a resolution as applied',
      {
        status: 'succeeded',
        calls: [lost],
        resolution: { outcome: 'applied', executorStopped: 'gone', providerObject: 'cbtxn_1', by: 'a@b.c', at },
      },
      'moved',
    ],
    [
      'a resolution as not applied',
      {
        status: 'failed',
        calls: [lost],
        resolution: { outcome: 'not_applied', executorStopped: 'gone', providerObject: null, by: 'a@b.c', at },
      },
      'did_not_move',
    ],
  ])('%s', (_what, situation, answer) => {
    const verdict = moneyVerdict(evidence(situation));
    expect(verdict.answer).toBe(answer);
    expect(verdict.because).not.toMatch(/balance_credit|pause_collection|customer_balance_transaction/);
  });
});

describe('may anything still run', () => {
  it.each<[string, Situation, string]>([
    ['an executor that lives', { status: 'running', state: 'alive' }, 'yes'],
    ['an executor that ended in order', { status: 'running', state: 'stopped' }, 'no'],
    ['an executor that was replaced', { status: 'running', state: 'superseded' }, 'not_proven'],
    ['an executor that is not known', { status: 'running' }, 'not_proven'],
    [
      'a stop whose last answer was lost',
      { status: 'reconciliation_required', calls: [lost], state: 'alive', finished: true },
      'not_proven',
    ],
    [
      'a stop without an open call',
      { status: 'reconciliation_required', calls: [answered], state: 'alive', finished: true },
      'no',
    ],
    [
      'a stop that is not finished',
      { status: 'reconciliation_required', calls: [lost], state: 'superseded' },
      'not_proven',
    ],
    ['a success', { status: 'succeeded', calls: [answered], finished: true }, 'no'],
    ['an intent', { status: 'pending' }, 'no'],
    ['a wait for receipts', { status: 'awaiting_receipts', calls: [answered], finished: true }, 'no'],
  ])('%s', (_what, situation, answer) => {
    const verdict = runningVerdict(evidence(situation));
    expect(verdict.answer).toBe(answer);
    // A sentence names a step in words, not as records do.
    expect(verdict.because).not.toMatch(/[a-z]_[a-z]/);
  });
});

describe('the next step', () => {
  it.each<[Situation, string]>([
    [{ status: 'succeeded', calls: [answered] }, 'nothing'],
    [{ status: 'failed', calls: [declined] }, 'repeat'],
    [{ status: 'running', state: 'alive' }, 'wait'],
    [{ status: 'running', state: 'superseded' }, 'investigate'],
    [{ status: 'awaiting_receipts', calls: [answered] }, 'wait'],
    [{ status: 'reconciliation_required', calls: [lost] }, 'investigate'],
  ])('%j', (situation, advice) => expect(caseOfOperation(evidence(situation), null).next.advice).toBe(advice));

  it('shows the resolve command only where an investigation ends, and names what the provider lists', () => {
    const lines = (situation: Situation) => caseOfOperation(evidence(situation), null).commands.map(({ line }) => line);
    expect(lines({ status: 'succeeded', calls: [answered] }).join()).not.toContain('resolve');
    expect(
      lines({ status: 'reconciliation_required', calls: [lost] }).filter((line) => line.includes('resolve')),
    ).toHaveLength(2);
    expect(lines({ status: 'reconciliation_required', calls: [lost], provider: found }).at(-1)).toBe(
      'npm run ops -- resolve operation op-00000001 --executor-stopped "<how you know that it is stopped>" --outcome applied --provider-object cbtxn_1 --token-file <file with your token>',
    );
  });

  it('never offers a new attempt for what is not known', () => {
    for (const provider of [nothing, found, away])
      expect(
        JSON.stringify(
          caseOfOperation(evidence({ status: 'reconciliation_required', calls: [lost], provider }), null).next,
        ),
      ).not.toMatch(/repeat(ed)? with/);
  });
});

describe('a recorded resolution', () => {
  const resolved = (
    outcome: 'applied' | 'not_applied',
    providerObject: string | null,
    provider: Evidence['provider'],
  ) =>
    evidence({
      status: outcome === 'applied' ? 'succeeded' : 'failed',
      calls: [lost],
      finished: true,
      provider,
      resolution: { outcome, providerObject, executorStopped: 'its host is gone', by: 'ann@example.com', at },
    });
  const searched = (
    result: 'found' | 'nothing_found' | 'unavailable',
    objects: Evidence['provider']['objects'],
    step = 'balance_credit',
  ) => ({
    source: 'answered' as const,
    objects,
    searches: [{ step, search: 'listBalanceTransactions of cus_1', looksFor: 'it', readAt: at, result }],
  });
  const shown = [{ kind: 'customer_balance_transaction', id: 'cbtxn_1', step: 'balance_credit', summary: {} }];

  it.each<[string, Evidence, string]>([
    ['that denies what is shown', resolved('not_applied', null, searched('found', shown)), 'contradicted'],
    ['that names another object', resolved('applied', 'cbtxn_X', searched('found', shown)), 'contradicted'],
    ['that names what is gone', resolved('applied', 'cbtxn_1', searched('nothing_found', [])), 'contradicted'],
    ['that fits', resolved('applied', 'cbtxn_1', searched('found', shown)), 'moved'],
    ['that nothing speaks against', resolved('not_applied', null, searched('nothing_found', [])), 'did_not_move'],
    ['that cannot be compared now', resolved('applied', 'cbtxn_X', searched('unavailable', [])), 'moved'],
  ])('%s is compared with what the provider shows', (_what, file, answer) => {
    const view = caseOfOperation(file, null);
    expect(view.verdict.money.answer).toBe(answer);
    expect(view.next.advice).toBe(answer === 'contradicted' ? 'investigate' : 'nothing');
  });

  it.each([
    ['balance_credit', 'contradicted'],
    ['create_session', 'contradicted'],
    ['create_customer', 'contradicted'],
    ['change_price', 'moved'],
  ])('is contradicted by the absence of its object only where nothing can hide it: %s', (step, answer) => {
    const file = resolved('applied', 'obj_1', searched('nothing_found', [], step));
    expect(caseOfOperation(file, null).verdict.money.answer).toBe(answer);
  });

  it('of two people against the evidence says so in the timeline', () => {
    const file = resolved('not_applied', null, searched('found', shown));
    const override = {
      reason: 'the customer got it back in cash',
      proposedBy: 'ann@example.com',
      approvedBy: 'bob@example.com',
      contradiction: 'resolution_contradicted: it is shown',
    };
    file.operation.resolution = { ...file.operation.resolution!, override };
    expect(caseOfOperation(file, null).timeline.at(-1)).toMatchObject({
      what: 'Resolved as not_applied by ann@example.com and bob@example.com, against the evidence',
      detail: expect.stringContaining('in cash (resolution_contradicted: it is shown)'),
    });
  });
});

describe('a timeline', () => {
  it('never shows an effect before its intent, whatever the clock of the provider says', () => {
    const behind = '2026-01-01T00:00:00.000Z';
    const { timeline } = caseOfOperation(
      evidence({
        status: 'reconciliation_required',
        calls: [lost],
        provider: {
          source: 'answered',
          objects: [
            {
              kind: 'customer_balance_transaction',
              id: 'cbtxn_1',
              step: 'balance_credit',
              summary: { createdAt: behind },
            },
          ],
        },
      }),
      null,
    );
    expect(timeline[0]?.what).toBe('Intent written');
    expect(timeline.find(({ what }) => what.includes('cbtxn_1'))).toMatchObject({
      at,
      detail: `by its own clock at ${behind}`,
    });
  });
});

it('what was meant is named as the form names it, and the plan of now apart from the one that was asked for', () => {
  const file = evidence({ status: 'awaiting_receipts', action: 'checkout', calls: [answered] });
  const values = { planId: 'pro', successUrl: 'https://a.test/done', cancelUrl: 'https://a.test/back' };
  const workspace = { planId: 'free', status: 'active', access: { state: 'open' } } as Evidence['workspace'];
  const { intent } = caseOfOperation({ ...file, operation: { ...file.operation, values }, workspace }, null);
  const shown = Object.fromEntries(intent.map(({ label, value }) => [label, value]));
  expect(shown).toMatchObject({
    plan: 'pro',
    'address after the purchase': 'https://a.test/done',
    'address when it is left': 'https://a.test/back',
    'plan now': 'free',
  });
});
