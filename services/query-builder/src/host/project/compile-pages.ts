/**
 * The pages of a project as programs by file, each with its own problems, so that a broken page does not affect the
 * others. Only edited files are compiled again; the version of a page covers everything that it imports.
 */
import { createHash } from 'node:crypto';
import type { CodeStore } from './code-store';
import { compileFiles, isCode, type CompiledFile } from './compile-files';
import { sourceProblem, type CompiledPage, type ModuleFile, type SourceProblem } from './compiled-page';
import type { ProjectScan } from './scan-project';

interface Known {
  readonly outcome: CompiledFile;
  /** The signatures of all files whose content is in the program. */
  readonly signatures: ReadonlyMap<string, string | undefined>;
}

export interface Compilation {
  readonly pages: readonly CompiledPage[];
  readonly problems: readonly SourceProblem[];
}

const notServed =
  'this file is not served: a page is a file page.ts, not a link, in a folder below pages, and the names on its path are lower-case words joined by dashes';

export interface Compiler {
  /** Compiles what has changed since the last call. Never throws for errors in a page. */
  compile(scan: ProjectScan): Promise<Compilation>;
  /** The signature of the file when it was last compiled. */
  signatureOf(path: string): string | undefined;
}

export function createCompiler(projectDir: string, store: CodeStore): Compiler {
  const known = new Map<string, Known>();
  let before = new Map<string, CompiledPage>();
  let paths = '';
  return {
    signatureOf: (path) => known.get(path)?.signatures.get(path),
    async compile({ pages, signatures }) {
      // The target of an import depends on which files exist; no file imports a page, so pages do not count.
      const present = [...signatures.keys()].filter((path) => !path.endsWith('/page.ts')).join('\n');
      const whole = store.isWhole();
      if (present !== paths || !whole) known.clear();
      paths = present;
      for (const [path, each] of known) if (!isCurrent(each, signatures, store)) known.delete(path);
      // Also through files that are already known: an unchanged page may import an edited file.
      const reached = new Set(pages.values());
      const fresh = new Set<string>();
      let wanted = [...reached];
      while (wanted.length > 0) {
        const missing = wanted.filter((path) => !known.has(path));
        const compiled = await compileFiles(projectDir, missing, store);
        for (const [path, outcome] of compiled) {
          known.set(path, { outcome, signatures: signaturesOf(outcome, signatures) });
          fresh.add(path);
        }
        wanted = [...new Set(wanted.flatMap((path) => importsOf(known, path)))].filter((path) => !reached.has(path));
        for (const path of wanted) reached.add(path);
      }
      if (!whole) store.giveUpMissing();
      const graph = createGraph(known);
      // The cost of an edit depends on the pages that it reaches, not on the size of the project.
      const isAsBefore = (page: CompiledPage | undefined): page is CompiledPage =>
        page !== undefined && !page.files.some(({ path }) => fresh.has(path));
      const outcomes = [...pages].map(([pageRef, file]) => {
        const page = before.get(pageRef);
        return isAsBefore(page) ? page : pageOf(pageRef, file, graph);
      });
      before = new Map(
        outcomes.flatMap((outcome) => ('version' in outcome ? [[outcome.pageRef, outcome] as const] : [])),
      );
      return {
        pages: outcomes.flatMap((outcome) => ('version' in outcome ? [outcome] : [])),
        problems: [
          ...outcomes.flatMap((outcome) => ('version' in outcome ? [] : [outcome])),
          ...unservedPages(pages, signatures, reached),
        ],
      };
    },
  };
}

type Signatures = ProjectScan['signatures'];

function signaturesOf(outcome: CompiledFile, signatures: Signatures): Known['signatures'] {
  const contents = outcome.kind === 'compiled' ? outcome.contents : [];
  return new Map(contents.map((path) => [path, signatures.get(path)]));
}

/** Any change may repair a failed compilation. A program that no page needed any more was given up. */
function isCurrent({ outcome, signatures: before }: Known, now: Signatures, store: CodeStore): boolean {
  return (
    outcome.kind === 'compiled' &&
    store.has(outcome.code) &&
    [...before].every(([path, signature]) => now.get(path) === signature)
  );
}

function importsOf(known: ReadonlyMap<string, Known>, path: string): readonly string[] {
  const outcome = known.get(path)?.outcome;
  return outcome?.kind === 'compiled' ? outcome.imports : [];
}

/** Files that are named like a page and are none: no page imports them, and no address leads to them. */
function unservedPages(
  pages: ProjectScan['pages'],
  signatures: Signatures,
  reached: ReadonlySet<string>,
): SourceProblem[] {
  return [...signatures.keys()].flatMap((path) => {
    const folder = /^pages(|\/.+)\/page\.[^./]+$/.exec(path)?.[1];
    if (folder === undefined || pages.has(folder) || reached.has(path) || !isCode(path)) return [];
    return [sourceProblem(folder === '' ? '/' : folder, path, 1, notServed)];
  });
}

type Graph = ReturnType<typeof createGraph>;

/**
 * The files that each file reaches, and the version that follows from them; files in an import cycle reach the same
 * files.
 */
function createGraph(known: ReadonlyMap<string, Known>) {
  const reached = new Map<string, readonly string[]>();
  const versions = new Map<string, string>();
  const modules = new Map<string, ModuleFile>();
  const closureOf = (path: string): readonly string[] => {
    const before = reached.get(path);
    if (before) return before;
    const closure = new Set([path]);
    for (const each of closure) for (const next of importsOf(known, each)) closure.add(next);
    const sorted = [...closure].sort();
    reached.set(path, sorted);
    return sorted;
  };
  const codeOf = (path: string): string => {
    const outcome = known.get(path)?.outcome;
    return outcome?.kind === 'compiled' ? outcome.code : '';
  };
  const versionOf = (path: string): string => {
    const before = versions.get(path);
    if (before !== undefined) return before;
    const content = JSON.stringify([path, closureOf(path).map((each) => [each, codeOf(each)])]);
    const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
    versions.set(path, version);
    return version;
  };
  // One object for all pages that import the file.
  const moduleOf = (path: string): ModuleFile => {
    const module = modules.get(path) ?? { path, version: versionOf(path), code: codeOf(path) };
    modules.set(path, module);
    return module;
  };
  return {
    failureIn: (path: string) =>
      closureOf(path)
        .map((each) => known.get(each)?.outcome)
        .find((outcome) => outcome?.kind === 'failed'),
    filesOf: (path: string): ModuleFile[] => closureOf(path).map(moduleOf),
    versionOf,
  };
}

function pageOf(pageRef: string, file: string, graph: Graph): CompiledPage | SourceProblem {
  const failure = graph.failureIn(file);
  if (failure) return sourceProblem(pageRef, failure.file, failure.line, failure.message);
  return { pageRef, file, version: graph.versionOf(file), files: graph.filesOf(file) };
}
