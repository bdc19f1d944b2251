/** The one page of results. */
import { hasEnded, type Played, type Proof } from './proof';
import { missingPart, partsOf } from './schedule';

export interface PageFacts {
  readonly commit: string;
  readonly proofs: readonly Proof[];
  readonly played: readonly Played[];
  readonly machine: string;
  /** The last lines of the output of a part. */
  readonly lastLines: (part: Played) => readonly string[];
}

export type Verdict = 'failed' | 'incomplete' | 'complete';

export function verdictOf({ proofs, played }: Pick<PageFacts, 'proofs' | 'played'>): Verdict {
  const chosen = played.filter(({ proof }) => proofs.some(({ name }) => name === proof));
  if (chosen.some(({ outcome }) => outcome === 'failed')) return 'failed';
  const whole = proofs.every(
    (proof) =>
      missingPart(proof, played) === undefined &&
      partsOf(proof, played).every(({ outcome }) => outcome !== 'not possible'),
  );
  return whole ? 'complete' : 'incomplete';
}

export const verdictTexts: Readonly<Record<Verdict, string>> = {
  failed: 'Something failed.',
  incomplete: 'Nothing failed, and not every proof has been played.',
  complete: 'Every proof has been played, and nothing failed.',
};

/** `1 h 05 min` */
export function durationText(minutes: number): string {
  const whole = Math.round(minutes);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${String(whole % 60).padStart(2, '0')} min`;
}

const timeOf = (played: readonly Played[]): string =>
  durationText(played.reduce((sum, { minutes }) => sum + minutes, 0));

/** The proof in one word, then its figures. */
export function stateOf(proof: Proof, played: readonly Played[]): readonly [state: string, figures: string] {
  const own = partsOf(proof, played);
  const ended = own.filter(hasEnded);
  const last = ended.at(-1);
  if (!last) return ['not played', own.length > 0 ? 'cut off' : `needs ${durationText(nextMinutes(proof, own))}`];
  const figures = proof.sumOf?.(ended) ?? last.result;
  if (ended.some(({ outcome }) => outcome === 'failed')) return ['FAILED', figures];
  if (ended.some(({ outcome }) => outcome === 'not possible')) return ['not possible', last.result];
  return [missingPart(proof, played) ? 'in part' : 'held', figures];
}

const nextMinutes = (proof: Proof, played: readonly Played[]): number =>
  proof.next(played, Number.POSITIVE_INFINITY)?.needsMinutes ?? 0;

const commandLineOf = ({ command: [name, ...options] }: Pick<Played, 'command'>): string =>
  `npm run ${name}${options.length > 0 ? ` -- ${options.join(' ')}` : ''}`;

function failureOf(part: Played, lastLines: PageFacts['lastLines']): string {
  return [
    `### ${part.proof}: ${part.name}`,
    `${part.result}. Again: \`${commandLineOf(part)}\`. Output: \`${part.log}\`, which ends so:`,
    ['```text', ...lastLines(part), '```'].join('\n'),
  ].join('\n\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function pageOf(facts: PageFacts): string {
  const { commit, proofs, played, machine, lastLines } = facts;
  const rows = proofs.map((proof) => {
    const [state, figures] = stateOf(proof, played);
    return `| ${[proof.name, state, figures, timeOf(partsOf(proof, played)), proof.shows].map(cell).join(' | ')} |`;
  });
  const failures = played.filter(({ outcome }) => outcome === 'failed');
  const began = played[0]?.startedAt.slice(0, 16).replace('T', ' ') ?? 'not begun';
  return [
    `# Proof of ${commit.slice(0, 8)}`,
    `${verdictTexts[verdictOf(facts)]} Begun ${began} UTC, ${timeOf(played)} played, ${machine}. ${played.length} parts; the output of each is in \`logs\`.`,
    ['| Proof | Result | Figures | Time | What it shows |', '| --- | --- | --- | ---: | --- |', ...rows].join('\n'),
    ...(failures.length > 0 ? ['## What failed', ...failures.map((part) => failureOf(part, lastLines))] : []),
    '',
  ].join('\n\n');
}
