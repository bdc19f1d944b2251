/**
 * Work that all suites of a run share, in any worker: the first suite that requests it performs it, and the others wait
 * for its result. They coordinate through the run's folder; a suite that runs alone performs the work itself.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollEveryMs = 50;

type Outcome<T> = { readonly result: T } | { readonly error: string };

/** The folder of this run, removed when the run ends. */
export function runFolder(): string {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (!folder) throw new Error('TEST_RUN_FOLDER is not set: test/support/global-setup.cjs has not run');
  return folder;
}

/** The result of `work`, which must be plain data. After a failure every caller gets that failure. */
export async function oncePerRun<T>(name: string, work: () => Promise<T>): Promise<T> {
  const file = join(runFolder(), `${name}.json`);
  if (!claim(`${file}.claimed`)) return unwrap(name, await waitFor<T>(file));
  const outcome = await work().then(
    (result): Outcome<T> => ({ result }),
    (error: unknown): Outcome<T> => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  writeFileSync(`${file}.draft`, JSON.stringify(outcome));
  renameSync(`${file}.draft`, file);
  return unwrap(name, outcome);
}

/** True for the first caller of all workers. */
export function claim(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Has no timeout; the calling hook has one. */
async function waitFor<T>(file: string): Promise<Outcome<T>> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Outcome<T>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await delay(pollEveryMs);
    }
  }
}

function unwrap<T>(name: string, outcome: Outcome<T>): T {
  if ('error' in outcome) throw new Error(`${name}: ${outcome.error}`);
  return outcome.result;
}
