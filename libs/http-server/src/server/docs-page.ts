/**
 * `/openapi.json` and `/docs`. The page is served completely from here; it works without a network and under a policy
 * that allows no inline script. The API that it shows has its own protection, so reading the description needs no
 * token.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../openapi/build-openapi';

const contentSecurityPolicy: Readonly<Record<string, string[]>> = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'connect-src': ["'self'"],
  'font-src': ["'self'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
};

/** `describe` is called when the description is first requested, so that it does not delay the start of a service. */
export async function registerDocs(app: FastifyInstance, describe: () => OpenApiDocument): Promise<void> {
  let text: string | undefined;
  const json = (): string => (text ??= JSON.stringify(describe()));
  app.get('/openapi.json', async (_request, response) => response.type('application/json').send(json()));
  const document = { toJSON: () => JSON.parse(json()) as unknown };
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: { ...contentSecurityPolicy },
    uiConfig: { validatorUrl: null, deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
}
