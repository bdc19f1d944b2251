/** The mutation proof: each law-breaking build plays histories until one shows it; the table says which one and how soon. */
import { findRoot } from '../../../infra/local/settings';
import { playRange } from '../workers';
import { reasonOf } from '../shrink';
import { grouped, type Tally } from '../tally';
import { buildMutant } from './build-mutants';
import { mutants, type Mutant } from './mutants';

export interface MutantRun {
  readonly id: string;
  readonly breaks: readonly string[];
  readonly what: string;
  readonly caught: boolean;
  readonly histories: number;
  /** Of the first history that showed it. */
  readonly seed?: number;
  readonly shownBy: readonly string[];
  readonly violation?: string;
}

export interface MutantOptions {
  /** Only these, by id, separated by commas. */
  readonly only: string | undefined;
  /** Histories after which a mutant counts as not caught. */
  readonly histories: number;
  readonly from: number;
  readonly workers: number;
  readonly show: (line: string) => void;
  readonly keep: (name: string, figures: object) => void;
}

async function runMutant(mutant: Mutant, { histories, from, workers }: MutantOptions): Promise<MutantRun> {
  const bundle = await buildMutant(findRoot(__dirname), mutant);
  const enough = (tally: Tally): boolean => tally.failures.length > 0 || tally.histories >= histories;
  const tally = await playRange({ seed: from, enough, workers, onProgress: () => undefined, bundle });
  const first = [...tally.failures].sort((a, b) => a.plan.seed - b.plan.seed)[0];
  const shownBy = [...new Set(tally.failures.flatMap(({ violations }) => violations.map((line) => reasonOf([line]))))];
  return { id: mutant.id, breaks: mutant.breaks, what: mutant.what, caught: first !== undefined, histories: tally.histories, shownBy, ...(first && { seed: first.plan.seed, violation: first.violations[0]! }) };
}

/** Answers the exit code: 0 when every build was caught. */
export async function runMutants(options: MutantOptions): Promise<number> {
  const { only, show, keep } = options;
  const names = only?.split(',');
  const chosen = mutants.filter(({ id }) => !names || names.includes(id));
  if (chosen.length === 0) throw new Error(`no mutant is called ${only}`);
  const runs: MutantRun[] = [];
  show(`${'breaks'.padEnd(14)}  ${'build'.padEnd(28)}  ${'caught'.padEnd(6)}  ${'seed'.padStart(6)}  shown by`);
  for (const mutant of chosen) {
    const run = await runMutant(mutant, options);
    runs.push(run);
    const by = run.shownBy.filter((reason) => /^I\d+$/.test(reason)).join(' ') || run.shownBy[0] || '';
    show(`${run.breaks.join(' ').padEnd(14)}  ${run.id.padEnd(28)}  ${(run.caught ? 'yes' : 'NO').padEnd(6)}  ${String(run.seed ?? '-').padStart(6)}  ${run.caught ? by : `not within ${grouped(run.histories)} histories`}`);
  }
  const missed = runs.filter(({ caught }) => !caught);
  show(`\n${missed.length === 0 ? 'PASSED' : 'FAILED'}: ${runs.length - missed.length} of ${runs.length} law-breaking builds caught`);
  keep('mutants', { runs });
  return missed.length === 0 ? 0 : 1;
}
