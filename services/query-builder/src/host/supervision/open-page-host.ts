/**
 * The page host: compiles the project here, tries each new version of a page in a separate process, and tells the
 * workers what to serve. An edit replaces only the pages that it affects: no worker ends, no request fails, and a page
 * is loaded only when a reader requests it. A page that does not load is reported, and its previous version is still
 * served.
 */
import cluster from 'node:cluster';
import type { Log } from '@platform/kernel';
import type { Metrics } from '@platform/service-host';
import { openCodeStore, type CodeStore } from '../project/code-store';
import { createCompiler, type Compilation } from '../project/compile-pages';
import type { CompiledPage } from '../project/compiled-page';
import { createPageCatalog, type PageCatalog, type PageChanges, type ReportedProblem } from '../project/page-catalog';
import { scanProject, type ProjectScan } from '../project/scan-project';
import { positionOf } from '../project/source-position';
import { watchProject } from '../project/watch-project';
import { createWorkerPool, type WorkerPool } from './worker-pool';
import { siblingProgram, type PageCodePlace } from '../page-code/spawn-page-code';
import type { PageHealth } from './messages';
import { createExecutions, type Executions } from './executions';
import { oneAtATime } from './one-at-a-time';
import { createPageTrial } from './page-trial';
import { createTries } from './try-pages';
import type { Operations } from './answer-asks';
import { startWorker, type PageWorker } from './start-worker';

export interface PageHostOptions {
  readonly projectDir: string;
  readonly log: Log;
  /** The number of serving processes. Default 1. */
  readonly workers?: number;
  /** The program of the workers; it calls `runPageWorker`. Default: the program of this process. */
  readonly program?: string;
  /** The program in which page code runs. Default: `page-code.js` beside the program of this process. */
  readonly codeProgram?: string;
  /** Added to the environment of the workers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Operations of this process that workers may call, such as the builder's. Arguments and answers are plain data. */
  readonly operations?: Operations;
  /** The metrics of this process, which a scrape shows beside those of the workers. */
  readonly metrics?: Pick<Metrics, 'figures'>;
  /** Called at each change of the project, and again when the change is served or reported. */
  readonly onEdit?: () => void;
  /** Watches the project and reloads by itself. Default true. */
  readonly watch?: boolean;
  /** How long a draining worker may run before it is killed. Default 60,000. */
  readonly drainTimeMs?: number;
  /** After this time, a worker that does not serve yet, or a page that blocks its trial, has failed. Default 60,000. */
  readonly startTimeMs?: number;
}

export interface PageHost {
  readonly url: string;
  health(): PageHealth;
  /** Resolves when the current project is served, or its failure is reported. */
  reload(): Promise<PageHealth>;
  /** What the page did in its trial, if these are the texts of the trial. */
  executionOf: Executions['executionOf'];
  /** Rows of these tables were written (null: of any table), so workers drop their cached answers. */
  written(tables: readonly string[] | null): void;
  /** Waits for the answers of open connections, then ends the workers. */
  close(): Promise<void>;
}

const retryMs = 5_000;
const trialIdleMs = 10_000;
/**
 * Page code may keep references to replaced versions, for example in a timer, so workers are renewed after this many
 * changes.
 */
const changesPerWorker = 1_000;

/**
 * Starts serving. Throws when the project's folder cannot be read or no worker starts; a broken page does not throw.
 */
