/** Runs one part as a process, with its output in a file, and reads its result from there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '@platform/command-line';
import type { Outcome, Part, Proof } from './proof';

export interface Ended {
  readonly outcome: Outcome;
  readonly result: string;
}

/** A part that takes so many times longer than declared has hung. */
const patience = 4;

export interface PartRun {
  readonly root: string;
  /** The file for its output. */
  readonly log: string;
  /** Ends the part before its end. */
  readonly signal: AbortSignal;
}

/** The last lines of an output, for a page. */
export function lastLinesOf(log: string, count: number): readonly string[] {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-count);
}

/** @param code the exit code of the part */
export function judge(code: number, output: string, { resultLine }: Pick<Proof, 'resultLine'>): Ended {
  const result = [...output.matchAll(resultLine)].at(-1)?.[0];
  if (code === exitCodes.negative)
    return { outcome: 'not possible', result: output.trim().split('\n').at(-1) ?? 'it gives no reason' };
  if (result === undefined) return { outcome: 'failed', result: `it ended with ${code} and printed no result` };
  return { outcome: code === exitCodes.done ? 'held' : 'failed', result };
}

export async function runPart(
  proof: Proof,
  { command: [name, ...options], needsMinutes }: Part,
  { root, log, signal }: PartRun,
): Promise<Ended> {
  const output = openSync(log, 'w');
  const program = [join(root, 'test/proof/run-apart.cjs'), join(root, 'infra/run.mjs'), name, ...options];
  const child = spawn(process.execPath, program, { cwd: root, stdio: ['pipe', output, output] });
  closeSync(output);
  let hung = false;
  const end = (): void => void child.stdin?.destroy();
  const limit = setTimeout(
    () => {
      hung = true;
      end();
    },
    patience * needsMinutes * 60_000,
  );
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  signal.removeEventListener('abort', end);
  if (hung)
    return { outcome: 'failed', result: `it had not ended after ${patience * needsMinutes} minutes and was ended` };
  if (signal.aborted) return { outcome: 'cut off', result: 'it was ended before its end' };
  return judge(code ?? exitCodes.failed, readFileSync(log, 'utf8'), proof);
}
