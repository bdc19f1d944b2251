/**
 * A table of the owner's record of an event: which outcomes it supports, and which refusals two people may override.
 */
import type { ProviderAdmission } from '@platform/contracts-provisioning';
import { evidenceRefusal } from '@platform/durable/investigation';
import { ownersContradiction, ownersProof } from './second-proof';

const readAt = new Date('2026-11-22T10:00:00.000Z');

/** The code of the refusal, with `!` when two people cannot override it; `believed` when there is no refusal. */
function judged(outcome: 'applied' | 'not_applied', answer: ProviderAdmission | 'unavailable'): string {
  const proof = ownersProof({ owner: 'operator' }, answer, outcome, readAt);
  const refusal = evidenceRefusal({ outcome, providerObject: null }, proof, [], readAt);
  return refusal ? `${refusal.code}${refusal.overridable ? '' : '!'}` : 'believed';
}

const contradicted = 'resolution_contradicted';

describe("the owner's record of an event", () => {
  it.each<[string, ProviderAdmission | 'unavailable', string, string]>([
    ['success', { status: 'success' }, 'believed', contradicted],
    ['skipped', { status: 'skipped', error: 'not ours' }, contradicted, 'believed'],
    ['failed, which may be in part', { status: 'failed', error: 'it broke' }, 'believed', 'believed'],
    ['unknown', { status: 'unknown' }, 'believed', 'believed'],
    [
      'an outcome still to come, at a process that is gone',
      { status: 'pending', executor: { state: 'not_proven' } },
      'believed',
      'believed',
    ],
    [
      'an outcome still to come, at a process that answers',
      { status: 'pending', executor: { state: 'alive' } },
      `${contradicted}!`,
      `${contradicted}!`,
    ],
    ['nothing: it was never admitted', { status: 'not_admitted' }, contradicted, 'late_effect_possible'],
    ['nothing that can be read', 'unavailable', 'evidence_unavailable!', 'evidence_unavailable!'],
  ])('says %s', (_what, answer, applied, notApplied) => {
    expect([judged('applied', answer), judged('not_applied', answer)]).toEqual([applied, notApplied]);
  });

  it.each<[ProviderAdmission | 'unavailable', string]>([
    ['unavailable', 'operator does not answer.'],
    [{ status: 'not_admitted' }, 'operator has never admitted it.'],
    [{ status: 'pending' }, 'operator has admitted it without an outcome.'],
    [
      { status: 'pending', executor: { state: 'alive' } },
      'operator has admitted it without an outcome. Its handler answered just now: the work is under way in it.',
    ],
    [{ status: 'success' }, 'operator has recorded it as success.'],
    [{ status: 'failed', error: 'it broke' }, 'operator has recorded it as failed (it broke).'],
  ])('%j is kept in a sentence', (answer, text) => {
    expect(ownersProof({ owner: 'operator' }, answer, 'applied', readAt)).toMatchObject({
      findings: [],
      statements: [{ text, readAt }],
    });
  });

  it('of an event that has ended is no work under way, whatever process it names', () => {
    const answer: ProviderAdmission = { status: 'success', executor: { state: 'alive' } };
    expect(judged('applied', answer)).toBe('believed');
  });

  it('contradicts a recorded resolution in words that name the owner, and never by silence', () => {
    const words = 'It cannot be recorded as not_applied: operator has recorded it as success.';
    expect(ownersContradiction({ owner: 'operator' }, { status: 'success' }, 'not_applied')).toBe(words);
    expect(ownersProof({ owner: 'operator' }, { status: 'success' }, 'not_applied', readAt)).toMatchObject({
      contradiction: words,
    });
    expect(ownersContradiction({ owner: 'operator' }, { status: 'success' }, 'applied')).toBeNull();
    expect(ownersContradiction({ owner: 'operator' }, 'unavailable', 'applied')).toBeNull();
  });
});
