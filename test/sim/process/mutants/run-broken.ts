/**
 * Plays each broken build until a history shows it, first the one that showed it before. Every build is a bundle and a
 * process of its own.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRoot } from '../../../../infra/local/settings';
import { bundleProgram } from '../../mutants/build-mutants';
import { brokenCompositions } from './broken-compositions';
import { playBundle, type Histories, type Played } from './play-bundle';

export const brokenBuilds: readonly string[] = [...new Set(brokenCompositions.map(({ id }) => id))];

/** The seeds of histories that showed a build, by its name; they most likely still do. */
export function knownSeeds(root: string): Readonly<Record<string, number>> {
  const text = readFileSync(join(root, 'test/sim/corpus/broken-compositions.json'), 'utf8');
  return (JSON.parse(text) as { readonly seeds: Readonly<Record<string, number>> }).seeds;
}

/** The bundle of a build; an unknown name is the correct build. */
export async function bundleOf(root: string, id: string): Promise<string> {
  const folder = join(root, 'dist', 'test', 'sim', 'builds');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${id}.js`);
  const changes = brokenCompositions.filter((each) => each.id === id);
  await bundleProgram(root, 'test/sim/main.ts', file, changes);
  return file;
}

/** Whether a violation comes of the break of this build. */
export function showsBreakOf(id: string): (violation: string) => boolean {
  const { shownBy } = brokenCompositions.find((each) => each.id === id)!;
  return (violation) => shownBy.test(violation);
}

/** The history that showed a build before; without one, or if it shows the build no more, the others. */
async function playBuild(root: string, id: string, wanted: Histories): Promise<Played> {
  const bundle = await bundleOf(root, id);
  const shows = showsBreakOf(id);
  const known = knownSeeds(root)[id];
  const again = known === undefined ? undefined : await playBundle(bundle, { from: known, histories: 1, shows });
  if (again && (again.caught || again.brokeOff !== undefined)) return again;
  return playBundle(bundle, { ...wanted, shows });
}

/** A row for a build, with what else was seen of it. */
export function rowsOf(id: string, run: Played): string[] {
  const missed = run.brokeOff === undefined ? `not within ${run.histories} histories` : `BROKE OFF: ${run.brokeOff}`;
  const said = run.caught ? `seed ${run.seed}: ${run.violation}` : missed;
  return [
    `${run.caught ? 'yes' : 'NO '}  ${id.padEnd(38)} ${said}`,
    ...run.others.map((other) => `       of another kind: ${other}`),
  ];
}

export async function runBroken(options: {
  readonly only: string | undefined;
  readonly histories: number;
  readonly from: number;
  readonly workers?: number | undefined;
  readonly show: (line: string) => void;
}): Promise<number> {
  const { only, show, ...wanted } = options;
  const root = findRoot(__dirname);
  const names = only?.split(',') ?? brokenBuilds;
  const unknown = names.find((name) => !brokenBuilds.includes(name));
  if (unknown !== undefined)
    throw new Error(`there is no broken build ${unknown}; there are ${brokenBuilds.join(', ')}`);
  let caught = 0;
  for (const id of names) {
    const run = await playBuild(root, id, wanted);
    if (run.caught) caught += 1;
    rowsOf(id, run).forEach(show);
  }
  show(`${caught === names.length ? 'PASSED' : 'FAILED'}: ${caught} of ${names.length} broken builds caught`);
  return caught === names.length ? 0 : 1;
}
