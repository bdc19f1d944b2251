/**
 * Work that all suites of a run share, in whatever worker they run: the first one that asks does it, the others wait
 * for its result. The run's own folder is where they meet, so a suite that runs alone does it for itself.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollEveryMs = 50;

type Outcome<T> = { readonly result: T } | { readonly error: string };

/** The folder of this run; it is removed at its end. */
export function runFolder(): string {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (!folder) throw new Error('TEST_RUN_FOLDER is not set: test/support/global-setup.cjs has not run');
  return folder;
}

/** The result of `work`, which must be plain data; a caller after a failure gets that failure. */
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

function claim(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Without an end of its own: the hook that asks has one. */
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
