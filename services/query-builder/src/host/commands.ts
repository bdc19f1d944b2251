/** `import`, `indexes` and `introspect` of the command line: their input, their output, and their exit codes. */
import { resolve } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import { openTables, type Tables } from '@platform/mongo';
import { isMapped } from '@platform/page-runtime';
import { isResourceName, resourceFile } from '../domain/project';
import { readResource } from '../domain/source/read-resource';
import { openPageProject } from '../store/page-project';
import { createProgressBar, type Screen } from './import/progress-bar';
import { ImportError, importRows, ImportStoppedError } from './import/import-rows';
import { adviseIndexes, servedBy } from '../domain/advise-indexes';
import { introspect, type Introspected, type IntrospectOptions } from '../domain/introspect';
import { openCodeStore } from './project/code-store';
import { createCompiler } from './project/compile-pages';
import { loadPages } from './project/load-pages';
import { createPageModules } from './project/page-modules';
import { scanProject } from './project/scan-project';

export interface CommandContext {
  /** Folder of the page project. */
  readonly projectDir: string;
  readonly mongodbUrl: string;
  readonly database: string;
  readonly out: Screen;
  readonly err: Screen;
  /** Shows the progress of an import, which moves the cursor. */
  readonly progress: Screen;
}

/**
 * Loads a file into a resource. Returns 0 when all rows were imported and 1 when some were refused. Throws `Misuse`.
 */
export async function runImport(
  { resource: name, file, tenant }: { readonly resource: string; readonly file: string; readonly tenant?: string },
  context: CommandContext,
): Promise<number> {
  const project = await openPageProject(resolve(context.projectDir));
  const text = isResourceName(name) ? await project.read(resourceFile(name)) : undefined;
  if (text === undefined)
    throw new Misuse(
      `the project ${project.root} has no resource ${name}; it has ${(await project.listResources()).join(', ') || 'none'}`,
    );
  const { resource } = readResource(resourceFile(name), text);
  if (isMapped(resource))
    throw new Misuse(`the rows of ${name} are another system's: its declaration says where they are and how`);
  const bar = createProgressBar(context.progress);
  return withTables(context, async (tables) => {
    try {
      const report = await importRows({
        tables,
        resource,
        file: resolve(file),
        tenantId: tenant,
        onProgress: bar.show,
      });
      bar.end();
      context.out.write(
        `${report.imported.toLocaleString('en')} rows imported into ${name}, ${report.refused.toLocaleString('en')} refused.\n`,
      );
      for (const { line, reasons } of report.examples) context.out.write(`  line ${line}: ${reasons.join('; ')}\n`);
      const unnamed = report.refused - report.examples.length;
      if (unnamed > 0) context.out.write(`  and ${unnamed.toLocaleString('en')} more\n`);
      if (report.unwritten !== undefined)
        context.err.write(`The file of all refused rows cannot be written: ${report.unwritten}\n`);
      if (report.refusedFile) context.out.write(`Lines and reasons of all refused rows: ${report.refusedFile}\n`);
      return report.refused > 0 ? exitCodes.failed : exitCodes.done;
    } catch (error) {
      bar.end();
      if (error instanceof ImportStoppedError) {
        context.err.write(`The import stopped: ${error.message}.\n`);
        throw error.cause;
      }
      if (!(error instanceof ImportError)) throw error;
      context.err.write(`The import stopped: ${error.message}.\n`);
      return exitCodes.failed;
    }
  });
}

/** Creates the indexes that the project's queries need, or only lists them. Returns 0, or 1 when pages do not load. */
export async function runIndexes(dryRun: boolean, context: CommandContext): Promise<number> {
  const { root: projectDir } = await openPageProject(resolve(context.projectDir));
  const store = openCodeStore();
  const compilation = await createCompiler(projectDir, store).compile(await scanProject(projectDir));
  const loaded = await loadPages(compilation, createPageModules(store.folder));
  store.remove();
  const calculations = loaded.pages.flatMap((page) =>
    page.routes.flatMap(({ note, rehearsal }) =>
      rehearsal.calculations.map((each) => ({ ...each, query: `${page.compiled.pageRef}@${note.method}` })),
    ),
  );
  const broken = loaded.problems;
  for (const { file, line, message } of broken) context.err.write(`${file}:${line}: ${message}\n`);
  await withTables(context, async (tables) => {
    const advised = adviseIndexes(calculations);
    if (advised.length === 0) context.out.write('The queries of the project want no index.\n');
    for (const wanted of advised) {
      const there = servedBy(await tables.indexes(wanted.table), wanted);
      if (!there && !dryRun) await tables.createIndex(wanted.table, wanted.key);
      const state = there ? 'exists' : dryRun ? 'wanted' : 'created';
      context.out.write(
        `${state.padEnd(8)}${wanted.table} { ${Object.keys(wanted.key)
          .map((field) => `${field}: 1`)
          .join(', ')} } for ${wanted.queries.join(', ')}\n`,
      );
    }
  });
  return broken.length > 0 ? exitCodes.failed : exitCodes.done;
}

export interface IntrospectCommand extends IntrospectOptions {
  readonly view: boolean;
  /** The number of documents to read, newest first. */
  readonly documents: number;
}

/** The proposal for an existing collection. Throws `Misuse` when the collection is empty. */
export async function runIntrospect(
  { view, documents: most, ...options }: IntrospectCommand,
  context: CommandContext,
): Promise<Introspected> {
  const newest = [{ $sort: { _id: -1 } }, { $limit: most }];
  const sample = await withTables(context, (tables) =>
    tables.aggregate(options.collection, newest, { maxTimeMs: 60_000, comment: 'introspect' }),
  );
  const proposed = introspect(sample, options);
  if (!proposed)
    throw new Misuse(
      sample.length === 0
        ? `the database ${context.database} has no rows in ${options.collection}`
        : `the documents of ${options.collection} have no field that a query could use`,
    );
  return { ...proposed, resource: { ...proposed.resource, ...(view && { view }) } };
}

async function withTables<T>(
  { mongodbUrl, database }: CommandContext,
  work: (tables: Tables) => Promise<T>,
): Promise<T> {
  const tables = await openTables({
    url: mongodbUrl,
    database,
    appName: 'builder-cli',
    maxPoolSize: 4,
    answerMs: 600_000,
  });
  try {
    return await work(tables);
  } finally {
    await tables.close();
  }
}
