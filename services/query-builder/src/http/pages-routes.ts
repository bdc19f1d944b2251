/**
 * Every address below `/dms/pages`: the page or query is looked up on each request, so pages can be added and removed
 * without registering a route. A query needs token, permission and values, and has one answer that is private and never
 * stored.
 */
import { pageRoutePrefix } from '@platform/base/page';
import { defineRoute, problem, reply, type Caller, type Problem, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { Found, PageShelf } from '../host/serving/page-shelf';
import { entityTag, names, serveQuery, type ServingOptions } from '../host/serving/serve-query';
import { workspaceHeader } from '../host/serving/tenant';
import { answerChartPage, chartRoutes, signedInToPages, type ChartPageOptions } from './pages-charts';

/** The query itself checks the values, because it knows the meaning of each. */
const anyQuery = z.object({}).catchall(z.union([z.string(), z.array(z.string())]));
/** Every header, for hand-written routes that read some; headers that the platform reads are checked here. */
const headers = z
  .object({
    authorization: z.string().optional(),
    cookie: z.string().optional(),
    'if-none-match': z.string().max(2_000).optional(),
    [workspaceHeader]: z.string().min(1).max(128).optional(),
  })
  .catchall(z.unknown());
const parameterCharacters = 200;

/** The routes of a shelf's pages: pages, their list, signing in and out, and the files of chart pages. */
export function pageRoutes(shelf: PageShelf, options: ChartPageOptions): Route[] {
  return [addressRoute(shelf, options), ...chartRoutes(shelf, options)];
}

function addressRoute(shelf: PageShelf, options: ChartPageOptions): Route {
  return defineRoute({
    method: 'GET',
    path: `${pageRoutePrefix}/*`,
    policy: 'public',
    summary: 'A page for people, or a query of a page for those who hold its permission',
    description:
      'Which addresses there are, what each takes and what it answers, is said by GetPageStructure. A query needs a bearer token, a page the token or its cookie.',
    tags: ['Pages'],
    params: z.strictObject({ '*': z.string() }),
    query: anyQuery,
    headers,
    responses: { 200: z.string(), 304: z.undefined() },
    produces: 'application/json; charset=utf-8',
    errors: [
      'unauthenticated',
      'identity_unavailable',
      'rate_limited',
      'forbidden',
      'workspace_closed',
      'access_unknown',
      'not_found',
      'invalid_request',
      'workspace_required',
      'query_too_slow',
      'page_not_loaded',
      'store_unavailable',
    ],
    handle: async ({ path, query, headers: given, gone, log, signIn }) => {
      const found = await shelf.find(path);
      if (!found) return problem('not_found');
      if (found.kind === 'unloaded') {
        if (!found.exact) await signIn();
        const refusal = found.exact ? await signedInToPages(given, options.signIn) : undefined;
        return refusal ?? problem('page_not_loaded');
      }
      if (found.kind === 'page')
        return answerChartPage(found.page, { query, headers: given, log, gone: gone() }, options);
      const caller = await signIn();
      if (!caller.permissions.includes(found.route.permission)) return problem('forbidden');
      return answerQuery(found, caller, { query, headers: given, gone: gone() }, options);
    },
  });
}

type FoundRoute = Extract<Found, { kind: 'route' }>;

interface QueryInput {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: z.output<typeof headers>;
  readonly gone: AbortSignal;
}

async function answerQuery(
  { page, route, params }: FoundRoute,
  caller: Caller,
  { query, headers: given, gone }: QueryInput,
  options: ServingOptions,
) {
  const long = Object.keys(params).filter((name) => params[name]!.length > parameterCharacters);
  if (long.length > 0) return tooLong(long);
  const workspace = given[workspaceHeader];
  const served = await serveQuery(page, route, { caller, workspace, query, params, headers: given, gone }, options);
  if (served.kind === 'problem') return served;
  const text = JSON.stringify(served.result);
  const tag = entityTag(text);
  const sent = {
    'cache-control': 'private, no-store',
    etag: tag,
    'x-as-of': served.asOf.toISOString(),
    age: String(Math.floor(Math.max(0, Date.now() - served.asOf.getTime()) / 1_000)),
    ...(served.truncated && { 'x-series-truncated': 'true' }),
  };
  return names(given['if-none-match'], tag) ? reply(304, undefined, sent) : reply(200, text, sent);
}

function tooLong(parameters: readonly string[]): Problem {
  const message = `The value must have at most ${parameterCharacters} characters.`;
  return problem('invalid_request', { errors: parameters.map((name) => ({ pointer: `/path/${name}`, message })) });
}
