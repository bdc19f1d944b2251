/**
 * The checkout as the architecture tests read it: files that git tracks or would track, never built or installed ones.
 */
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
  readonly targets: readonly string[];
}

interface Declaration {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly targets?: Readonly<Record<string, unknown>>;
}

/** Every Nx project: a workspace package by the `nx` part of its manifest, another folder by project.json. */
export function projects(): Project[] {
  return files()
    .filter((file) => /^(libs|services|examples|infra|test)\/(.+\/)?(package|project)\.json$/.test(file))
    .filter((file) => !/\/(fixtures|sample-project|project-template)\//.test(file))
    .flatMap((file) => {
      const content = JSON.parse(text(file)) as Declaration & { nx?: Declaration };
      const declared = path.basename(file) === 'project.json' ? content : content.nx;
      if (!declared) return [];
      const { name = '', tags = [], targets = {} } = declared;
      return [{ folder: path.dirname(file), name, tags, targets: Object.keys(targets) }];
    });
}

/** Collection names declared in the store folders of each service, with the declaring file. */
export function declaredCollections(): { service: string; collection: string; file: string }[] {
  return files()
    .filter((file) => /^services\/[^/]+\/src\/(.+\/)?store\/[^/]+\.ts$/.test(file) && !file.endsWith('.spec.ts'))
    .flatMap((file) =>
      [...text(file).matchAll(/CollectionDeclaration<[^>]+>\s*=\s*\{\s*name:\s*'([^']+)'/g)].map((found) => ({
        service: file.split('/')[1]!,
        collection: found[1]!,
        file,
      })),
    );
}
