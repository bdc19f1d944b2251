/** What lies in a page project: its pages, and a signature of every source file by which a change is noticed. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPageRef } from '@platform/base/page';

export interface ProjectScan {
  /** `/shop/orders` → `pages/shop/orders/page.ts`, in the order of the refs. */
  readonly pages: ReadonlyMap<string, string>;
  /** Relative path → a text that changes whenever the file is written. */
  readonly signatures: ReadonlyMap<string, string>;
  /** Every folder, for watching. */
  readonly folders: readonly string[];
}

const maxDepth = 20;
const source = /\.(ts|js|json)$/;

/** Reads the tree of a project. Throws when its folder cannot be read; what vanishes meanwhile is left out. */
export async function scanProject(projectDir: string): Promise<ProjectScan> {
  const signatures = new Map<string, string>();
  const folders: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(join(projectDir, folder), { withFileTypes: true }).catch(ignoreVanished(depth));
    folders.push(folder);
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory() && depth < maxDepth) await visit(path, depth + 1);
      if (entry.isFile() && source.test(entry.name)) {
        const found = await stat(join(projectDir, path), { bigint: true }).catch(() => undefined);
        if (found) signatures.set(path, `${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}`);
      }
    }
  };
  await visit('', 0);
  return { pages: pagesAmong(signatures.keys()), signatures, folders };
}

function ignoreVanished(depth: number) {
  return (error: unknown): [] => {
    if (depth === 0) throw error;
    return [];
  };
}

function pagesAmong(files: Iterable<string>): ReadonlyMap<string, string> {
  const found = [...files].flatMap((file): [string, string][] => {
    const folder = /^pages(\/.+)\/page\.ts$/.exec(file)?.[1];
    return folder !== undefined && isPageRef(folder) ? [[folder, file]] : [];
  });
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
