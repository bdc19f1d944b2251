/**
 * The mutation proof: each law-breaking build plays histories until one exposes it; the table names that history and
 * how many were needed. The correct build plays the same histories first, because failures of a broken control would
 * prove nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { findRoot } from '../../../infra/local/settings';
import { playRange } from '../workers';
import { reasonOf } from '../shrink';
import { grouped, type Tally } from '../tally';
import { buildSimulation } from './build-mutants';
import { changesOf, compounds, mutants } from './mutants';
import { proveInSuites } from './prove-in-suites';

interface MutantRun {
  readonly id: string;
  readonly breaks: readonly string[];
  readonly what: string;
  readonly caught: boolean;
  /** The test that it fails, where no history showed it and suites were asked for. */
  readonly suite?: string;
  readonly histories: number;
  /** The seed of the first history that exposed the build. */
  readonly seed?: number;
  readonly shownBy: readonly string[];
  readonly violation?: string;
}

export interface MutantOptions {
  /** The ids of the builds to run, separated by commas. */
  readonly only: string | undefined;
  /** The number of histories after which a mutant counts as not detected. */
  readonly histories: number;
  readonly from: number;
  readonly workers: number;
  /** Runs a short control. */
  readonly lean: boolean;
  /** What no history shows must fail the suite that claims to judge it. */
  readonly suites?: boolean;
  /** Judges by the reference model alone, which may miss the builds that it does not claim to detect. */
  readonly byModel?: boolean | undefined;
  readonly show: (line: string) => void;
  readonly keep: (name: string, figures: object) => void;
}

interface Named {
  readonly id: string;
  readonly breaks: readonly string[];
  readonly what: string;
}

interface Built {
  readonly mutant: Named;
  readonly bundle: string;
}

/** Every build by name: each change alone, and the compounds. */
const builds: readonly Named[] = [
  ...mutants,
  ...compounds.map(({ id, parts }) => ({
    id,
    breaks: [...new Set(changesOf(id).flatMap(({ breaks }) => breaks))],
    what: parts.join(', '),
  })),
];

/** The lean control is short, because a run of the correct build precedes it. */
const controlHistories = { lean: 8, full: 400 };

/** Seeds that exposed a mutant before, by its id. They are tried first, because they most likely still do. */
function knownSeeds(root: string): Readonly<Record<string, number>> {
  return (
    JSON.parse(readFileSync(join(root, 'test/sim/corpus/mutants.json'), 'utf8')) as {
      readonly seeds: Readonly<Record<string, number>>;
    }
  ).seeds;
}

interface TallyOptions {
  readonly batch?: number;
  readonly byModel?: boolean | undefined;
  /** The number of histories with a violation after which no further one begins; default 1. */
  readonly failures?: number;
}

export async function tallyOf(
  bundle: string,
  from: number,
  histories: number,
  workers: number,
  { failures = 1, ...options }: TallyOptions = {},
): Promise<Tally> {
  const enough = (tally: Tally): boolean => tally.failures.length >= failures;
  return playRange({ seed: from, enough, most: histories, workers, onProgress: () => undefined, bundle, ...options });
}

/** A build that histories did not show, in its suites. */
async function inSuites(root: string, run: MutantRun): Promise<MutantRun> {
  const { caught, by } = await proveInSuites(root, run.id);
  return { ...run, caught, ...(caught ? { suite: by } : { shownBy: [by] }) };
}

async function runMutant(
  { mutant, bundle }: Built,
  known: number | undefined,
  { histories, from, workers, byModel }: MutantOptions,
): Promise<MutantRun> {
  const again = known === undefined ? undefined : await tallyOf(bundle, known, 1, 1, { batch: 1, byModel });
  const tally =
    again && again.failures.length > 0 ? again : await tallyOf(bundle, from, histories, workers, { byModel });
  const first = [...tally.failures].sort((a, b) => a.plan.seed - b.plan.seed)[0];
  const shownBy = [...new Set(tally.failures.flatMap(({ violations }) => violations.map((line) => reasonOf([line]))))];
  return {
    id: mutant.id,
    breaks: mutant.breaks,
    what: mutant.what,
    caught: first !== undefined,
    histories: tally.histories,
    shownBy,
    ...(first && { seed: first.plan.seed, violation: first.violations[0]! }),
  };
}

/** All builds are created before the first one plays, so that they share one state of the sources. */
export async function buildAll(
  root: string,
  chosen: readonly Named[],
): Promise<{ readonly honest: string; readonly built: readonly Built[] }> {
  const honest = await buildSimulation(root, 'honest', []);
  const built: Built[] = [];
  for (const mutant of chosen)
    built.push({ mutant, bundle: await buildSimulation(root, mutant.id, changesOf(mutant.id)) });
  return { honest, built };
}

