/**
 * The programs of an earlier commit, in one file that a history loads. The sources are those of the commit; the packages
 * are those that are installed, so a release that changes one of them is not played with the former.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Misuse } from '@platform/command-line';
import { bundleProgram } from '../mutants/build-mutants';
import type { Mutant } from '../mutants/mutants';

export interface EarlierPrograms {
  /** What people call it: the commit as it was given. */
  readonly name: string;
  readonly file: string;
}

const run = promisify(execFile);
/** The entry is this checkout's own: an earlier one may lack it. */
const entry = 'test/sim/process/services.ts';
const sources = ['infra', 'libs', 'services', 'tsconfig.base.json'];

/** Bundles the programs of a tree; `changes` are made to its sources first. */
export async function bundlePrograms(tree: string, file: string, changes: readonly Mutant[] = []): Promise<string> {
  mkdirSync(dirname(file), { recursive: true });
  await bundleProgram(tree, entry, file, changes);
  return file;
}

/** The sources of the commit, in a folder of their own. Throws Misuse for a name that git does not know. */
async function unpack(root: string, name: string): Promise<{ readonly tree: string; readonly commit: string }> {
  const commit = await run('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
    cwd: root,
  }).then(
    ({ stdout }) => stdout.trim(),
    () => {
      throw new Misuse(`git knows no commit ${name} in this clone`);
    },
  );
  const releases = join(root, '.local', 'releases');
  const tree = join(releases, commit);
  if (existsSync(tree)) return { tree, commit };
  mkdirSync(releases, { recursive: true });
  const draft = mkdtempSync(join(releases, 'unpacking-'));
  const archive = join(draft, 'sources.tar');
  await run('git', ['archive', '--output', archive, commit, '--', ...sources], { cwd: root });
  await run('tar', ['-xf', archive, '-C', draft]);
  rmSync(archive);
  renameSync(draft, tree);
  return { tree, commit };
}

/** Builds the programs of a commit, by any name that git has for it. Throws Misuse where they cannot be built. */
export async function bundleEarlier(root: string, name: string): Promise<EarlierPrograms> {
  const { tree, commit } = await unpack(root, name);
  mkdirSync(dirname(join(tree, entry)), { recursive: true });
  copyFileSync(join(root, entry), join(tree, entry));
  // Beside the other built programs, so that it finds the installed packages.
  const file = join(root, 'dist', 'test', 'sim', 'builds', `release-${commit}.js`);
  try {
    return { name, file: await bundlePrograms(tree, file) };
  } catch (error) {
    throw new Misuse(`the programs of ${name} cannot be built: ${(error as Error).message.split('\n').at(-1)}`);
  }
}
