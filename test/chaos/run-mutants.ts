/**
 * Law-breaking builds under chaos: each is a copy of the built platform whose services are bundled with the change. The
 * run that passes on the correct build must show the broken law.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { findRoot } from '../../infra/local/settings';
import { bundleProgram } from '../sim/mutants/build-mutants';
import { changesOf, compounds, mutants } from '../sim/mutants/mutants';
import { buildBundles } from '../support/platform';
import type { RunOptions } from './run';

export interface ChaosMutants {
  readonly only: string | undefined;
  readonly options: RunOptions;
  readonly show: (line: string) => void;
  readonly keep: (name: string, figures: object) => void;
}

interface Run {
  readonly id: string;
  readonly claimed: readonly string[];
  readonly shown: readonly string[];
  /** `not run`: it ended without a verdict, so nothing is known of it. */
  readonly verdict: 'caught' | 'missed' | 'not run';
  readonly violation: string | undefined;
}

const services = ['operator', 'provisioning', 'lifecycle-delivery', 'billing-webhook'];

/** A copy of the repository for the platform, with its own bundles: sources and packages are links. */
async function buildCopy(root: string, name: string): Promise<string> {
  const copy = join(root, '.local', 'chaos', 'builds', name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const entry of readdirSync(root)) if (entry !== 'dist') symlinkSync(join(root, entry), join(copy, entry));
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const service of services)
    await bundleProgram(
      root,
      `services/${service}/src/main.ts`,
      join(copy, 'dist/services', service, 'main.js'),
      changesOf(name),
    );
  return copy;
}

/** The output of the run, once it has ended in any way. */
function runChaos(copy: string, { seconds, seed, clients, portBase }: RunOptions, scenes: string): Promise<string> {
  const flags = ['--seconds', String(seconds), '--seed', String(seed), '--clients', String(clients)];
  const child = spawn(
    process.execPath,
    [join(copy, 'dist/test/chaos/main.js'), ...flags, '--scenes', scenes, '--port-base', String(portBase)],
    // The channel closes when this process ends in any way, and the run ends with it.
    { cwd: copy, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return new Promise((resolve) => child.once('exit', () => resolve(output)));
}

/** For a combined change all scenes are played; for a single one, the scenes that can reveal it. */
function scenesOf(id: string): string {
  const wanted = changesOf(id).flatMap(({ scenes }) => scenes ?? []);
  return [...new Set(['outages', ...wanted])].join(',');
}

async function proveOne(root: string, id: string, options: RunOptions): Promise<Run> {
  const claimed = [...new Set(changesOf(id).flatMap(({ chaos = [] }) => chaos))];
  const copy = await buildCopy(root, id);
  const output = await runChaos(copy, options, scenesOf(id));
  writeFileSync(`${copy}.log`, output);
  const lines = output.split('\n').filter((line) => /^ {2}I\d+ /.test(line));
  const shown = [...new Set(lines.map((line) => line.trim().split(' ')[0]!))];
  const violation = lines.find((line) => claimed.includes(line.trim().split(' ')[0]!))?.trim();
  const judged = /^violations: /m.test(output);
  return { id, claimed, shown, verdict: violation ? 'caught' : judged ? 'missed' : 'not run', violation };
}

/** Returns the exit code: 0 when every build was caught by an invariant that claims to judge it. */
export async function runChaosMutants({ only, options, show, keep }: ChaosMutants): Promise<number> {
  const root = findRoot(__dirname);
  const judged = [
    ...compounds.map(({ id }) => id),
    ...mutants.filter(({ chaos = [] }) => chaos.length > 0).map(({ id }) => id),
  ];
  const names = only?.split(',');
  const unknown = names?.find((name) => !judged.includes(name));
  if (unknown !== undefined) throw new Misuse(`chaos judges no law-breaking build ${unknown}`);
  const claimed = judged.filter((id) => !names || names.includes(id));
  await buildBundles();
  const runs: Run[] = [];
  for (const id of claimed) {
    const run = await proveOne(root, id, options);
    runs.push(run);
    show(`${id.padEnd(38)}  ${run.verdict.padEnd(7)}  ${run.shown.join(' ')}  ${run.violation ?? ''}`);
    keep('mutants-in-chaos', { runs });
  }
  const caught = runs.filter(({ verdict }) => verdict === 'caught').length;
  show(
    `\n${caught === runs.length ? 'PASSED' : 'FAILED'}: ${caught} of ${runs.length} law-breaking builds caught; what each run printed is in .local/chaos/builds`,
  );
  return caught === runs.length ? 0 : 1;
}