function rowOf(run: MutantRun): string {
  const by = run.shownBy.filter((reason) => /^I\d+$/.test(reason)).join(' ') || run.shownBy[0] || '';
  const missed = run.histories === 0 ? 'in no history' : `not within ${grouped(run.histories)} histories`;
  const shown = run.suite ? `${missed}; its suite fails: ${run.suite}` : run.caught ? by : `${missed} ${by}`.trimEnd();
  return `${run.breaks.join(' ').padEnd(14)}  ${run.id.padEnd(28)}  ${(run.caught ? 'yes' : 'NO').padEnd(6)}  ${String(run.seed ?? '-').padStart(6)}  ${shown}`;
}

/**
 * Without names, the builds that a history can show; a build that is named is played in any case. Says what was left
 * out.
 */
export function simulatedBuilds({ only, show }: Pick<MutantOptions, 'only' | 'show'>): readonly Named[] {
  if (only !== undefined) return chosenBuilds(only);
  const chosen = chosenBuilds(only);
  const leftOut = chosen.filter(({ id }) => changesOf(id).every(({ notSimulated }) => notSimulated !== undefined));
  for (const { id } of leftOut) show(`not in histories: ${id}: ${changesOf(id)[0]!.notSimulated}`);
  return chosen.filter((build) => !leftOut.includes(build));
}

/** The named builds, or all. A name without a build is refused, so that no proof covers less than it was asked for. */
export function chosenBuilds(only: string | undefined): readonly Named[] {
  const names = only?.split(',');
  const unknown = names?.find((name) => !builds.some(({ id }) => id === name));
  if (unknown !== undefined) throw new Misuse(`there is no law-breaking build ${unknown}`);
  return builds.filter(({ id }) => !names || names.includes(id));
}

/** Runs each build in the suites that must detect it, and returns the exit code. */
export async function runMutantsInSuites({ only, show, keep }: Pick<MutantOptions, 'only' | 'show' | 'keep'>) {
  const root = findRoot(__dirname);
  const claimed = chosenBuilds(only).filter(({ id }) => changesOf(id).some(({ suite }) => suite !== undefined));
  const runs = [];
  for (const { id } of claimed) {
    const run = await proveInSuites(root, id);
    runs.push(run);
    show(`${id.padEnd(38)}  ${run.caught ? 'yes' : 'NO '}  ${run.by}`);
  }
  const caught = runs.filter((run) => run.caught).length;
  show(
    `\n${caught === runs.length ? 'PASSED' : 'FAILED'}: ${caught} of ${runs.length} law-breaking builds fail their suite`,
  );
  keep('mutants-in-suites', { runs });
  return caught === runs.length ? 0 : 1;
}

/**
 * Returns the exit code: 0 when the correct build passed and all others were detected (by the model alone: at least
 * one).
 */
export async function runMutants(options: MutantOptions): Promise<number> {
  const { show, keep, workers, from, lean, byModel } = options;
  const chosen = simulatedBuilds(options);
  const leftOut = options.suites ? chosenBuilds(options.only).filter((build) => !chosen.includes(build)) : [];
  const root = findRoot(__dirname);
  const { honest, built } = await buildAll(root, chosen);
  const control = await tallyOf(honest, from, controlHistories[lean ? 'lean' : 'full'], workers);
  const [failure] = control.failures;
  if (failure) {
    show(`FAILED: the honest build shows a violation in seed ${failure.plan.seed}: ${failure.violations[0]}`);
    return 1;
  }
  show(`honest build: ${grouped(control.histories)} histories without a violation\n`);
  show(`${'breaks'.padEnd(14)}  ${'build'.padEnd(28)}  ${'caught'.padEnd(6)}  ${'seed'.padStart(6)}  shown by`);
  const known = knownSeeds(root);
  const runs: MutantRun[] = [];
  for (const each of built) {
    const shown = await runMutant(each, known[each.mutant.id], options);
    const run = shown.caught || !options.suites ? shown : await inSuites(root, shown);
    runs.push(run);
    show(rowOf(run));
  }
  for (const { id, breaks, what } of leftOut) {
    const run = await inSuites(root, { id, breaks, what, caught: false, histories: 0, shownBy: [] });
    runs.push(run);
    show(rowOf(run));
  }
  const missed = runs.filter(({ caught }) => !caught);
  show(
    `\n${missed.length === 0 ? 'PASSED' : 'FAILED'}: ${runs.length - missed.length} of ${runs.length} law-breaking builds caught`,
  );
  keep(byModel ? 'mutants-by-model' : 'mutants', { control: control.histories, runs });
  return missed.length === 0 || (byModel && missed.length < runs.length) ? 0 : 1;
}
