/**
 * Which files a page's programs may be made of: those of the project, and those of packages. The compiler runs with the
 * rights of the service, so an import of any other file would give its content to page code, which may read no file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** One import, as the compiler found it; `target` is the file behind all links. */
export interface FoundImport {
  readonly specifier: string;
  readonly importer: string;
  readonly target: string;
}

/** Decides on each import of a project; `root` is its folder behind all links. */
export function importBounds(root: string): (found: FoundImport) => boolean {
  const isOwn = (path: string): boolean => path.startsWith(`${root}${sep}`);
  const isInstalled = (path: string): boolean => path.includes(`${sep}node_modules${sep}`);
  return ({ specifier, importer, target }) => {
    if (isOwn(target) || isInstalled(target)) return true;
    // A package that is linked from elsewhere: found by its name, or by another file of it.
    const { folder, name } = packageOf(target) ?? {};
    if (folder === undefined) return false;
    const named = name !== undefined && (specifier === name || specifier.startsWith(`${name}/`));
    return named || (!isOwn(importer) && !isInstalled(importer) && importer.startsWith(`${folder}${sep}`));
  };
}

/** The nearest package around a file. */
function packageOf(file: string): { readonly folder: string; readonly name: string | undefined } | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const described = join(folder, 'package.json');
    if (existsSync(described)) return { folder, name: nameIn(described) };
  }
  return undefined;
}

function nameIn(described: string): string | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(described, 'utf8'));
    const name = typeof read === 'object' && read !== null && 'name' in read ? read.name : undefined;
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch {
    return undefined;
  }
}
