/** The checkout as the architecture tests read it: what git tracks or would track, never what is built or installed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');

/** Paths relative to the root, of files that are tracked or new and not ignored. */
export function files(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split('\0').filter(Boolean))].sort();
}

export function text(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

export interface Project {
  readonly folder: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/** Every workspace project, by its package.json. */
export function projects(): Project[] {
  return files()
    .filter(
      (file) =>
        /^(libs|services|examples)\/.+\/package\.json$/.test(file) &&
        !file.includes('/canary/') &&
        !/\/(fixtures|sample-project)\//.test(file),
    )
    .map((file) => {
      const manifest = JSON.parse(text(file)) as { name: string; nx?: { tags?: string[] } };
      return { folder: path.dirname(file), name: manifest.name, tags: manifest.nx?.tags ?? [] };
    });
}

/** Collection names declared in the store folder of each service, with the declaring file. */
export function declaredCollections(): { service: string; collection: string; file: string }[] {
  return files()
    .filter((file) => /^services\/[^/]+\/src\/store\/[^/]+\.ts$/.test(file) && !file.endsWith('.spec.ts'))
    .flatMap((file) =>
      [...text(file).matchAll(/CollectionDeclaration<[^>]+>\s*=\s*\{\s*name:\s*'([^']+)'/g)].map((found) => ({
        service: file.split('/')[1]!,
        collection: found[1]!,
        file,
      })),
    );
}
