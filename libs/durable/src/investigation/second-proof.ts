/**
 * The second proof, compared with what the provider shows now: an outcome that its objects contradict, or that comes
 * too early, is refused. Pure; a service reads the evidence and declares the purpose of its calls.
 */
import { digestOf } from '@platform/kernel';
import { lateEffect, type EffectEvidence, type FoundObject, type PossiblySent } from '@platform/payment-provider';
import type { OutcomeProofs } from './proofs';
import type { ResolutionEvidence } from './resolution';

/** Why evidence refuses a resolution. The code is printed unchanged, and never reused. */
type EvidenceRefusalCode =
  'resolution_contradicted' | 'late_effect_possible' | 'evidence_unavailable' | 'evidence_changed';

export interface EvidenceRefusal {
  readonly code: EvidenceRefusalCode;
  /** What was found, and what to do next. */
  readonly text: string;
  /** Whether two people may override it. Evidence that could not be read cannot be overridden. */
  readonly overridable: boolean;
}

/** The current answer of a process or a service of the platform about the record. */
export interface Statement {
  /** A sentence that names its source. */
  readonly text: string;
  readonly readAt: Date;
}

/** What was read about a record's calls, and how its service judges that for the requested action. */
export interface SecondProof {
  /** What the provider shows now, step by step in the order of the calls. */
  readonly findings: readonly EffectEvidence[];
  /** Steps that only prepare or roll back: their effect supports neither outcome. */
  readonly makesWay?: readonly string[];
  /** Steps whose effect supports `applied`; default: the last sent step. None: the record itself proves it. */
  readonly bears?: readonly string[];
  /** What the provider shows that does not match amount, plan or workspace; null when it matches. */
  readonly misfit?: (object: FoundObject) => string | null;
  /** Effects that do not contradict `not_applied`: an expired session, a customer that owes nothing. */
  readonly harmless?: (object: FoundObject, step: string) => boolean;
  /** What the provider shows about an object that was named and not found, in a sentence. */
  readonly named?: string;
  /** What contradicts the outcome besides the provider: the record's own rules, or its owner's answer. */
  readonly contradiction?: string | null;
  /** The answers of other parts of the platform. */
  readonly statements?: readonly Statement[];
  /** A process that is doing the work; it must end or finish first, whatever a person states. */
  readonly atWork?: string | null;
  /** The sources that could not be read and without which no outcome can be decided. */
  readonly unread?: string | null;
  /** Why an effect may still come, besides what was sent to the provider. */
  readonly mayStillCome?: string | null;
}

const list = (objects: readonly FoundObject[]): string =>
  objects.map(({ kind, id }) => `${kind.replaceAll('_', ' ')} ${id}`).join(', ');

/** The search and what it looked for, in a sentence. */
export function searchedText({ step, search, looksFor, readAt, source, objects, problem }: EffectEvidence): string {
  const where = `${step}: ${search}, for ${looksFor}, at ${readAt.toISOString()}`;
  if (source !== 'answered') return `${where}: could not be looked at (${problem ?? 'no reason is known'}).`;
  return `${where}: ${objects.length === 0 ? 'nothing was found' : `found ${list(objects)}`}.`;
}

const contradicted = (text: string): EvidenceRefusal => ({ code: 'resolution_contradicted', text, overridable: true });

function unavailable(findings: readonly EffectEvidence[]): EvidenceRefusal | null {
  const unread = findings.filter(({ source }) => source !== 'answered');
  if (unread.length === 0) return null;
  return {
    code: 'evidence_unavailable',
    text: `The provider's own record could not be read: ${unread.map(searchedText).join(' ')} Try again when it answers; without it no outcome is recorded.`,
    overridable: unread.every(({ source }) => source === 'not_askable'),
  };
}

function notAppliedRefusal(
  { findings, makesWay = [], harmless = () => false }: SecondProof,
  calls: readonly PossiblySent[],
  now: Date,
): EvidenceRefusal | null {
  const relevant = findings.filter(({ step }) => !makesWay.includes(step));
  const shown = relevant.flatMap(({ step, objects }) => objects.filter((object) => !harmless(object, step)));
  if (shown.length > 0)
    return contradicted(
      `It cannot be recorded as not applied: the provider shows ${list(shown)} of it. ${relevant.map(searchedText).join(' ')} Record it as applied with that object, or undo it at the provider first.`,
    );
  const late = lateEffect(calls, now);
  return (
    unavailable(relevant) ?? (late === null ? null : { code: 'late_effect_possible', text: late, overridable: true })
  );
}

