/** Bundles programs after replacing pieces of their sources. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Mutant } from './mutants';

/**
 * A pattern that matches the piece in any layout: white space, and the comma that a formatter puts before a closing
 * bracket.
 */
function patternOf(piece: string): RegExp {
  const characters = [...piece.replace(/,?\s+(?=[)\]}])|\s+/g, '')];
  const escaped = characters.map(
    (character) => (/[)\]}]/.test(character) ? ',?\\s*' : '') + character.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(escaped.join('\\s*'), 'g');
}

/** The mutated source. Throws when the piece does not occur exactly once, because the proof would then be worthless. */
export function mutate(source: string, { id, file, find, replace }: Mutant): string {
  const found = [...source.matchAll(patternOf(find))];
  const [only] = found;
  if (!only || found.length > 1)
    throw new Error(`mutant ${id}: its piece occurs ${found.length} times in ${file}; write it again`);
  return source.slice(0, only.index) + replace + source.slice(only.index + only[0].length);
}

/** Every source that a build changes, by path, with all changes of the build applied. */
export function mutatedSources(root: string, changes: readonly Mutant[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const change of changes) {
    const path = join(root, change.file);
    sources.set(path, mutate(sources.get(path) ?? readFileSync(path, 'utf8'), change));
  }
  return sources;
}

function plugin(root: string, changes: readonly Mutant[]): Plugin {
  const sources = mutatedSources(root, changes);
  return {
    name: 'law-breaking',
    setup: (build) => {
      // The bundler asks this process only about files that match.
      const names = [...sources.keys()].map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      build.onLoad({ filter: new RegExp(`^(?:${names.join('|')})$`) }, ({ path }) => ({
        contents: sources.get(path)!,
        loader: 'ts',
      }));
    },
  };
}

/** Bundles one program of the repository; without changes, the correct build. */
export async function bundleProgram(
  root: string,
  entry: string,
  outfile: string,
  changes: readonly Mutant[],
): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    tsconfig: 'tsconfig.base.json',
    keepNames: true,
    logLevel: 'silent',
    plugins: changes.length > 0 ? [plugin(root, changes)] : [],
  });
}

/** Returns the file of the simulation's bundle; without changes, the correct build. */
export async function buildSimulation(root: string, name: string, changes: readonly Mutant[]): Promise<string> {
  // Beside the other built programs, so that it may use the packages that they share.
  const folder = join(root, 'dist', 'test', 'sim', 'builds');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.js`);
  await bundleProgram(root, 'test/sim/main.ts', outfile, changes);
  return outfile;
}
