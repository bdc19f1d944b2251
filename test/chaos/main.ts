/**
 * `npm run chaos`: the whole platform as processes under load. Its parts are killed one after the other, one of them is
 * frozen past its successor's start, the broker's disk is wiped once, provider answers are lost, and three days pass.
 * Observers around it record what was stored, sent and answered, and the one history checker judges that. The seed
 * determines the load and the outages, not the timing between processes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes, runCommand, type CommandValues } from '@platform/command-line';
import { findRoot } from '../../infra/local/settings';
import command from './chaos.command.cjs';
import { playRun, type RunOptions } from './run';
import { runChaosMutants } from './run-mutants';

const show = (line: string): void => void process.stdout.write(`${line}\n`);

function optionsOf({
  minutes,
  seconds,
  seed,
  clients,
  scenes,
  'port-base': portBase,
}: CommandValues<typeof command>): RunOptions {
  return {
    seconds: minutes === undefined ? seconds : minutes * 60,
    seed: seed ?? (Date.now() % 100_000) + 1,
    clients,
    scenes: new Set(scenes.split(',')),
    portBase,
    show,
    keep,
  };
}

/** Figures for the report, where the benches store theirs. */
function keep(name: string, figures: object): void {
  const folder = join(findRoot(__dirname), '.local', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at: new Date().toISOString(), ...figures }, null, 2)}\n`,
  );
}

/** A separate process that outlives this one, however it ends, and then ends every process of the run. */
function leaveNothing(root: string, localDir: string): void {
  const guard = spawn(process.execPath, [join(root, 'test/chaos/leave-nothing.cjs'), localDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
}

async function play(options: RunOptions): Promise<number> {
  const { seconds, clients, seed } = options;
  show(`chaos for ${seconds} s with ${clients} clients, --seed ${seed}`);
  const localDir = mkdtempSync(join(tmpdir(), 'workspace-platform-chaos-'));
  leaveNothing(findRoot(__dirname), localDir);
  let code = 1;
  try {
    code = await playRun(options, localDir);
  } finally {
    if (code === 0) rmSync(localDir, { recursive: true, force: true });
    else show(`logs and data of this run are kept in ${localDir}`);
  }
  return code;
}

/** A run that failed reports where. */
function describe(error: unknown) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, code: exitCodes.failed };
}

// A run of a law-breaking build ends with the process that judges it, and does not wait for it.
if (process.connected) {
  process.once('disconnect', () => process.exit(exitCodes.failed));
  process.channel?.unref();
}

// Clients, collector and observer of a failed run would otherwise continue without a platform.
void runCommand(
  command,
  ({ values }) =>
    values.mutants
      ? runChaosMutants({ only: values.only, options: optionsOf(values), show, keep })
      : play(optionsOf(values)),
  { describe, exit: true },
);