export async function openPageHost(options: PageHostOptions): Promise<PageHost> {
  const { projectDir, log, program, watch = true } = options;
  // Workers accept connections themselves: a connection that this process passed to a worker which was just ending
  // would hang forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ ...(program !== undefined && { exec: program }), args: [] });
  const store = openCodeStore();
  const pool = createWorkerPool({ log, size: options.workers ?? 1, drainTimeMs: options.drainTimeMs ?? 60_000 });
  const restorePrograms = async (): Promise<void> => {
    if (store.isWhole()) return;
    log.warn({ folder: store.folder }, 'compiled pages were removed from outside; they are compiled again');
    await reload().catch((error: unknown) => log.error({ error }, 'the pages could not be compiled again'));
  };
  const figures = async () => ({
    ...(options.metrics && { supervisor: await options.metrics.figures() }),
    ...Object.fromEntries(await pool.figures()),
  });
  const operations = { ...options.operations, restorePrograms, figures };
  const serving = createServing({ ...options, operations }, store, pool);
  let retry: NodeJS.Timeout | undefined;
  let seen: ProjectScan | undefined;
  const reload = oneAtATime(async () => {
    clearTimeout(retry);
    const scan = seen ?? (await scanProject(projectDir));
    seen = undefined;
    const health = await serving.bring(scan, () => seen !== undefined);
    // The pages did not cause the failure (no memory, no database), so it may pass without an edit.
    if (health.failure !== undefined) retry = setTimeout(() => void reload().catch(() => undefined), retryMs).unref();
    return health;
  });
  const onChange = (scan: ProjectScan): void => {
    seen = scan;
    options.onEdit?.();
    reload().then(options.onEdit, (error: unknown) => log.error({ error }, 'the pages could not be reloaded'));
  };
  // Watching begins before the first scan, so that no change is lost between the two.
  const watching = watch ? await watchProject(projectDir, onChange) : undefined;
  const close = async (): Promise<void> => {
    watching?.close();
    clearTimeout(retry);
    serving.close();
    await pool.close();
    store.remove();
  };
  try {
    await reload();
    return {
      url: pool.url(),
      health: serving.health,
      async reload() {
        seen = undefined;
        return reload();
      },
      executionOf: serving.executionOf,
      written: (tables) => pool.sendWritten(tables),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Brings the current project into service, or reports why it cannot. */
function createServing(options: PageHostOptions, store: CodeStore, pool: WorkerPool) {
  const { projectDir, log, startTimeMs = 60_000, codeProgram = siblingProgram() } = options;
  const compiler = createCompiler(projectDir, store);
  const catalog = createPageCatalog((page, place) => positionOf(page, store.folder, place));
  const place = { program: codeProgram, codeFolder: store.folder };
  const trial = createPageTrial({ ...place, timeMs: startTimeMs, idleMs: trialIdleMs });
  const tries = createTries(trial, catalog);
  let health: PageHealth = { status: 'ok', pages: 0, loadedAt: new Date(0).toISOString(), reloads: -1, problems: [] };
  let changesMade = 0;
  let settled = 0;
  const executions = createExecutions(projectDir, { ...compiler, ...catalog });

  const start = createStart(options, place, catalog, () => settled);
  const report = (failure?: string): PageHealth => {
    logNew(log, catalog.problems(), health.problems);
    health = healthNow(catalog, health, failure);
    pool.sendHealth(health);
    executions.settled({ failure });
    return health;
  };
  const serve = async (changes: PageChanges): Promise<void> => {
    changesMade += 1;
    if (pool.url() === '' || changesMade > changesPerWorker) {
      await pool.replaceAll(start);
      changesMade = 0;
    } else await pool.change(changes);
    health = { ...health, loadedAt: new Date().toISOString(), reloads: health.reloads + 1 };
  };
  const settle = async (compilation: Compilation, pages: readonly CompiledPage[]): Promise<void> => {
    await tries.judge(pages);
    // Reading back need not wait until workers serve the pages.
    executions.settled({ compilation });
    const before = catalog.unloaded().join();
    const changes = catalog.settle(compilation);
    settled += 1;
    const differs = changes.set.length + changes.gone.length > 0 || changes.unloaded.join() !== before;
    if (differs || pool.url() === '') await serve(changes);
  };
  const bring = async (scan: ProjectScan, isStale: () => boolean): Promise<PageHealth> => {
    const compilation = await compiler.compile(scan);
    try {
      const pages = catalog.unjudged(compilation);
      const edited = pages.filter((page) => catalog.isEdited(page));
      // Edited pages are served before pages that only import the edited file; until then, those serve their previous
      // version.
      if (edited.length < pages.length && pool.url() !== '') {
        await settle(compilation, edited);
        await tries.judgeUntil(isStale, catalog.unjudged(compilation));
        // A newer edit does not wait for pages that only import this one; they are tried after it.
        if (catalog.unjudged(compilation).length > 0) return report();
      }
      await settle(compilation, catalog.unjudged(compilation));
      store.retain(programsOf(catalog, compilation.pages));
      return report();
    } catch (error) {
      if (pool.url() === '') throw error;
      log.error(
        { error },
        'what was edited last could not be brought into service; what was served before is served on',
      );
      return report(error instanceof Error ? error.message : String(error));
    }
  };
  return { ...executions, health: () => health, bring, close: () => trial.close() };
}

/** Starts a worker with what is served now; `settled` counts the changes. */
function createStart(
  { operations = {}, environment = {}, startTimeMs = 60_000 }: PageHostOptions,
  place: PageCodePlace,
  catalog: PageCatalog,
  settled: () => number,
) {
  return async (port: number | undefined): Promise<PageWorker> => {
    const pages = catalog.served();
    const begun = settled();
    const assignment = {
      ...place,
      pages,
      unloaded: catalog.unloaded(),
      ...(port !== undefined && { port }),
    };
    const worker = await startWorker({ assignment, environment, operations, startTimeMs });
    if (begun === settled()) return worker;
    // The served versions changed while the worker started.
    const now = catalog.served();
    const refs = new Set(now.map(({ compiled }) => compiled.pageRef));
    const gone = pages.map(({ compiled }) => compiled.pageRef).filter((pageRef) => !refs.has(pageRef));
    await worker.change({ set: now, gone, unloaded: catalog.unloaded() });
    return worker;
  };
}

function healthNow(catalog: PageCatalog, { loadedAt, reloads }: PageHealth, failure: string | undefined): PageHealth {
  const problems = catalog.problems();
  const status = problems.length > 0 || failure !== undefined ? 'degraded' : 'ok';
  const pages = catalog.served().length;
  return { status, pages, loadedAt, reloads, problems, ...(failure !== undefined && { failure }) };
}

function programsOf(catalog: PageCatalog, pages: readonly { readonly files: readonly { readonly code: string }[] }[]) {
  const all = [...pages, ...catalog.served().map(({ compiled }) => compiled)];
  return new Set(all.flatMap(({ files }) => files.map(({ code }) => code)));
}

function logNew(log: Log, problems: readonly ReportedProblem[], before: readonly ReportedProblem[]): void {
  const known = new Set(before.map((problem) => JSON.stringify(problem)));
  for (const problem of problems.filter((each) => !known.has(JSON.stringify(each)))) {
    const { pageRef, file, line, message, serving } = problem;
    log.error({ page: pageRef, file, line, serving }, `a page does not load: ${file}:${line}: ${message}`);
  }
}
