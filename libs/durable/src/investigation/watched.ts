/**
 * Recorded resolutions are read again for a day, a page at a time, by the index of their times. Reads only: the
 * watching service records and announces contradictions.
 */
import type { Revisioned } from '@platform/kernel';
import { apart, type RevisionedCollection, type Scalar } from '@platform/mongo';
import { evidenceRefusal, isRefusalFor, type SecondProof } from './second-proof';
import type { Contradicted, OutcomeResolution } from './resolution';

export const watchedHours = 24;
/** Records that one round reads, which limits the requests to the provider. */
const readAtOnce = 25;

/** The resolution of a record for which the provider need not have an object. */
type Judgement = Omit<OutcomeResolution, 'providerObject'>;

/** The end of a page. */
export interface WatchedPosition {
  readonly at: Date;
  readonly id: string;
}

interface Resolved<R> extends Revisioned {
  readonly resolution?: R;
}

type Shown = Pick<Contradicted, 'tenantId' | 'title' | 'text' | 'objects'>;

/** Records of one kind. */
export interface Watched<R extends Judgement, T extends Resolved<R>> {
  readonly records: Pick<RevisionedCollection<T>, 'name' | 'find' | 'quarantine'>;
  /** Null: the evidence supports the resolution, or nothing can be concluded. Throws StoreUnavailableError. */
  readonly contradicts: (record: T, resolution: R) => Promise<Shown | null>;
}

export interface ContradictedAmong {
  readonly contradicted: readonly Contradicted[];
  /** Absent at the end. */
  readonly next?: WatchedPosition;
}

/** Two people who did not wait for a late effect have recorded against nothing that was shown, so it is still news. */
const isAgainstEvidence = ({ override }: Judgement): boolean =>
  override !== undefined && !isRefusalFor('late_effect_possible', override.contradiction);

/**
 * One page of the resolutions recorded after `since`. Those that two people recorded against the evidence are left out.
 */
export async function contradictedAmong<R extends Judgement, T extends Resolved<R>>(
  { records, contradicts }: Watched<R, T>,
  since: Date,
  after?: WatchedPosition,
): Promise<ContradictedAmong> {
  const position: readonly Scalar[] | undefined = after && [after.at, after.id];
  const page = await records.find(
    { 'resolution.at': { $gt: since } },
    { sort: { 'resolution.at': 1, _id: 1 }, limit: readAtOnce, ...(position && { after: position }) },
  );
  const contradicted: Contradicted[] = [];
  for (const record of page)
    await apart(records, record._id, async () => {
      const { resolution, _id: itemId } = record;
      if (!resolution || isAgainstEvidence(resolution)) return;
      const shown = await contradicts(record, resolution);
      if (shown) contradicted.push({ itemId, resolvedBy: resolution.by, resolvedAt: resolution.at, ...shown });
    });
  const last = page.at(-1);
  const more = page.length === readAtOnce && last?.resolution;
  return { contradicted, ...(more && { next: { at: more.at, id: last._id } }) };
}

/**
 * Why the provider's later state does not support the resolution; null when it does, or when nothing can be concluded.
 * Other work continues meanwhile, so only effects that such work cannot cause count: `counts` names their steps for
 * each outcome.
 */
export function laterRefusal(
  resolution: Pick<OutcomeResolution, 'outcome' | 'evidence' | 'providerObject'>,
  proof: SecondProof,
  counts: (step: string) => boolean,
): string | null {
  const { outcome, evidence } = resolution;
  const known = new Set(evidence?.objects);
  const findings = proof.findings.filter(({ step }) => counts(step));
  if (findings.length === 0 || (outcome === 'applied' && !bears(proof, findings))) return null;
  const harmless: NonNullable<SecondProof['harmless']> = (object, step) =>
    known.has(object.id) || (proof.harmless?.(object, step) ?? false);
  // Without calls, because it does not matter here whether a request may still arrive.
  const refusal = evidenceRefusal(resolution, { ...proof, findings, harmless, contradiction: null }, [], new Date(0));
  return refusal?.code === 'resolution_contradicted' ? refusal.text : null;
}

/** Whether the step that supports `applied` is among them. */
function bears(
  { findings: all, makesWay = [], bears: named }: SecondProof,
  findings: SecondProof['findings'],
): boolean {
  const last = all.findLast(({ step }) => !makesWay.includes(step))?.step;
  return findings.some(({ step }) => (named ? named.includes(step) : step === last));
}
