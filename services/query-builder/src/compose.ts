/** The composition root of the query builder: the only file that sees everything. Opened in order, closed in reverse. */
import { queryTemplates } from '@platform/builder';
import { createAuthenticator, createHttpServer, type Route } from '@platform/http-server';
import type { ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { builtInTemplates } from './domain/templates';

type Context = ServiceContext<Config>;

export async function compose(context: Context): Promise<{ readonly url: string }> {
  const { open } = context;
  const registered = builtInTemplates.map((template) => queryTemplates.register(template));
  await open('query templates', registered, (removals) => removals.forEach((remove) => remove()));
  const server = await open('http server', createServer(context, []), (opened) => opened.close());
  return { url: await server.listen({ host: context.config.HOST, port: context.config.PORT }) };
}

function createServer({ config, log, metrics }: Context, routes: readonly Route[]) {
  const limit = config.RATE_LIMIT_PER_MINUTE;
  return createHttpServer({
    name: 'query-builder',
    version: '0.1.0',
    routes,
    auth: createAuthenticator({
      keys: config.JWKS_URL ? { kind: 'jwks', url: config.JWKS_URL } : { kind: 'secret', secrets: [config.JWT_SECRET!] },
      issuer: config.JWT_ISSUER,
      audience: config.JWT_AUDIENCE,
    }),
    ...(limit > 0 && { rateLimit: { perAddress: limit, perCaller: limit, windowMs: 60_000 } }),
    readiness: {},
    metrics,
    log,
    openapi: { title: 'Query builder', description: 'Writes, reads back and serves the queries of pages.' },
  });
}
