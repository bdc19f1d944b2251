/** A program of this repository as a separate process, up to the line with its address. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findRoot } from '../../infra/local/settings';

const root = findRoot(__dirname);

/** `ready` matches the line with the address as its first group. Throws when the program ends first. */
export async function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout!)) {
    const url = ready.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout!.resume();
    return { url, child };
  }
  throw new Error(`${args[0]} ended before it served`);
}
