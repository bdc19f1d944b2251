/** Plays each broken build until a history shows it. Every build is a bundle and a process of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findRoot } from '../../../../infra/local/settings';
import { bundleProgram } from '../../mutants/build-mutants';
import { brokenCompositions } from './broken-compositions';

export interface BrokenRun {
  readonly id: string;
  readonly caught: boolean;
  readonly histories: number;
  readonly seed?: number;
  /** The violation that showed it. */
  readonly violation?: string;
  /** Violations that do not come of the break. */
  readonly others: readonly string[];
}

export const brokenBuilds: readonly string[] = [...new Set(brokenCompositions.map(({ id }) => id))];

const marked = '  VIOLATION ';

/** The bundle of a build; an unknown name is the correct build. */
export async function bundleOf(root: string, id: string): Promise<string> {
  const folder = join(root, 'dist', 'test', 'sim', 'builds');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${id}.js`);
  const changes = brokenCompositions.filter((each) => each.id === id);
  await bundleProgram(root, 'test/sim/main.ts', file, changes);
  return file;
}

/** Plays histories of a bundle up to the first violation that `shows` its break; by default any does. */
export function playBundle(
  bundle: string,
  {
    from,
    histories,
    workers = 1,
    shows = () => true,
  }: {
    readonly from: number;
    readonly histories: number;
    readonly workers?: number | undefined;
    readonly shows?: (violation: string) => boolean;
  },
): Promise<Omit<BrokenRun, 'id'> & { readonly output: string }> {
  const options = [
    '--processes',
    '--histories',
    String(histories),
    '--from',
    String(from),
    '--workers',
    String(workers),
  ];
  const child = spawn(process.execPath, [bundle, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  let seed: number | undefined;
  let violation: string | undefined;
  const others: string[] = [];
  let played = 0;
  let output = '';
  const read = (line: string): void => {
    output += `${line}\n`;
    const named = /^seed (\d+):/.exec(line);
    if (named) {
      seed = Number(named[1]);
      played += 1;
    } else if (line.startsWith(marked) && violation === undefined) {
      const found = line.slice(marked.length);
      if (!shows(found)) return void others.push(`seed ${seed}: ${found}`);
      violation = found;
      child.kill();
    }
  };
  createInterface({ input: child.stdout }).on('line', read);
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () =>
      resolve({
        caught: violation !== undefined,
        histories: played,
        others,
        output,
        ...(violation !== undefined && seed !== undefined && { seed, violation }),
      }),
    );
  });
}

export async function runBroken(options: {
  readonly only: string | undefined;
  readonly histories: number;
  readonly from: number;
  readonly workers?: number | undefined;
  readonly show: (line: string) => void;
}): Promise<number> {
  const { only, histories, from, workers, show } = options;
  const root = findRoot(__dirname);
  const names = only?.split(',') ?? brokenBuilds;
  const unknown = names.find((name) => !brokenBuilds.includes(name));
  if (unknown !== undefined)
    throw new Error(`there is no broken build ${unknown}; there are ${brokenBuilds.join(', ')}`);
  let caught = 0;
  for (const id of names) {
    const { shownBy } = brokenCompositions.find((each) => each.id === id)!;
    const shows = (violation: string): boolean => shownBy.test(violation);
    const run = await playBundle(await bundleOf(root, id), { from, histories, workers, shows });
    if (run.caught) caught += 1;
    show(
      `${run.caught ? 'yes' : 'NO '}  ${id.padEnd(36)} ${run.caught ? `seed ${run.seed}: ${run.violation}` : `not within ${run.histories} histories`}`,
    );
    run.others.forEach((other) => show(`       of another kind: ${other}`));
    if (run.histories === 0) show(run.output);
  }
  show(`${caught === names.length ? 'PASSED' : 'FAILED'}: ${caught} of ${names.length} broken builds caught`);
  return caught === names.length ? 0 : 1;
}
