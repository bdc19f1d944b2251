import type { EffectEvidence, FoundObject } from '@platform/payment-provider';
import {
  evidenceOfResolution,
  evidenceRefusal,
  isEvidenceRefusal,
  refusalText,
  type SecondProof,
} from './second-proof';

const readAt = new Date('2026-11-22T10:00:00.000Z');
const object: FoundObject = { kind: 'customer_balance_transaction', id: 'cbtxn_1', summary: { amount: -500 } };

function finding(change: Partial<EffectEvidence> = {}): EffectEvidence {
  return {
    step: 'balance_credit',
    search: 'listBalanceTransactions of cus_1',
    looksFor: 'metadata that name this operation and step: op-1',
    readAt,
    source: 'answered',
    objects: [],
    ...change,
  };
}

const shown = finding({ objects: [object] });
const release = finding({
  step: 'release_schedule',
  objects: [{ ...object, kind: 'subscription_schedule', id: 'sub_sched_1' }],
});
const sent = { sentAt: readAt, phase: 'bytes_written', outcome: 'unknown' } as const;
const minutesLater = (minutes: number): Date => new Date(readAt.getTime() + minutes * 60_000);

const judge = (
  outcome: 'applied' | 'not_applied',
  proof: SecondProof,
  { providerObject = 'cbtxn_1' as string | null, now = minutesLater(10), calls = [sent] as const } = {},
) => evidenceRefusal({ outcome, providerObject }, proof, calls, now);

describe('the second proof of a resolution', () => {
  it.each<[string, ReturnType<typeof judge>]>([
    ['applied, and the object is shown', judge('applied', { findings: [shown] })],
    [
      'not applied, nothing is shown, and no request can be on its way',
      judge('not_applied', { findings: [finding()] }),
    ],
    [
      'not applied, and only what makes way is shown',
      judge('not_applied', { findings: [release], makesWay: ['release_schedule'] }),
    ],
    ['not applied, and what is shown does no harm', judge('not_applied', { findings: [shown], harmless: () => true })],
    ['applied by the record itself', judge('applied', { findings: [finding()], bears: [] })],
  ])('is believed: %s', (_what, refusal) => {
    expect(refusal).toBeNull();
  });

  it.each<[string, ReturnType<typeof judge>, string, RegExp]>([
    [
      'not applied while it is shown',
      judge('not_applied', { findings: [shown] }),
      'resolution_contradicted',
      /shows customer balance transaction cbtxn_1/,
    ],
    [
      'applied with another object',
      judge('applied', { findings: [shown] }, { providerObject: 'cbtxn_X' }),
      'resolution_contradicted',
      /Name customer balance transaction cbtxn_1/,
    ],
    [
      'applied while nothing is shown',
      judge('applied', { findings: [finding()] }),
      'resolution_contradicted',
      /listBalanceTransactions of cus_1.*nothing was found/,
    ],
    [
      'applied by a step that only makes way',
      judge('applied', { findings: [release], makesWay: ['release_schedule'] }, { providerObject: 'sub_sched_1' }),
      'resolution_contradicted',
      /only release_schedule/,
    ],
    [
      'applied by an earlier step than the last',
      judge('applied', { findings: [shown, finding({ step: 'schedule_price' })] }),
      'resolution_contradicted',
      /schedule_price/,
    ],
    [
      'applied with an object that does not fit',
      judge('applied', { findings: [shown], misfit: () => 'it is over another amount.' }),
      'resolution_contradicted',
      /another amount/,
    ],
    [
      'against the record itself',
      judge('applied', { findings: [shown], contradiction: 'No call is recorded.' }),
      'resolution_contradicted',
      /No call/,
    ],
    [
      'not applied a minute after the request',
      judge('not_applied', { findings: [finding()] }, { now: minutesLater(1) }),
      'late_effect_possible',
      /Wait until 10:10:00 UTC/,
    ],
    [
      'not applied, unread',
      judge('not_applied', { findings: [finding({ source: 'unavailable', problem: 'time-out' })] }),
      'evidence_unavailable',
      /time-out/,
    ],
    [
      'applied, unread',
      judge('applied', { findings: [finding({ source: 'unavailable', problem: 'time-out' })] }),
      'evidence_unavailable',
      /Try again/,
    ],
  ])('refuses: %s', (_what, refusal, code, text) => {
    expect(refusal).toMatchObject({ code, text: expect.stringMatching(text) });
    expect(isEvidenceRefusal(refusalText(refusal!))).toBe(true);
  });

  it('leaves to two people what contradicts or comes early, and never what a provider that is unreachable would say', () => {
    const overridable = (proof: SecondProof, now = minutesLater(10)) =>
      judge('not_applied', proof, { now })?.overridable;
    expect(overridable({ findings: [shown] })).toBe(true);
    expect(overridable({ findings: [finding()] }, minutesLater(1))).toBe(true);
    expect(overridable({ findings: [finding({ source: 'not_askable', problem: 'no id' })] })).toBe(true);
    expect(overridable({ findings: [finding({ source: 'unavailable', problem: 'time-out' })] })).toBe(false);
  });

  it('keeps what was read by digest: other findings have another one', () => {
    const kept = evidenceOfResolution({ findings: [shown] }, readAt);
    expect(kept).toEqual({ readAt, objects: ['cbtxn_1'], digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(evidenceOfResolution({ findings: [finding()] }, readAt).digest).not.toBe(kept.digest);
  });
});
