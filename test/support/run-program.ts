/**
 * Runs a program of the repository to its end without blocking the suite. During `spawnSync` a suite cannot process
 * events: servers close connections that it still considers open, and its next request fails.
 */
import { execFile } from 'node:child_process';
import { compileCacheFlags } from '../../infra/local/compile-cache-flags';
import { findRoot } from '../../infra/local/settings';

export interface ProgramRun {
  /** The exit code; null when a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The whole environment of the program; the suite's own when absent. */
  readonly env?: NodeJS.ProcessEnv;
  /** Written to the program's input, which then ends. */
  readonly input?: string;
  /** The program that runs the arguments; this runtime when absent. */
  readonly command?: string;
}

const root = findRoot(__dirname);
const outputBytes = 64 * 1_024 * 1_024;

/** A built program loads its packages from the cache that the parts of a platform also use. */
const withCache = (args: readonly string[]): readonly string[] =>
  args[0]?.startsWith('dist/') ? [...compileCacheFlags(root), ...args] : args;

/**
 * Runs `node <args>` in the root of the repository. Any exit code is a result; throws only when the program cannot be
 * started.
 */
export function runProgram(
  args: readonly string[],
  { env = process.env, input = '', command = process.execPath }: RunOptions = {},
): Promise<ProgramRun> {
  return new Promise((fulfil, reject) => {
    const child = execFile(
      command,
      withCache(args),
      { cwd: root, env, encoding: 'utf8', maxBuffer: outputBytes },
      (error, stdout, stderr) => {
        if (error && typeof error.code === 'string') reject(error);
        else fulfil({ status: child.exitCode, stdout, stderr });
      },
    );
    // A program that ends without reading its input breaks the pipe; its exit code is still reported.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
