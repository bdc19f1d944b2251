/**
 * `npm run sim`: all services on deterministic models of store, broker and provider, one seed per history. An
 * interruption ends the current histories and reports the results so far.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';
import { exitCodes, Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { findRoot } from '../../infra/local/settings';
import { measureDetection } from './mutants/measure-detection';
import { chosenBuilds, runMutants, runMutantsInSuites } from './mutants/run-mutants';
import { stretchMutants } from './mutants/stretch-mutants';
import type { HistoryPlan, HistoryResult } from './play-history';
import { shrink } from './shrink';
import command from './sim.command.cjs';
import { playPair } from './stretch';
import { failureText, isGreen, progressLine, verdict, type Tally } from './tally';
import { playGuarded, playRange, serveRanges } from './workers';

const defaultWorkers = Math.min(8, availableParallelism());

const show = (line: string): void => void process.stdout.write(`${line}\n`);

type Options = CommandValues<typeof command>;

function describe(result: HistoryResult): string {
  return [
    ...result.actions.map((action, number) => `  action ${number + 1}: ${JSON.stringify(action)}`),
    ...result.story.map((line) => `  ${line}`),
    ...result.violations.map((line) => `  VIOLATION ${line}`),
  ].join('\n');
}

async function replay(seed: number): Promise<number> {
  const startedAt = performance.now();
  const result = await playGuarded({ seed });
  show(
    `seed ${seed}: ${result.calls} port calls, ${result.steps} steps, ${result.crashes} crashes, ${result.zombies} zombies (${((performance.now() - startedAt) / 1_000).toFixed(2)} s)`,
  );
  show(describe(result));
  if (result.violations.length === 0) {
    show('no violation');
    return 0;
  }
  const shrunk = await shrink(result);
  show(
    `\nsmaller, after ${shrunk.tries} tries: ${shrunk.result.actions.length} actions, ${shrunk.result.faults.length} faults\n${describe(shrunk.result)}`,
  );
  show(`\nplan for test/sim/corpus: ${JSON.stringify(shrunk.plan)}`);
  return 1;
}

interface Corpus {
  readonly histories: readonly (HistoryPlan & { readonly why: string })[];
}

/** Replays every history that once failed and, unless `lean`, the histories that expose the law-breaking builds. */
async function replayCorpus(lean: boolean): Promise<number> {
  const folder = join(findRoot(__dirname), 'test/sim/corpus');
  const { histories } = JSON.parse(readFileSync(join(folder, 'seeds.json'), 'utf8')) as Corpus;
  const { seeds } = JSON.parse(readFileSync(join(folder, 'mutants.json'), 'utf8')) as {
    readonly seeds: Readonly<Record<string, number>>;
  };
  const plans: Corpus['histories'] = [
    ...histories,
    ...Object.entries(lean ? {} : seeds).map(([mutant, seed]) => ({ seed, why: `shows ${mutant}` })),
  ];
  let failed = 0;
  // One history may show several builds. A plan decides everything that happens in it, so it is played once.
  const played = new Map<string, readonly string[]>();
  for (const { why, ...plan } of plans) {
    const key = JSON.stringify(plan);
    const violations = played.get(key) ?? (await playGuarded(plan)).violations;
    played.set(key, violations);
    if (violations.length > 0) failed += 1;
    for (const line of violations) show(`seed ${plan.seed} (${why}): ${line}`);
  }
  show(`${failed === 0 ? 'PASSED' : 'FAILED'}: ${plans.length} histories of the corpus, ${failed} with violations`);
  return failed === 0 ? 0 : 1;
}

