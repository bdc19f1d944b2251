/**
 * The addresses for machines that every service has: liveness, readiness, metrics, and the API's description. In
 * production a service with an inner port answers them only there, so that outside clients can neither read nor
 * overload them.
 */
import type { FastifyInstance } from 'fastify';
import type { CodeTable } from '../codes';
import { buildOpenApi } from '../openapi/build-openapi';
import type { Method } from '../route';
import { registerDocs } from './docs-page';
import { createReadiness } from './health';
import type { HttpLimits } from './limits';
import type { HttpMetrics, HttpServerOptions } from './options';

export interface Operational {
  /** The registered addresses besides the service's own routes, for the answer to a wrong method. */
  readonly addresses: readonly { readonly method: Method; readonly path: string }[];
  register(app: FastifyInstance): Promise<void>;
  /** From now on `/readyz` says that the service is ending. */
  close(): void;
}

/** Shared results of checks and metrics, for all ports that answer them. */
export function createOperational(options: HttpServerOptions, codes: CodeTable, limits: HttpLimits): Operational {
  const { name, version, routes, readiness, metrics, log, openapi, rateLimit } = options;
  const readinessReport = createReadiness(readiness, limits.readinessTimeoutMs, log);
  const scrape = metrics && createScrape(metrics, limits.metricsFreshMs);
  let closing = false;
  const paths = ['/healthz', '/readyz'];
  if (metrics) paths.push('/metrics');
  if (openapi) paths.push('/openapi.json', '/docs', '/docs/*');
  return {
    addresses: paths.map((path) => ({ method: 'GET', path })),
    register: async (app) => {
      app.get('/healthz', async () => ({ status: 'alive', service: name, version }));
      app.get('/readyz', async (_request, response) => {
        const report = await readinessReport();
        const ready = report.status === 'ready' && !closing;
        return response.code(ready ? 200 : 503).send({ ...report, status: closing ? 'closing' : report.status });
      });
      if (metrics && scrape)
        app.get('/metrics', async (_request, response) => response.type(metrics.contentType).send(await scrape()));
      if (!openapi) return;
      const facts = { ...openapi, name, version };
      registerDocs(app, () =>
        buildOpenApi({ facts, routes, codes, limited: rateLimit !== undefined, apiVersion: options.apiVersion }),
      );
    },
    close: () => {
      closing = true;
    },
  };
}

/** Some metrics read the store, so scrapes that arrive together, or soon after another, share one reading. */
function createScrape(metrics: HttpMetrics, freshMs: number): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => {
    reading ??= metrics.text().finally(() => {
      setTimeout(() => (reading = undefined), freshMs).unref();
    });
    return reading;
  };
}
