/** The addresses that every service has for machines: is it alive, is it ready, what does it measure. */
import type { FastifyInstance } from 'fastify';
import type { Method } from '../route';
import { createReadiness } from './health';
import type { HttpLimits } from './limits';
import type { HttpMetrics, HttpServerOptions } from './options';

/** What is registered besides the service's own routes, for the answer to a wrong method. */
export function operationalAddresses(options: HttpServerOptions): { method: Method; path: string }[] {
  const paths = ['/healthz', '/readyz'];
  if (options.metrics) paths.push('/metrics');
  if (options.openapi) paths.push('/openapi.json', '/docs', '/docs/*');
  return paths.map((path) => ({ method: 'GET', path }));
}

/** `/readyz` answers 503 when a check fails and as soon as the server is closing. */
export function registerOperationalRoutes(app: FastifyInstance, options: HttpServerOptions, limits: HttpLimits): void {
  const { name, version, readiness, metrics, log } = options;
  const readinessReport = createReadiness(readiness, limits.readinessTimeoutMs, log);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.get('/healthz', async () => ({ status: 'alive', service: name, version }));
  app.get('/readyz', async (_request, response) => {
    const report = await readinessReport();
    const ready = report.status === 'ready' && !closing;
    return response.code(ready ? 200 : 503).send({ ...report, status: closing ? 'closing' : report.status });
  });
  if (metrics) {
    const scrape = createScrape(metrics, limits.metricsFreshMs);
    app.get('/metrics', async (_request, response) => response.type(metrics.contentType).send(await scrape()));
  }
}

/** Some figures ask the store: scrapes that arrive together, or soon after another, share one reading. */
function createScrape(metrics: HttpMetrics, freshMs: number): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => {
    reading ??= metrics.text().finally(() => {
      setTimeout(() => (reading = undefined), freshMs).unref();
    });
    return reading;
  };
}
