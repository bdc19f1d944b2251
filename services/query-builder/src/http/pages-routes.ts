/** The routes of loaded pages as HTTP routes: guard, then values, then one query; answers are private and never stored. */
import { pageRoutePath } from '@platform/base/page';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { LoadedPage, LoadedRoute } from '../host/project/load-page';
import { entityTag, names, queryRefOf, serveQuery, type ServingOptions } from '../host/serving/serve-query';
import type { PageHealth } from '../host/supervision/messages';
import { workspaceHeader } from '../host/serving/tenant';

/** The values are judged by the query itself, which knows what each of them stands for. */
const anyQuery = z.object({}).catchall(z.union([z.string(), z.array(z.string())]));
const headers = z.object({
  'if-none-match': z.string().max(2_000).optional(),
  [workspaceHeader]: z.string().min(1).max(128).optional(),
});

/** Beside those of every query the headers that a hand-written route reads; like its other values they are judged later. */
function headersOf({ rehearsal }: LoadedRoute) {
  const own = rehearsal.parameters.filter(
    (parameter) => parameter.in === 'header' && !(parameter.name in headers.shape),
  );
  return headers.extend(Object.fromEntries(own.map(({ name }) => [name, z.string().optional()])));
}

/** One route per query of a page. */
export function queryRoutes(pages: readonly LoadedPage[], options: ServingOptions): Route[] {
  return pages.flatMap((page) => page.routes.map((route) => queryRoute(page, route, options)));
}

function queryRoute(page: LoadedPage, route: LoadedRoute, options: ServingOptions): Route {
  return defineRoute({
    method: 'GET',
    path: pageRoutePath(page.compiled.pageRef, route.note.endpoint),
    policy: 'signed_in',
    summary: `Query ${queryRefOf(page, route)}`,
    query: anyQuery,
    headers: headersOf(route),
    responses: { 200: z.string(), 304: z.undefined() },
    produces: 'application/json; charset=utf-8',
    errors: [
      'forbidden',
      'workspace_closed',
      'access_unknown',
      'not_found',
      'invalid_request',
      'workspace_required',
      'query_too_slow',
      'overloaded',
      'store_unavailable',
    ],
    guard: async ({ caller }) => (caller.permissions.includes(route.permission) ? undefined : problem('forbidden')),
    handle: async ({ caller, query, params, headers: given, gone }) => {
      const served = await serveQuery(
        page,
        route,
        {
          caller,
          workspace: given[workspaceHeader],
          query,
          params: params as Readonly<Record<string, unknown>>,
          headers: given,
          gone: gone(),
        },
        options,
      );
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
    },
  });
}

const health = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  pages: z.int(),
  loadedAt: z.string(),
  reloads: z.int(),
  failure: z.string().optional(),
  problems: z.array(
    z.strictObject({
      pageRef: z.string(),
      file: z.string(),
      line: z.int(),
      message: z.string(),
      serving: z.enum(['last_good_version', 'nothing']),
    }),
  ),
});

/** What of the page project does not load, with file and line. */
export function pageHealthRoute(read: () => PageHealth): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/builder/health',
    policy: 'public',
    summary: 'Pages that are served, and pages that do not load',
    responses: { 200: health },
    errors: [],
    handle: async () => reply(200, read()),
  });
}
