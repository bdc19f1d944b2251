/**
 * The page host: compiles the project here and serves it in fresh processes. On a change new workers load the pages, and
 * only when they listen the old ones drain, so no request fails and no module stays behind; what does not load is
 * reported, and the version before keeps serving.
 */
import cluster from 'node:cluster';
import type { Log } from '@platform/kernel';
import { createCompiler, type Compilation } from '../project/compile-pages';
import type { ReportedProblem } from '../project/load-pages';
import { scanProject } from '../project/scan-project';
import { watchProject } from '../project/watch-project';
import { createWorkerPool } from './worker-pool';
import type { PageHealth } from './messages';
import { oneAtATime } from './one-at-a-time';
import { createPageVersions } from './page-versions';
import { startWorker, WorkerFailure, type Operations } from './start-worker';

export interface PageHostOptions {
  readonly projectDir: string;
  readonly log: Log;
  /** Processes that serve at a time. Default 1. */
  readonly workers?: number;
  /** The program of the workers; it calls `runPageWorker`. Default: the program of this process. */
  readonly program?: string;
  /** Added to the environment of the workers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What workers may ask of this process, such as the builder's operations. Arguments and answers are plain data. */
  readonly operations?: Operations;
  /** Watches the project and reloads by itself. Default true. */
  readonly watch?: boolean;
  /** Until a worker that drains is killed. Default 60,000. */
  readonly drainTimeMs?: number;
  /** Until a worker that does not serve counts as failed. Default 60,000. */
  readonly startTimeMs?: number;
}

export interface PageHost {
  readonly url: string;
  health(): PageHealth;
  /** Resolves when what the project holds now is served, or reported. */
  reload(): Promise<PageHealth>;
  /** Lets open connections get their answers, then ends the workers. */
  close(): Promise<void>;
}

const retryMs = 5_000;

/** Starts serving. Throws when the project's folder cannot be read or no worker comes up; a broken page is no reason. */
export async function openPageHost(options: PageHostOptions): Promise<PageHost> {
  const { projectDir, log, program, watch = true } = options;
  // Workers accept for themselves: a connection that this process handed to a worker which just then ended would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ ...(program !== undefined && { exec: program }), args: [] });
  const compiler = createCompiler(projectDir);
  const pool = createWorkerPool({ log, size: options.workers ?? 1, drainTimeMs: options.drainTimeMs ?? 60_000 });
  const serve = createServing(options, pool);
  let retry: NodeJS.Timeout | undefined;
  const reload = oneAtATime(async () => {
    clearTimeout(retry);
    const health = await serve.compiled(await compiler.compile(await scanProject(projectDir)));
    // What failed was not the pages' doing (no memory, no database): it may pass without anybody editing anything.
    if (health.failure !== undefined) retry = setTimeout(() => void reload().catch(() => undefined), retryMs).unref();
    return health;
  });
  // Watched from before the first look, so that no change falls between the two.
  const watching = watch
    ? await watchProject(
        projectDir,
        () => void reload().catch((error: unknown) => log.error({ error }, 'the pages could not be reloaded')),
      )
    : undefined;
  try {
    await reload();
    return {
      url: pool.url(),
      health: serve.health,
      reload,
      async close() {
        watching?.close();
        clearTimeout(retry);
        await pool.close();
      },
    };
  } catch (error) {
    watching?.close();
    await pool.close();
    throw error;
  }
}

/** Brings a compilation into service, or reports why not. */
function createServing(
  { projectDir, log, operations = {}, environment = {}, startTimeMs = 60_000 }: PageHostOptions,
  pool: ReturnType<typeof createWorkerPool>,
) {
  const versions = createPageVersions();
  let health: PageHealth = { status: 'ok', pages: 0, loadedAt: new Date(0).toISOString(), reloads: -1, problems: [] };

  const report = (
    compilation: Compilation,
    { pages, loadedAt, reloads }: Pick<PageHealth, 'pages' | 'loadedAt' | 'reloads'>,
    failure?: string,
  ): PageHealth => {
    const problems = versions.problems(compilation);
    logNew(log, problems, health.problems);
    const status = problems.length > 0 || failure !== undefined ? 'degraded' : 'ok';
    health = { status, pages, loadedAt, reloads, problems, ...(failure !== undefined && { failure }) };
    pool.sendHealth(health);
    return health;
  };
  const replaceWorkers = (compilation: Compilation) => {
    const candidates = versions.candidates(compilation);
    return pool.replaceAll((port) =>
      startWorker({
        assignment: { kind: 'pages', projectDir, candidates, ...(port !== undefined && { port }) },
        environment,
        operations,
        startTimeMs,
      }),
    );
  };
  const compiled = async (compilation: Compilation): Promise<PageHealth> => {
    if (!versions.differ(compilation)) return report(compilation, health);
    for (;;) {
      try {
        const [worker] = await replaceWorkers(compilation);
        versions.served(compilation, worker!.served, worker!.problems);
        return report(compilation, {
          pages: worker!.served.length,
          loadedAt: new Date().toISOString(),
          reloads: health.reloads + 1,
        });
      } catch (error) {
        const during = error instanceof WorkerFailure ? error.during : undefined;
        const blamed =
          during &&
          versions.blame(
            compilation,
            during,
            `the code of the page ended or blocked its process: ${(error as Error).message}`,
          );
        if (blamed) continue;
        if (pool.url() === '' || !(error instanceof WorkerFailure)) throw error;
        log.error({ error }, 'the newest version of the pages could not be brought up; the one before serves on');
        return report(compilation, health, error.message);
      }
    }
  };
  return { health: () => health, compiled };
}

function logNew(log: Log, problems: readonly ReportedProblem[], before: readonly ReportedProblem[]): void {
  const known = new Set(before.map((problem) => JSON.stringify(problem)));
  for (const problem of problems.filter((each) => !known.has(JSON.stringify(each)))) {
    const { pageRef, file, line, message, serving } = problem;
    log.error({ page: pageRef, file, line, serving }, `a page does not load: ${file}:${line}: ${message}`);
  }
}
