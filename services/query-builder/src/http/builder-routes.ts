/**
 * The builder operations over HTTP, each under its name in the specification. The operation itself checks its input,
 * because it knows the meaning of each part; an answer contains `{ok, data}`, and a refusal contains the operation's
 * error and its code.
 */
import type { BuilderError, BuilderResult } from '@platform/builder';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import { z } from 'zod';
import {
  documented,
  examples,
  pageList,
  pageStructure,
  previewedQuery,
  queryInput,
  queryPatch,
  queryPreview,
  removedQuery,
  resourceList,
  templateDescriptor,
  writtenQuery,
} from './builder-schemas';

/** Calls the process that writes the project; arguments and answers are plain data. */
export type CallBuilder = (operation: string, ...args: readonly unknown[]) => Promise<unknown>;

/** Like `CallBuilder`, until no client waits for the answer any more; then the database query ends. */
export type CallUntil = (gone: AbortSignal, operation: string, ...args: readonly unknown[]) => Promise<unknown>;

const pageRef = z.string().min(1).max(200);
const query = z.string().min(1).max(300);
const expectedVersion = z.string().max(200).optional();
export const answered = <Data extends z.ZodType>(data: Data) => ({ 200: z.object({ ok: z.literal(true), data }) });
const refusals = [
  'invalid_config',
  'duplicate_name',
  'opaque_target',
  'not_found',
  'conflict',
  'unsupported',
  'source_error',
];
export const shared = { policy: 'platform_owner', tags: ['Builder'], errors: refusals } as const;

export function builderRoutes(call: CallBuilder, callUntil: CallUntil): Route[] {
  const run = runnerOf(call);
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/AddQuery',
      summary: 'Write a query: a model method and a page route',
      body: z.strictObject({ pageRef, input: documented(queryInput), expectedVersion }),
      responses: answered(writtenQuery),
      examples: { body: { 'revenue by month': examples.added } },
      handle: ({ body }) =>
        run<z.input<typeof writtenQuery>>(
          '/input',
          'addQuery',
          body.pageRef,
          body.input,
          versioned(body.expectedVersion),
        ),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/ConfigureQuery',
      summary: 'Change a query; what the patch does not name stays',
      body: z.strictObject({ query, patch: documented(queryPatch), expectedVersion }),
      responses: answered(writtenQuery),
      examples: { body: { 'back to the plain series': examples.configured } },
      handle: ({ body }) =>
        run<z.input<typeof writtenQuery>>(
          '/patch',
          'configureQuery',
          body.query,
          body.patch,
          versioned(body.expectedVersion),
        ),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/builder/RemoveQuery',
      summary: 'Remove a query, opaque or not',
      body: z.strictObject({ query, expectedVersion }),
      responses: answered(removedQuery),
      examples: { body: { 'one query': examples.removed } },
      handle: ({ body }) =>
        run<z.input<typeof removedQuery>>('', 'removeQuery', body.query, versioned(body.expectedVersion)),
    }),
    previewRoute(callUntil),
    ...readRoutes(call, run),
  ];
}

/** Runs an operation; `part` is the prefix of its issues' pointers. */
type Run = <Data>(
  part: string,
  operation: string,
  ...args: readonly unknown[]
) => Promise<Problem | ReturnType<typeof reply<200, { ok: true; data: Data }>>>;

export function runnerOf(call: CallBuilder): Run {
  return async <Data>(part: string, operation: string, ...args: readonly unknown[]) =>
    outcome((await call(operation, ...args)) as BuilderResult<Data>, part);
}

function previewRoute(callUntil: CallUntil): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/builder/PreviewQuery',
    summary: 'Run a query, written or not, without writing anything',
    body: z.strictObject({
      query: documented(previewedQuery),
      args: z.record(z.string().max(100), z.string().max(10_000)).optional(),
      tenant: z.string().min(1).max(128).optional(),
    }),
    responses: answered(queryPreview),
    errors: [...refusals, 'query_too_slow', 'store_unavailable'],
    examples: { body: { 'a draft': examples.previewed } },
    handle: ({ body, gone }) =>
      runnerOf((operation, ...args) => callUntil(gone(), operation, ...args))<z.input<typeof queryPreview>>(
        '',
        'previewQuery',
        body,
      ),
  });
}

function readRoutes(call: CallBuilder, run: Run): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/GetPageStructure',
      summary: 'The queries of a page as its source says them now',
      query: z.strictObject({ pageRef }),
      responses: answered(pageStructure),
      handle: ({ query: given }) => run<z.input<typeof pageStructure>>('', 'getPageStructure', given.pageRef),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/ListQueryTemplates',
      summary: 'The templates that queries are made from, at this moment',
      query: z.strictObject({ resourceType: z.literal('database-table').optional() }),
      responses: answered(z.array(templateDescriptor)),
      errors: [],
      handle: async ({ query: { resourceType } }) => {
        const data = (await call('listQueryTemplates', resourceType)) as z.input<typeof templateDescriptor>[];
        return reply(200, { ok: true as const, data });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/ListResources',
      summary: 'The resources of the project with their fields and data types',
      responses: answered(resourceList),
      handle: () => run<z.input<typeof resourceList>>('', 'listResources'),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/builder/ListPages',
      summary: 'The pages of the project',
      responses: answered(pageList),
      handle: () => run<z.input<typeof pageList>>('', 'listPages'),
    }),
  ];
}

function versioned(version: string | undefined) {
  return version === undefined ? {} : { expectedVersion: version };
}

function outcome<Data>(result: BuilderResult<Data>, part: string) {
  return result.ok ? reply(200, { ok: true as const, data: result.data }) : refusal(result.error, part);
}

function refusal(error: BuilderError, part: string): Problem {
  const errors =
    error.code === 'invalid_config'
      ? error.issues.map(({ pointer, message }) => ({ pointer: `${part}${pointer}`, message }))
      : error.code === 'duplicate_name'
        ? [{ pointer: `${part}${error.pointer}`, message: error.detail }]
        : undefined;
  const detail =
    'detail' in error
      ? error.detail
      : error.code === 'source_error'
        ? `${error.file}:${error.line}: ${error.message}`
        : error.code === 'not_found'
          ? `The project has no ${error.ref}.`
          : undefined;
  return problem(error.code, {
    ...(detail !== undefined && { detail }),
    ...(errors && { errors }),
    extras: { ok: false, error },
  });
}
