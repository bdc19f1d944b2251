/**
 * `/openapi.json` and `/docs`. The page is served completely from here; it works without a network and under a policy
 * that allows no inline script. The API that it shows has its own protection, so reading the description needs no
 * token.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { OpenApiDocument } from '../openapi/build-openapi';
import { problem, Refusal } from '../problem';

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

/** The headers of a request by which a file is answered in part, or not again. */
const fileHeaders = ['accept', 'if-modified-since', 'if-none-match', 'if-range', 'range'] as const;
/** Headers that belong to the connection, which is another one here. */
const ownHeaders = new Set(['connection', 'date', 'transfer-encoding']);

/**
 * Both are built on the first request for them: the page alone costs a tenth of a service's start, and few processes
 * ever serve it.
 */
export function registerDocs(app: FastifyInstance, describe: () => OpenApiDocument): void {
  let text: string | undefined;
  const json = (): string => (text ??= JSON.stringify(describe()));
  app.get('/openapi.json', async (_request, response) => response.type('application/json').send(json()));
  let opened: Promise<FastifyInstance> | undefined;
  const answer = async (request: FastifyRequest, response: FastifyReply) =>
    answerFrom(await (opened ??= openPage(json)), request, response);
  app.get('/docs', answer);
  app.get('/docs/*', answer);
  app.addHook('onClose', async () => (await opened)?.close());
}

/** A server without a port, which holds the page and its files. */
async function openPage(json: () => string): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger');
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const page = fastify({ logger: false });
  const document = { toJSON: () => JSON.parse(json()) as unknown };
  await page.register(swagger, { mode: 'static', specification: { document: document as never } });
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: { ...contentSecurityPolicy },
    uiConfig: { validatorUrl: null, deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
  await page.ready();
  return page;
}

async function answerFrom(
  page: FastifyInstance,
  { url, headers }: FastifyRequest,
  response: FastifyReply,
): Promise<FastifyReply> {
  const forwarded = fileHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const answer = await page.inject({ method: 'GET', url, headers: Object.fromEntries(forwarded) });
  if (answer.statusCode === 404) throw new Refusal(problem('not_found'));
  response.code(answer.statusCode);
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !ownHeaders.has(name)) void response.header(name, value);
  // A document gets its entity tag as a text.
  const isDocument = String(answer.headers['content-type']).startsWith('application/json');
  return response.send(isDocument ? answer.payload : answer.rawPayload);
}
