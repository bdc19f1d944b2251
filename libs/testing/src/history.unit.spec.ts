import {
  checkableInvariants,
  checkHistory,
  formatJudged,
  formatViolations,
  invariants,
  judgedBy,
  weighEvidence,
} from './history';
import { emptyEvidence, type Evidence, type InvariantId } from './history/evidence';
import { broken, replaced, without } from './history-broken.harness';
import { clean, lost } from './history.harness';

describe('the history checker', () => {
  it('finds nothing in a clean history', () => {
    expect(checkHistory(clean)).toEqual([]);
    expect(checkHistory(emptyEvidence)).toEqual([]);
  });

  it('knows eighteen invariants, each with a history that violates it', () => {
    expect(invariants.map(({ id }) => id)).toEqual(Array.from({ length: 18 }, (_, index) => `I${index + 1}`));
    expect(new Set(broken.map(([id]) => id)).size).toBe(18);
  });

  it.each(broken)('%s shows %s', (id, _what, change) => {
    const violations = checkHistory({ ...clean, ...change });
    expect(violations.map((violation) => violation.invariant)).toContain(id);
  });

  it('reports an invariant only as checked when its evidence is given', () => {
    expect(checkableInvariants(clean)).toHaveLength(18);
    expect(checkableInvariants(emptyEvidence)).toEqual(['I1', 'I2', 'I3', 'I4', 'I5', 'I8', 'I13', 'I14', 'I17']);
  });

  it('weighs facts: what a full history shows, an empty one does not, and too few are NOT JUDGED', () => {
    const judged = { ...lost, _id: 'judged', resolution: { outcome: 'not_applied' } };
    const full = {
      ...clean,
      operations: [...clean.operations, judged],
      deletionLog: [{ tenantId: 'gone', operationId: 'delete-gone', at: 70 }],
    };
    const [some, none] = [weighEvidence(full), weighEvidence(emptyEvidence)];
    for (const { id } of invariants) expect([id, some[id] > 0, none[id]]).toEqual([id, true, 0]);
    const claims = { I2: 1, I13: some.I13 + 1 };
    expect(judgedBy(some, claims).map(({ id, judged }) => [id, judged])).toEqual([
      ['I2', true],
      ['I13', false],
    ]);
    expect(formatJudged(judgedBy(none, { I5: 3 }))).toEqual([
      'judged:     nothing',
      'NOT JUDGED: I5: 0 messages about access, beside the log of access, at least 3 are needed',
    ]);
  });

  it('holds no later answer against a call whose connection was refused, of which no request was seen', () => {
    const sends = clean.sends.slice(1);
    expect(formatViolations(checkHistory({ ...clean, sends }))).toEqual([]);
    const unseen = { ...clean, sends, ledger: [...clean.ledger, { ...clean.ledger[0]!, at: 3 }] };
    expect(formatViolations(checkHistory(unseen)).join()).toContain('I4');
  });

  it('lets a recorded resolution end what had stopped', () => {
    expect(
      checkHistory({
        ...clean,
        operations: replaced(clean.operations, 3, { status: 'succeeded', resolution: { outcome: 'applied' } }),
      }),
    ).toEqual([]);
  });

  it.each<[string, InvariantId, Partial<Evidence>]>([
    [
      'an attempt after the unknown',
      'I3',
      {
        operations: replaced(clean.operations, 3, {
          status: 'failed',
          resolution: { outcome: 'not_applied' },
          attempts: [...lost.attempts, { number: 2, providerCalls: [] }],
        }),
      },
    ],
    [
      'a stop without an alert',
      'I3',
      {
        alerts: [],
        statusLog: [...clean.statusLog, { operationId: 'lost', status: 'reconciliation_required', at: 43 }],
        operations: replaced(clean.operations, 3, { status: 'failed', resolution: { outcome: 'not_applied' } }),
      },
    ],
    [
      'access that a reactivation opened which it says was not applied',
      'I5',
      {
        operations: replaced(clean.operations, 2, { status: 'failed', resolution: { outcome: 'not_applied' } }),
        lifecycleMessages: without(clean.lifecycleMessages, 1),
      },
    ],
    [
      'a transition that was cleared before it was recorded',
      'I6',
      {
        operations: replaced(clean.operations, 1, { resolution: { outcome: 'applied' } }),
        statusLog: replaced(clean.statusLog, 1, { at: 20 }),
      },
    ],
  ])('does not let a recorded resolution excuse %s', (_what, id, change) => {
    expect(checkHistory({ ...clean, ...change }).map(({ invariant }) => invariant)).toContain(id);
  });

  it('says in one line what is broken and where', () => {
    expect(formatViolations(checkHistory({ ...clean, alerts: [] }))).toEqual([
      'I3 lost: it stopped, and no alert was sent',
    ]);
  });
});
