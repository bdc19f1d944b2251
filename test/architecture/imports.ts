/**
 * The imports between files, read from the sources: values and types alike, because both make one file depend on the
 * other.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { files, root, text } from './tree';

const aliases = Object.entries(
  (JSON.parse(text('tsconfig.base.json')) as { compilerOptions: { paths: Record<string, [string]> } }).compilerOptions
    .paths,
).map(([name, [file]]) => [name, path.normalize(file)] as const);
const named = new Map(aliases);

const specifiers = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*'([^'\n]+)'/g;

/** The file that a specifier names; null for a package. */
function resolved(from: string, specifier: string): string | null {
  const target = specifier.startsWith('.')
    ? path.normalize(path.join(path.dirname(from), specifier))
    : named.get(specifier);
  if (target === undefined) return null;
  return (
    [target, `${target}.ts`, `${target}.tsx`, path.join(target, 'index.ts')].find(
      (file) => /\.tsx?$/.test(file) && existsSync(path.join(root, file)),
    ) ?? null
  );
}

/** The files that a text imports when it is at `file`. */
export function importsOf(file: string, source: string): string[] {
  const found = [...source.matchAll(specifiers)].flatMap(([, specifier]) => resolved(file, specifier!) ?? []);
  return [...new Set(found)].filter((target) => target !== file);
}

export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Every TypeScript source of the checkout with its imports inside the checkout. */
export function importGraph(): ImportGraph {
  return new Map(
    files()
      .filter(
        (file) =>
          /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !/\/(sample-project|project-template)\//.test(file),
      )
      .map((file) => [file, importsOf(file, text(file))]),
  );
}

/** Groups of files that reach each other by their imports, each group sorted (Tarjan). */
export function circlesOf(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = path.splice(path.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}
