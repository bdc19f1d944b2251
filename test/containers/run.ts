/** Runs a program of this machine and collects its output. */
import { spawn } from 'node:child_process';

export interface Ran {
  /** The exit code; null when a signal ended the program or it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  /** Both output streams in order of arrival. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** The program is killed after this time. Default 900,000. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 900_000;

/** Never rejects: for a missing program the result has code null and the reason. */
export function tryRun(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env, input, timeoutMs = defaultTimeoutMs } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      stdio: 'pipe',
      timeout: timeoutMs,
    });
    let stdout = '';
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk));
    child.once('error', (error) => resolve({ code: null, stdout, output: `${output}${error.message}` }));
    child.once('close', (code) => resolve({ code, stdout, output }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

/** Throws with the end of the output unless the program exits with 0. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, output } = await tryRun(program, args, options);
  if (code === 0) return stdout;
  const end = output.trim().split('\n').slice(-25).join('\n');
  throw new Error(`${program} ${args.slice(0, 6).join(' ')} ended with ${code ?? 'a signal'}:\n${end}`);
}