/** Keeps figures for the report, in the folder of the other benches. */
function keep(name: string, figures: object): void {
  const folder = join(findRoot(__dirname), '.local', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2)}\n`,
  );
}

async function explore({ histories, minutes, from, workers = defaultWorkers }: Options): Promise<number> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const wanted = histories ?? (minutes === undefined ? 20_000 : Number.POSITIVE_INFINITY);
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (interrupted = true));
  const enough = (tally: Tally): boolean =>
    interrupted ||
    tally.histories >= wanted ||
    (minutes !== undefined && seconds() >= minutes * 60) ||
    tally.failures.length >= 20;
  let shownAt = 0;
  let named = 0;
  const onProgress = (tally: Tally): void => {
    for (; named < tally.failures.length; named += 1) show(`\n${failureText(tally.failures[named]!)}`);
    if (seconds() - shownAt < (process.stdout.isTTY ? 1 : 30)) return;
    shownAt = seconds();
    if (process.stdout.isTTY) process.stdout.write(`\r${progressLine(tally, seconds())} `);
    else show(progressLine(tally, seconds()));
  };
  const tally = await playRange({ seed: from, enough, most: wanted, workers, onProgress });
  if (process.stdout.isTTY) show('');
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  show(verdict(tally, seconds(), cpuSeconds));
  keep('sim', { seconds: seconds(), cpuSeconds, from, workers, ...tally });
  return isGreen(tally) ? 0 : 1;
}

/** Pairs of one history with short and with long pauses; of a law-breaking build one pair must differ. */
async function stretch({ histories = 200, from, only }: Options): Promise<number> {
  if (only !== undefined) {
    const names = chosenBuilds(only).map(({ id }) => id);
    return stretchMutants(names, histories, from, show);
  }
  let differing = 0;
  for (let seed = from; seed < from + histories; seed += 1) {
    const { action, differences } = await playPair(seed);
    if (differences.length === 0) continue;
    differing += 1;
    show(`seed ${seed}: ${action}\n${differences.map((line) => `    ${line}`).join('\n')}`);
  }
  show(
    `${differing === 0 ? 'PASSED' : 'FAILED'}: ${histories} pairs of histories, ${differing} differ by their pauses`,
  );
  return differing === 0 ? 0 : 1;
}

async function playMutants(options: Options): Promise<number> {
  const { only, histories = 4_000, from, workers = defaultWorkers, lean, starts } = options;
  const common = { only, histories, from, workers, show, keep };
  return starts === undefined
    ? runMutants({ ...common, lean, suites: options.suites, byModel: options['by-model'] })
    : measureDetection({ ...common, starts });
}

/** The services' own programs on a simulated machine. Loaded only here: the other histories need none of it. */
async function playPrograms(options: Options): Promise<number> {
  const { seed, histories, minutes, from, mutants, only, workers, beside } = options;
  if (mutants) {
    const { runBroken } = await import('./process/mutants/run-broken.js');
    return runBroken({ only, histories: histories ?? 40, from, workers, show });
  }
  const { exploreProcesses, replayProcesses } = await import('./process/explore.js');
  const { bundleEarlier } = await import('./process/earlier-programs.js');
  const earlier = beside === undefined ? undefined : await bundleEarlier(findRoot(__dirname), beside);
  if (seed !== undefined) return replayProcesses(seed, { show, earlier });
  const wanted = histories ?? (minutes === undefined ? 100 : Number.POSITIVE_INFINITY);
  return exploreProcesses({
    ...{ histories: wanted, minutes, from, workers: workers ?? availableParallelism(), show, keep, earlier },
  });
}

async function play(options: Options): Promise<number> {
  if (options.beside !== undefined && (!options.processes || options.mutants))
    throw new Misuse('--beside belongs to --processes, without --mutants');
  if (options.processes) return playPrograms(options);
  if (options.stretched) return stretch(options);
  if (options.mutants) return playMutants(options);
  if (options.suites) return runMutantsInSuites({ only: options.only, show, keep });
  if (options.corpus) return replayCorpus(options.lean);
  return options.seed === undefined ? explore(options) : replay(options.seed);
}

/** A failure here is a defect of the simulation; the stack shows where it is. */
function describeDefect(error: unknown) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, code: exitCodes.failed };
}

if (isMainThread) void runCommand(command, ({ values }) => play(values), { describe: describeDefect });
else if ((workerData ?? null) === null) serveRanges();
else void import('./process/apart.js').then(({ servesHistory }) => servesHistory());
