/**
 * Compiles source files of a page project one by one, without their imports: a file is compiled once, however many
 * pages import it, and an edit compiles only the edited files. A package of `node_modules` is bundled into one file.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  build,
  stop,
  type BuildFailure,
  type Message,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
} from 'esbuild';
import type { CodeStore } from './code-store';
import { importBounds } from './import-bounds';

/** The platform's modules that pages may import; the host supplies its own. */
const hostModules: readonly string[] = ['@platform/page-runtime', '@platform/base/page'];
/** Whether a file of this name is code, in any notation that the compiler reads. */
export const isCode = (name: string): boolean => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(name);
/** Marks an import of another file of the project in compiled code. */
export const projectPrefix = 'project:';

export type CompiledFile =
  | {
      readonly kind: 'compiled';
      /** Name in the code store. */
      readonly code: string;
      /** Paths of the files that it imports. */
      readonly imports: readonly string[];
      /** Paths of the files whose content is in the program: its own, and data. */
      readonly contents: readonly string[];
    }
  | { readonly kind: 'failed'; readonly file: string; readonly line: number; readonly message: string };

/**
 * The compiler's process keeps memory for a whole project, so it is ended after this many files, or when it is idle.
 */
const manyFiles = 50;
const idleMs = 10_000;
/**
 * The most entries of one build: its work grows with the square of their number, and all results are in memory at once.
 */
const batchFiles = 200;
let compiling = 0;
let idle: NodeJS.Timeout | undefined;

/** Compiles each of the files. Errors in them are returned, never thrown. */
export async function compileFiles(
  projectDir: string,
  files: readonly string[],
  store: CodeStore,
): Promise<Map<string, CompiledFile>> {
  if (files.length === 0) return new Map();
  clearTimeout(idle);
  compiling += 1;
  try {
    return await compileEach(projectDir, files, store);
  } finally {
    compiling -= 1;
    const end = (): void => void (compiling === 0 && stop());
    if (files.length > manyFiles) end();
    else idle = setTimeout(end, idleMs).unref();
  }
}

async function compileEach(
  projectDir: string,
  files: readonly string[],
  store: CodeStore,
): Promise<Map<string, CompiledFile>> {
  const compiled = new Map<string, CompiledFile>();
  for (let at = 0; at < files.length; at += batchFiles)
    await compileBatch(projectDir, files.slice(at, at + batchFiles), store, compiled);
  return compiled;
}

async function compileBatch(
  projectDir: string,
  files: readonly string[],
  store: CodeStore,
  compiled: Map<string, CompiledFile>,
): Promise<void> {
  let left = files;
  while (left.length > 0) {
    try {
      for (const [file, found] of await buildAll(projectDir, left, store)) compiled.set(file, found);
      return;
    } catch (error) {
      if (!isBuildFailure(error)) throw error;
      // A build succeeds or fails as a whole: the failed files are recorded, and the others are built again.
      const before = left.length;
      for (const message of error.errors) {
        const failure = failureOf(message, projectDir, left);
        if (!compiled.has(failure.entry)) compiled.set(failure.entry, failure.outcome);
      }
      left = left.filter((file) => !compiled.has(file));
      if (left.length === before) throw error;
    }
  }
}

async function buildAll(folder: string, files: readonly string[], store: CodeStore) {
  // The compiler names every file by what is behind all links, and the folder may be one.
  const projectDir = await realpath(folder);
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: Object.fromEntries(files.map((file, at) => [`entry${at}`, join(projectDir, file)])),
    outdir: join(projectDir, '.compiled'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: [...hostModules],
    // In the order of TypeScript, so that an import is of the file that editors and read-back take it for.
    resolveExtensions: ['.ts', '.tsx', '.jsx', '.js', '.json'],
    plugins: [filesApart(projectDir)],
    sourcemap: 'external',
    sourcesContent: false,
    keepNames: true,
    logLevel: 'silent',
    // The project's own settings could map names elsewhere; the host decides which runtime is used.
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true } },
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(projectDir, path), text]));
  return files.map((file, at): [string, CompiledFile] => {
    const output = `.compiled/entry${at}.js`;
    const imports = (metafile.outputs[output]?.imports ?? []).flatMap(({ path }) =>
      path.startsWith(projectPrefix) ? [path.slice(projectPrefix.length)] : [],
    );
    const code = store.put(texts.get(output)!, texts.get(`${output}.map`)!);
    const contents = Object.keys(metafile.outputs[output]?.inputs ?? {});
    return [file, { kind: 'compiled', code, imports: [...new Set(imports)], contents }];
  });
}

/** Keeps every import of a project file or a package out of the importing program. */
function filesApart(projectDir: string): Plugin {
  const resolved = { own: true };
  const mayContain = importBounds(projectDir);
  const isPackage = (path: string): boolean => path.includes('/node_modules/');
  return {
    name: 'files-apart',
    setup(setup) {
      const resolveApart = async (args: OnResolveArgs): Promise<OnResolveResult | undefined> => {
        if (args.pluginData === resolved || args.kind === 'entry-point') return undefined;
        if (hostModules.includes(args.path)) return undefined;
        const { importer, resolveDir, kind, path } = args;
        const found = await setup.resolve(path, { importer, resolveDir, kind, pluginData: resolved });
        if (found.errors.length > 0 || found.external || found.namespace !== 'file') return undefined;
        if (!mayContain({ specifier: path, importer, target: found.path }))
          return { errors: [{ text: `A page imports files of its project and packages, not "${path}"` }] };
        // A package is bundled into one program.
        if (isPackage(importer)) return undefined;
        // Data is no program; it is included in the file that imports it.
        if (found.path.endsWith('.json')) return undefined;
        if (!isCode(found.path)) return { errors: [{ text: `A page imports code and JSON, not "${path}"` }] };
        const source = isPackage(found.path) ? found.path : sourceOf(found.path);
        return { path: `${projectPrefix}${relative(projectDir, source).replaceAll('\\', '/')}`, external: true };
      };
      setup.onResolve({ filter: /.*/ }, resolveApart);
    },
  };
}

/** The TypeScript beside a compiled file, which is meant also where the import names the compiled one. */
function sourceOf(path: string): string {
  const source = path.replace(/js(x?)$/, 'ts$1');
  return existsSync(source) ? source : path;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function failureOf({ location, text }: Message, projectDir: string, files: readonly string[]) {
  // A message about a whole file has no location and names the file.
  const named = files.find((each) => text.includes(each)) ?? files[0]!;
  const file = location ? relative(projectDir, join(projectDir, location.file)).replaceAll('\\', '/') : named;
  const entry = files.includes(file) ? file : named;
  return { entry, outcome: { kind: 'failed', file, line: location?.line ?? 1, message: text } as const };
}
