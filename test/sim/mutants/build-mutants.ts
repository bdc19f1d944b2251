/** Bundles the simulation once per mutant, with one piece of one source replaced on its way into the bundle. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Mutant } from './mutants';

/** The piece as a pattern that ignores layout: white space, and the comma that a formatter puts before a closing bracket. */
function patternOf(piece: string): RegExp {
  const characters = [...piece.replace(/,?\s+(?=[)\]}])|\s+/g, '')];
  const escaped = characters.map(
    (character) => (/[)\]}]/.test(character) ? ',?\\s*' : '') + character.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(escaped.join('\\s*'), 'g');
}

/** The mutated source; throws when the piece does not occur there exactly once, because then the proof proves nothing. */
export function mutate(source: string, { id, file, find, replace }: Mutant): string {
  const found = [...source.matchAll(patternOf(find))];
  const [only] = found;
  if (!only || found.length > 1)
    throw new Error(`mutant ${id}: its piece occurs ${found.length} times in ${file}; write it again`);
  return source.slice(0, only.index) + replace + source.slice(only.index + only[0].length);
}

function plugin(root: string, mutant: Mutant): Plugin {
  const path = join(root, mutant.file);
  return {
    name: mutant.id,
    setup: (build) => {
      build.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
        loaded === path ? { contents: mutate(readFileSync(path, 'utf8'), mutant), loader: 'ts' } : undefined,
      );
    },
  };
}

/** Returns the file of the bundle; without a mutant that of the honest build. */
export async function buildSimulation(root: string, mutant: Mutant | null): Promise<string> {
  const { build } = await import('esbuild');
  const folder = join(root, '.local', 'sim', 'builds');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${mutant?.id ?? 'honest'}.js`);
  await build({
    absWorkingDir: root,
    entryPoints: ['test/sim/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    tsconfig: 'tsconfig.base.json',
    keepNames: true,
    logLevel: 'silent',
    plugins: mutant ? [plugin(root, mutant)] : [],
  });
  return outfile;
}
