/** What recorded resolutions must agree with: the provider's ledger, which shows what it really did. */
import {
  order,
  type Evidence,
  type Instant,
  type Invariant,
  type ProviderCallEvidence,
  type ResolutionEvidence,
} from './evidence';

/** Steps whose effect lasts and names its operation: the provider would show it again at any later time. */
const lasting: ReadonlySet<string> = new Set([
  'balance_credit',
  'change_price',
  'change_plan',
  'pause_collection',
  'resume_collection',
  'cancel_at_period_end',
  'keep_after_period',
  'schedule_price',
]);

/** The provider may drop it without a trace, so it supports `applied` and never contradicts `not_applied`. */
const held = 'hold_price_change';

interface Resolved {
  readonly id: string;
  readonly calls: readonly ProviderCallEvidence[];
  readonly resolution: ResolutionEvidence;
}

function resolvedIn({ operations, migrations }: Evidence): Resolved[] {
  return [
    ...operations.map(({ _id, attempts, resolution }) => ({
      id: _id,
      calls: attempts.flatMap(({ providerCalls }) => providerCalls),
      resolution,
    })),
    ...(migrations ?? []).flatMap(({ migrationId, items }) =>
      items.map(({ tenantId, providerCalls, resolution }) => ({
        id: `${migrationId}:${tenantId}`,
        calls: providerCalls,
        resolution,
      })),
    ),
  ].flatMap((each) => (each.resolution ? [{ ...each, resolution: each.resolution }] : []));
}

/** An approval by the same person does not count. */
const isOverridden = ({ override }: ResolutionEvidence): boolean =>
  override !== undefined && override.proposedBy.toLowerCase() !== override.approvedBy.toLowerCase();

function contradictions(evidence: Evidence): { subject: string; message: string }[] {
  return resolvedIn(evidence).flatMap(({ id, calls, resolution }) => {
    const judged = resolution.evidence?.readAt ?? resolution.at;
    if (isOverridden(resolution) || judged === undefined) return [];
    const before = (at: Instant): boolean => order(at) < order(judged);
    const sent = calls.filter(({ step, skipped }) => skipped === undefined && lasting.has(step));
    const effectOf = ({ idempotencyKey }: ProviderCallEvidence) =>
      evidence.ledger.find((effect) => effect.idempotencyKey === idempotencyKey && before(effect.at));
    if (resolution.outcome === 'not_applied') {
      const effect = sent.map(effectOf).find((found) => found !== undefined);
      return effect
        ? [
            {
              subject: id,
              message: `was resolved as not applied, but the provider had done ${effect.step} (${effect.objectId})`,
            },
          ]
        : [];
    }
    const last = sent.at(-1);
    const effect = last && effectOf(last);
    const bearing = [effect, ...calls.filter(({ step }) => step === held).map(effectOf)];
    if (!last || bearing.some((each) => each?.objectId === resolution.providerObject)) return [];
    return [
      {
        subject: id,
        message: `was resolved as applied with ${resolution.providerObject}, but of ${last.step} the provider had ${effect ? effect.objectId : 'nothing'}`,
      },
    ];
  });
}

export const resolutionInvariants: readonly Invariant[] = [
  {
    id: 'I17',
    statement: "No resolution contradicts the provider's ledger, unless two people overrode it.",
    needs: [],
    check: contradictions,
    weigh: (evidence) => resolvedIn(evidence).length,
    facts: 'recorded resolutions',
  },
];
