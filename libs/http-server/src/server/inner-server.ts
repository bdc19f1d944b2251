/** The server of the inner port: only the operational addresses, no callers, no request budget, few connections. */
import type { FastifyInstance } from 'fastify';
import type { CodeTable } from '../codes';
import { guardEveryRequest } from './every-request';
import { answerUnknownAddresses, createFramework } from './framework';
import type { HttpLimits } from './limits';
import type { Operational } from './operational-routes';
import type { HttpServerOptions } from './options';

const connections = 128;

/** Nothing listens yet. Its requests are neither counted nor logged, because machines send one every few seconds. */
export async function createInnerServer(
  options: HttpServerOptions,
  codes: CodeTable,
  limits: HttpLimits,
  operational: Operational,
): Promise<FastifyInstance> {
  const app = createFramework({ ...options, proxies: 0 }, codes, { ...limits, connections });
  guardEveryRequest(app, {}, () => undefined);
  answerUnknownAddresses(app, operational.addresses, codes);
  await operational.register(app);
  await app.ready();
  return app;
}
