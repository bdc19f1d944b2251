/**
 * The process that serves pages: it gets its pages and each change of them from the supervisor, and drains on request.
 */
import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import {
  authenticatorOf,
  createHttpServer,
  mergeCodes,
  problem,
  serverSettings,
  type HttpServer,
  type Route,
} from '@platform/http-server';
import { openTables, QueryTooSlowError, StoreUnavailableError, type Tables } from '@platform/mongo';
import { runService, type ServiceContext } from '@platform/service-host';
import { configSchema, type Config } from '../../config';
import { builderCodes } from '../../http/builder-codes';
import { builderFieldWords } from '../../http/field-words';
import { pageHealthRoutes } from '../../http/pages-health';
import { pageRoutes } from '../../http/pages-routes';
import { problemPageOf } from '../../http/pages-charts';
import { pageSignInOf } from '../../http/pages-sign-in';
import { openPageCode } from '../page-code/open-page-code';
import type { PageCode } from '../page-code/page-code';
import { pageCodes } from '../serving/codes';
import { createPageShelf, type PageShelf } from '../serving/page-shelf';
import { createQueryDesk } from '../serving/query-desk';
import { accessBySupervisor } from '../serving/workspace-access';
import { connectSupervisor, type Supervisor } from './connect-supervisor';
import type { PageHealth } from './messages';
import { metricsOfWorkers, observePages } from './observe-pages';
import { workerMark } from './start-worker';

/** Further routes, built on the operations that the supervising process offers. */
export type FurtherRoutes = (
  supervisor: Pick<Supervisor, 'call' | 'callUntil' | 'drained'>,
  config: Config,
) => readonly Route[];

/** Whether this process was started to serve pages. */
export function isPageWorker(): boolean {
  return cluster.isWorker && process.env[workerMark] === '1';
}

/** Serves until it is asked to drain or to end; returns the exit code. */
export function runPageWorker(furtherRoutes: FurtherRoutes = () => []): Promise<number> {
  return runService({
    name: 'query-builder',
    schema: configSchema,
    compose: (context) => compose(context, furtherRoutes),
  });
}

/** Even when queries must be short, a connection may take longer on a busy machine. */
const storeWaitMsMin = 5_000;

async function compose(
  context: ServiceContext<Config>,
  furtherRoutes: FurtherRoutes,
): Promise<{ readonly url: string }> {
  const { config, log, open, executor } = context;
  const tables = await open(
    'document store',
    openTables({
      url: config.MONGODB_URL,
      database: config.MONGODB_DATABASE,
      appName: executor.instance,
      selectMs: Math.max(storeWaitMsMin, config.QUERY_MAX_TIME_MS),
      answerMs: Math.max(config.QUERY_MAX_TIME_MS, ...config.QUERY_TIME_LIMITS.values()) + 10_000,
    }),
    (opened) => opened.close(),
  );
  const supervisor = connectSupervisor();
  const { program, codeFolder, pages, unloaded, port } = await supervisor.assignment;
  const code = await open(
    'page code',
    openPageCode({
      program,
      codeFolder,
      log,
      tenantTables: () => shelf.tenantTables(),
      restore: async () => void (await supervisor.call('restorePrograms')),
    }),
    (opened) => opened.close(),
  );
  const shelf: PageShelf = createPageShelf({ pages, unloaded }, code, (problem) =>
    log.error({ ...problem }, 'a page that was tried does not load'),
  );
  supervisor.onChange((changes) => shelf.change(changes));
  const server = createServer(context, { tables, code }, shelf, supervisor, furtherRoutes(supervisor, config));
  await open('http server', server, (opened) => opened.close());
  const url = await server.listen({ host: config.HOST, port: port ?? config.PORT });
  void supervisor.drained.then(async () => {
    await server.drain();
    log.debug({}, 'drained');
    process.kill(process.pid, 'SIGTERM');
  });
  supervisor.post({ kind: 'serving', url });
  return { url };
}

function createServer(
  context: ServiceContext<Config>,
  { tables, code }: { readonly tables: Tables; readonly code: PageCode },
  shelf: PageShelf,
  supervisor: Supervisor,
  further: readonly Route[],
): HttpServer {
  const { config, log, metrics } = context;
  const limit = config.RATE_LIMIT_PER_MINUTE;
  const auth = authenticatorOf(config);
  const signIn = pageSignInOf(auth, config);
  const access = accessBySupervisor({ call: supervisor.call, now: () => performance.now(), wait: (ms) => delay(ms) });
  const desk = createQueryDesk({
    running: config.QUERY_CONCURRENCY,
    waitMs: config.QUERY_WAIT_MS,
    keptMs: config.QUERY_KEPT_MS,
    shortWaitMs: 1_000,
  });
  supervisor.onWritten((table) => desk.forget(table));
  const serving = {
    tables,
    code,
    access,
    desk,
    maxTimeMs: config.QUERY_MAX_TIME_MS,
    timeLimits: config.QUERY_TIME_LIMITS,
  };
  const health = (): PageHealth => supervisor.health() ?? { ...unreported(), pages: shelf.list().length };
  supervisor.onMeasure(metrics.figures);
  observePages(metrics, { tables, call: supervisor.call, health });
  return createHttpServer({
    name: 'query-builder',
    version: '0.1.0',
    routes: [...pageRoutes(shelf, { ...serving, signIn }), ...pageHealthRoutes(health), ...further],
    codes: mergeCodes(pageCodes, builderCodes),
    auth,
    sessions: signIn.organisation && [signIn.organisation.sessions],
    ...(limit > 0 && { rateLimit: { perAddress: limit, perCaller: limit, windowMs: 60_000 } }),
    ...serverSettings(config),
    readiness: {
      store: () => tables.ping(),
      // Without a broker every page of a workspace is refused.
      broker: async () => ((await supervisor.call('accessOutage')) as string | null) ?? undefined,
    },
    metrics: metricsOfWorkers(metrics, { call: supervisor.call, worker: String(cluster.worker?.id) }),
    log,
    problemPage: problemPageOf(signIn),
    mapError,
    openapi: {
      title: 'Query builder',
      description: 'Writes, reads back and serves the queries of pages.',
      words: builderFieldWords,
    },
  });
}

/** The health of pages before the supervisor has sent it. */
const unreported = () => ({ status: 'ok' as const, loadedAt: new Date().toISOString(), reloads: 0, problems: [] });

function mapError(error: unknown) {
  if (error instanceof QueryTooSlowError)
    return problem('query_too_slow', { detail: `The database ended the query after ${error.limitMs} ms.` });
  return error instanceof StoreUnavailableError ? problem('store_unavailable', { retryAfterSeconds: 2 }) : undefined;
}
