/**
 * `npm run proof`: the full form of the suites or, with `--hours`, every proof of the repository for so long. The results
 * belong to one commit, and the same command goes on where an earlier run of that commit has ended.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { columns, exitCodes, Misuse, runCommand, type CommandValues } from '@platform/command-line';
import { claimFolder } from '../../infra/local/pid-files';
import { findRoot } from '../../infra/local/settings';
import { stateOf, verdictOf, verdictTexts } from './page';
import { ChangedTree, leftOver, playProofs, writePage, type PlayPorts } from './play-proofs';
import type { Proof } from './proof';
import command from './proof.command.cjs';
import { proofsOf } from './proofs';
import { openResults } from './results';
import { lastLinesOf, runPart } from './run-part';

type Values = CommandValues<typeof command>;

const root = findRoot(__dirname);
const show = (line: string): void => void process.stdout.write(`${line}\n`);

function git(...args: string[]): string {
  const { status, stdout, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0)
    throw new Misuse(`results belong to a commit, and git names none${error ? `: ${error.message}` : ''}`);
  return stdout.trim();
}

const changes = (): string => git('status', '--porcelain');

function chosenOf(all: readonly Proof[], only: string | undefined): readonly Proof[] {
  const names = only?.split(',');
  const unknown = names?.find((name) => !all.some((proof) => proof.name === name));
  if (unknown !== undefined)
    throw new Misuse(`there is no proof ${unknown}; there are ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name }) => !names || names.includes(name));
}

function openRun(values: Values) {
  const commit = git('rev-parse', 'HEAD');
  const folder = join(resolve(root, process.env['LOCAL_DIR'] ?? '.local'), 'proof', commit.slice(0, 8));
  return { commit, proofs: chosenOf(proofsOf(commit), values.only), results: openResults(folder) };
}

type Run = ReturnType<typeof openRun>;

function table({ proofs, results }: Run, last: (proof: Proof) => string): string {
  const rows = proofs.map((proof) => [proof.name, ...stateOf(proof, results.played), last(proof)]);
  return columns([['proof', 'result', 'figures', ''], ...rows]);
}

/** Shows the last line of an output once a minute, when it is another one. Returns what ends it. */
function showProgress(log: string): () => void {
  let shown = '';
  const timer = setInterval(() => {
    const last = existsSync(log) ? (lastLinesOf(log, 1)[0]?.split('\r').at(-1)?.trim() ?? '') : '';
    if (last !== shown) show(`       … ${last.slice(0, 120)}`);
    shown = last;
  }, 60_000);
  return () => clearInterval(timer);
}

/** One signal ends the part under way, and the page has what was played until then. */
function onSignal(): AbortSignal {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      show(`\n${name}: the part under way is ended; the same command plays it again`);
      interruption.abort();
    });
  return interruption.signal;
}

async function playFor(hours: number, values: Values): Promise<number> {
  if (changes() !== '')
    throw new Misuse('results belong to a commit: commit or stash the changes first (`git status` lists them)');
  const run = openRun(values);
  const { commit, proofs, results } = run;
  claimFolder(results.folder, (pid) => `Process ${pid} plays the proofs of this commit already (${results.folder}).`);
  const signal = onSignal();
  const ports: PlayPorts = {
    results,
    ...{ show, now: () => new Date(), interrupted: () => signal.aborted },
    stateOfTree: () => `${git('rev-parse', 'HEAD')}\n${changes()}`,
    runPart: async ({ proof, part }, name) => {
      const log = join(results.folder, name);
      const ended = showProgress(log);
      return runPart(proof, part, { root, log, signal }).finally(ended);
    },
    facts: {
      commit,
      machine: `${availableParallelism()} processors, Node ${process.versions.node}`,
      lastLines: ({ log }) => lastLinesOf(join(results.folder, log), 20),
    },
  };
  show(`proof of ${commit.slice(0, 8)}, ${results.played.length} parts were played before`);
  await playProofs(ports, { proofs, minutes: hours * 60 });
  const page = writePage(ports, proofs);
  show(`\n${table(run, () => '')}\n`);
  for (const line of leftOver(proofs, results.played)) show(`not yet: ${line}`);
  const verdict = verdictOf({ proofs, played: results.played });
  show(`${verdictTexts[verdict]} The page: ${relative(process.cwd(), page)}`);
  return { failed: exitCodes.failed, incomplete: exitCodes.negative, complete: exitCodes.done }[verdict];
}

/** The suites of `npm test` in their full form; the program judges its own words. */
async function playSuites(): Promise<number> {
  process.env['PROOF'] = 'full';
  await import(pathToFileURL(join(root, 'infra/verify.mjs')).href);
  return Number(process.exitCode ?? exitCodes.done);
}

async function prove(values: Values, words: readonly string[]): Promise<number> {
  const { hours, only, list } = values;
  if (hours === undefined && !list) {
    if (only !== undefined) throw new Misuse('--only chooses proofs of --hours; suites are chosen by their path alone');
    return playSuites();
  }
  if (words.length > 0) throw new Misuse('with --hours the suites are not chosen by words; --only chooses proofs');
  if (list) {
    show(table(openRun(values), ({ shows }) => shows));
    return exitCodes.done;
  }
  return playFor(hours!, values);
}

function describe(error: unknown) {
  if (error instanceof ChangedTree)
    return { text: `proof: ${error.message}; commit, and begin again`, code: exitCodes.failed };
  return { text: `proof: ${error instanceof Error ? error.message : String(error)}`, code: exitCodes.failed };
}

void runCommand(command, ({ values, words }) => prove(values, words), { describe });
