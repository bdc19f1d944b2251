/** `npm run sim -- --processes`: histories of the services' own programs, one after another, and their verdict. */
import { formatJudged, judgedBy, type Minimums } from '@platform/testing';
import { addHistory, createTally, grouped, type Tally } from '../tally';
import { playApart } from './apart';
import type { ProcessResult } from './play';
import { notPlayed, perHundred, shareOf } from './claims';
import type { EarlierPrograms } from './earlier-programs';
import { releasesPerHundred } from './releases';

type Show = (line: string) => void;

export interface ExploreOptions {
  readonly histories: number;
  readonly minutes?: number | undefined;
  readonly from: number;
  readonly workers: number;
  /** Some processes run these programs. */
  readonly earlier?: EarlierPrograms | undefined;
  readonly show: Show;
  readonly keep: (name: string, figures: object) => void;
}

function claimsOf(tally: Tally): Minimums {
  return Object.fromEntries(Object.entries(perHundred).map(([id, minimum]) => [id, shareOf(minimum, tally.histories)]));
}

function describe({ plan, steps, lasted, crashes, ends, zombies, faults, violations }: ProcessResult): string {
  const played = `${grouped(steps)} steps, ${Math.round(lasted / 1_000)} s of its own time`;
  const failed = violations.map((line) => `\n  VIOLATION ${line}`).join('');
  return `seed ${plan.seed}: ${played}, ${crashes} crashes, ${ends} orderly ends, ${zombies} pauses, ${faults.length} faults${failed}`;
}

/** Plays one seed with its story. */
export async function replayProcesses(
  seed: number,
  { show, earlier }: Pick<ExploreOptions, 'show' | 'earlier'>,
): Promise<number> {
  const result = await playApart({ seed, earlier: earlier?.file });
  result.actions.forEach((action, at) => show(`  action ${at + 1}: ${JSON.stringify(action)}`));
  result.story.forEach((line) => show(`  ${line}`));
  result.answers.forEach((answer) => show(`  answered ${answer}`));
  result.lines.forEach((line) => show(`  ${line}`));
  show(describe(result));
  show(`digest ${result.digest}`);
  return result.violations.length === 0 ? 0 : 1;
}

function listOf(counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  return rows.map(([name, count]) => `  ${String(grouped(count)).padStart(7)}  ${name}`).join('\n');
}

/** Plays histories until there are enough, or twenty have failed. */
export async function exploreProcesses(options: ExploreOptions): Promise<number> {
  const { histories, minutes, from, workers, show, keep, earlier } = options;
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const tally = createTally();
  let next = from;
  const isOver = (): boolean =>
    next >= from + histories || tally.failures.length >= 20 || (minutes !== undefined && seconds() >= minutes * 60);
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const result = await playApart({ seed: next++, earlier: earlier?.file });
      addHistory(tally, result);
      show(describe(result));
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, histories) }, lane));
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const judged = judgedBy(tally.weights, claimsOf(tally));
  const missing = notPlayed(tally.reached, tally.histories, earlier && releasesPerHundred);
  const green = tally.failures.length === 0 && judged.every((each) => each.judged) && missing.length === 0;
  show(`\nfaults injected\n${listOf(tally.faults)}\n\nends reached\n${listOf(tally.reached)}\n`);
  formatJudged(judged).forEach(show);
  missing.forEach(show);
  show(
    `${grouped((tally.histories / cpuSeconds) * 60)} histories per minute of processor time, ${(cpuSeconds / tally.histories).toFixed(1)} s each; ${seconds().toFixed(0)} s in all`,
  );
  for (const { plan } of tally.failures)
    show(`again: npm run sim -- --processes --seed ${plan.seed}${earlier ? ` --beside ${earlier.name}` : ''}`);
  show(
    `${green ? 'PASSED' : 'FAILED'}: ${tally.histories} histories of processes, ${tally.failures.length} with violations`,
  );
  keep('sim-processes', { seconds: seconds(), cpuSeconds, from, ...tally });
  return green ? 0 : 1;
}
