/**
 * A table of the owner's record of an event: which outcomes it supports, and which refusals two people may override.
 */
import type { ProviderAdmission } from '@platform/contracts-provisioning';
import { evidenceRefusal } from '@platform/durable/investigation';
import { ownersProof } from './second-proof';

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

  it('is kept in a sentence', () => {
    const { statements } = ownersProof(
      { owner: 'operator' },
      { status: 'failed', error: 'it broke' },
      'applied',
      readAt,
    );
    expect(statements).toEqual([{ text: 'operator has recorded it as failed (it broke).', readAt }]);
  });
});
