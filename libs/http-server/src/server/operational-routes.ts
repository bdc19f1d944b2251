/** The addresses that every service has for machines: is it alive, is it ready, what does it measure. */
import type { FastifyInstance } from 'fastify';
import type { Method } from '../route';
import { createReadiness } from './health';
import type { HttpLimits } from './limits';
import type { HttpServerOptions } from './options';

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
    app.get('/metrics', async (_request, response) => response.type(metrics.contentType).send(await metrics.text()));
  }
}