function appliedRefusal(
  { findings, makesWay = [], bears, misfit = () => null, named }: SecondProof,
  providerObject: string | null,
): EvidenceRefusal | null {
  const last = findings.filter(({ step }) => !makesWay.includes(step)).at(-1);
  const steps = bears ?? (last ? [last.step] : []);
  const bearing = findings.filter(({ step }) => steps.includes(step as string));
  if (bearing.length === 0)
    return findings.length === 0 || bears?.length === 0
      ? null
      : contradicted(
          `It cannot be recorded as applied: only ${findings.map(({ step }) => step).join(', ')} was ever to be sent, which makes way for it. Record it as not applied, and ask for it again under a new id.`,
        );
  const object = bearing.flatMap(({ objects }) => objects).find(({ id }) => id === providerObject);
  const blind = unavailable(bearing);
  if (!object) {
    if (blind) return blind;
    const shown = bearing.flatMap(({ objects }) => objects);
    return contradicted(
      `It cannot be recorded as applied with ${providerObject ?? 'no object'}: ${named ?? `the provider does not show ${providerObject ?? 'an object'} for it.`} ${bearing.map(searchedText).join(' ')} ${shown.length > 0 ? `Name ${list(shown)}, if that is the effect.` : 'If nothing was applied, record it as not applied once no request can be on its way.'}`,
    );
  }
  const wrong = misfit(object);
  return wrong === null
    ? null
    : contradicted(`It cannot be recorded as applied with ${object.id}: ${wrong} Look at the provider's own log.`);
}

/** Why this outcome is refused; null when the evidence supports it. `now` as for {@link lateEffect}. */
export function evidenceRefusal(
  { outcome, providerObject }: Pick<OutcomeProofs, 'outcome' | 'providerObject'>,
  proof: SecondProof,
  calls: readonly PossiblySent[],
  now: Date,
): EvidenceRefusal | null {
  if (proof.atWork) return { code: 'resolution_contradicted', text: proof.atWork, overridable: false };
  if (proof.contradiction) return contradicted(proof.contradiction);
  if (proof.unread) return { code: 'evidence_unavailable', text: proof.unread, overridable: false };
  if (proof.mayStillCome && outcome === 'not_applied')
    return { code: 'late_effect_possible', text: proof.mayStillCome, overridable: true };
  return outcome === 'not_applied' ? notAppliedRefusal(proof, calls, now) : appliedRefusal(proof, providerObject);
}

/** SHA-256 over what the provider shows, independent of the time: a different digest is a different situation. */
export function digestOfShown({ findings }: SecondProof): string {
  return digestOf(
    findings.map(({ step, source, objects }) => ({
      step,
      source,
      objects: [...objects].sort((a, b) => (a.id < b.id ? -1 : 1)),
    })),
  );
}

/** What is stored of the evidence with a resolution. */
export function evidenceOfResolution({ findings, statements = [] }: SecondProof, at: Date): ResolutionEvidence {
  const dated = <T extends { readonly readAt: Date }>(each: T) => ({ ...each, readAt: each.readAt.toISOString() });
  return {
    readAt: [...findings, ...statements].at(-1)?.readAt ?? at,
    digest: digestOf([...findings, ...statements].map(dated)),
    objects: [...new Set(findings.flatMap(({ objects }) => objects.map(({ id }) => id)))],
    ...(statements.length > 0 && { statements: statements.map(({ text }) => text) }),
  };
}

const refusalCodes: readonly string[] = [
  'resolution_contradicted',
  'late_effect_possible',
  'evidence_unavailable',
  'evidence_changed',
] satisfies EvidenceRefusalCode[];

/** The refusal as one text that begins with its code. */
export const refusalText = ({ code, text }: EvidenceRefusal): string => `${code}: ${text}`;

/** Whether the text is a refusal with this code. */
export const isRefusalFor = (code: EvidenceRefusalCode, text: string): boolean => text.split(':', 1)[0] === code;

/** Whether evidence caused a refusal of an investigation. */
export const isEvidenceRefusal = (text: string): boolean => refusalCodes.includes(text.split(':', 1)[0]!);
