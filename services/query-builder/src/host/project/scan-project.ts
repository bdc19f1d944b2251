/** The content of a page project: its pages, and a signature of every source file, by which changes are noticed. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPageRef } from '@platform/base/page';
import { isCode } from './compile-files';

export interface ProjectScan {
  /** `/shop/orders` → `pages/shop/orders/page.ts`, in the order of the refs. */
  readonly pages: ReadonlyMap<string, string>;
  /** Relative path → a text that changes whenever the file is written. */
  readonly signatures: ReadonlyMap<string, string>;
  /** Every folder, for watching. */
  readonly folders: readonly string[];
}

const maxDepth = 20;
const isSource = (name: string): boolean => isCode(name) || name.endsWith('.json');
/** In place of a signature, of a page that is a link: its imports would be looked up where it leads to. */
const linked = 'a link';

/** Reads the tree of a project. Throws when its folder cannot be read; files that disappear meanwhile are left out. */
export async function scanProject(projectDir: string): Promise<ProjectScan> {
  return scanOf(await readTree(projectDir, '', 0));
}

/** Reads some folders of a known tree again, and everything below a folder that appeared or disappeared. */
export async function scanAgain(
  projectDir: string,
  known: ProjectScan,
  folders: readonly string[],
): Promise<ProjectScan> {
  const signatures = new Map(known.signatures);
  const all = new Set(known.folders);
  for (const folder of folders) {
    const tree = await readFolder(projectDir, folder);
    for (const path of signatures.keys()) if (folderOf(path) === folder) signatures.delete(path);
    for (const [path, signature] of tree?.files ?? []) signatures.set(path, signature);
    const below = [...all].filter((each) => each !== folder && folderOf(each) === folder);
    // A new or removed folder changes which trees exist.
    if (!tree || tree.folders.join() !== below.sort().join()) return scanProject(projectDir);
  }
  return scanOf({ signatures, folders: [...all] });
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

interface Tree {
  readonly signatures: Map<string, string>;
  readonly folders: string[];
}

async function readTree(projectDir: string, folder: string, depth: number): Promise<Tree> {
  const found = await readFolder(projectDir, folder);
  if (!found && depth === 0) throw new Error(`the page project ${projectDir} cannot be read`);
  const tree: Tree = { signatures: found?.files ?? new Map<string, string>(), folders: found ? [folder] : [] };
  if (!found || depth >= maxDepth) return tree;
  for (const below of await Promise.all(found.folders.map((each) => readTree(projectDir, each, depth + 1)))) {
    for (const [path, signature] of below.signatures) tree.signatures.set(path, signature);
    // A large project has more folders than a call may have arguments, so they are not spread.
    for (const each of below.folders) tree.folders.push(each);
  }
  return tree;
}

/** The sources and folders directly in a folder; undefined when it is gone. */
async function readFolder(projectDir: string, folder: string) {
  const entries = await readdir(join(projectDir, folder), { withFileTypes: true }).catch(() => undefined);
  if (!entries) return undefined;
  const seen = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const pathOf = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const files = await Promise.all(
    seen
      .filter((entry) => (entry.isFile() && isSource(entry.name)) || isPageLink(entry))
      .map(async (entry): Promise<[string, string] | undefined> => {
        const { name } = entry;
        const signature = isPageLink(entry) ? linked : await signatureOf(join(projectDir, pathOf(name)));
        return signature === undefined ? undefined : [pathOf(name), signature];
      }),
  );
  return {
    files: new Map(files.filter((file) => file !== undefined)),
    folders: seen
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => pathOf(name))
      .sort(),
  };
}

const isPageLink = (entry: Dirent): boolean => entry.name === 'page.ts' && entry.isSymbolicLink();

/** Changes whenever the file is written; undefined when it is gone. */
export async function signatureOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}`;
}

function scanOf({ signatures, folders }: Tree): ProjectScan {
  return { pages: pagesAmong(signatures), signatures, folders };
}

function pagesAmong(signatures: ProjectScan['signatures']): ReadonlyMap<string, string> {
  const found = [...signatures].flatMap(([file, signature]): [string, string][] => {
    const folder = signature === linked ? undefined : /^pages(\/.+)\/page\.ts$/.exec(file)?.[1];
    return folder !== undefined && isPageRef(folder) ? [[folder, file]] : [];
  });
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
