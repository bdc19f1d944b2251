/**
 * Chart pages for people: one per page, a list of the pages that a person may open, signing in and out, and their
 * files.
 */
import { pageRoutePrefix } from '@platform/base/page';
import {
  type Caller,
  defineRoute,
  notYetValidText,
  problem,
  type Problem,
  type ProblemDocument,
  type ProblemPage,
  reply,
  type Route,
} from '@platform/http-server';
import type { Log } from '@platform/kernel';
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { z } from 'zod';
import { blockOf, breakdownsOf, calculationOf, positionOf, rowFieldsOf } from '../host/chart-page/blocks';
import { boundOf, runQueries, type QueryResult } from '../host/chart-page/run-queries';
import { indexFor } from '../domain/advise-indexes';
import { assets } from '../host/chart-page/assets';
import { breakdownPrefix, readChoices, searchOf, type Choices } from '../host/chart-page/choices';
import { titleOf } from '@platform/page-runtime/chart';
import { kindOfBlock, renderBlock } from '../host/chart-page/render-block';
import type { RowsLink } from '../host/chart-page/render-breakdown';
import { renderControls } from '../host/chart-page/render-controls';
import { pageHeaders, renderChartPage, renderPageList, renderRefusal } from '../host/chart-page/render-page';
import { returnPath, tokenOf } from '../host/chart-page/session';
import { answerCsv } from './pages-csv';
import { answerRows, rowsAddress } from './pages-rows';
import { pageSignInRoutes, type PageSignIn } from './pages-sign-in';
import type { LoadedPage, LoadedRoute } from '../host/project/load-page';
import type { PageShelf } from '../host/serving/page-shelf';
import { queryRefOf, type ServingOptions } from '../host/serving/serve-query';
import { closedToCaller } from '../host/serving/workspace-access';

export interface ChartPageOptions extends ServingOptions {
  readonly signIn: PageSignIn;
}

const signedInHeaders = z.object({ authorization: z.string().optional(), cookie: z.string().optional() });
const htmlType = 'text/html; charset=utf-8';
const errors = ['unauthenticated', 'forbidden', 'identity_unavailable', 'store_unavailable'];

/** The routes besides the pages themselves. */
export function chartRoutes(shelf: PageShelf, options: ChartPageOptions): Route[] {
  return [pageListRoute(shelf, options), ...pageSignInRoutes(options.signIn), ...assetRoutes()];
}

interface PageInput {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: SignInHeaders;
  readonly log: Log;
  readonly gone: AbortSignal;
}

/**
 * A page for people, drawn for the signed-in person: a route with another guard than its page is left out without that
 * guard's permission.
 */
export async function answerChartPage(
  whole: LoadedPage,
  { query, headers, log, gone }: PageInput,
  options: ChartPageOptions,
) {
  const caller = await callerOf(headers, options.signIn);
  if (caller.kind === 'problem') return caller;
  const { permissions } = caller.caller;
  if (!permissions.includes(whole.definition.permission))
    return problem('forbidden', { detail: 'You may not open this page.' });
  const page = { ...whole, routes: whole.routes.filter(({ permission }) => permissions.includes(permission)) };
  const missing = (method: unknown) =>
    problem(whole.routes.some(({ note }) => note.method === method) ? 'forbidden' : 'not_found');
  const choices = readChoices(query, new Date());
  const closed = await closedToCaller(caller.caller, workspaceOf(caller.caller, choices), options.access);
  if (closed) return closed;
  if (typeof query['csv'] === 'string') {
    const workspace = workspaceOf(caller.caller, choices);
    const route = page.routes.find(({ note }) => note.method === query['csv']);
    if (!route) return missing(query['csv']);
    const unit = blockOf(page, route)?.unit;
    return answerCsv({ page, route, unit, choices, caller: caller.caller, workspace, gone }, options);
  }
  if (typeof query['rows'] === 'string') {
    const workspace = workspaceOf(caller.caller, choices);
    const route = page.routes.find(({ note }) => note.method === query['rows']);
    if (!route) return missing(query['rows']);
    return answerRows({ page, route, choices, query, caller: caller.caller, workspace, gone }, options);
  }
  const drawn = await drawPage(page, caller.caller, query, options, { log, gone });
  return reply(200, drawn, { ...pageHeaders, 'content-type': htmlType });
}

/** Undefined when a person is signed in, by token or cookie. */
export async function signedInToPages(headers: SignInHeaders, signIn: PageSignIn): Promise<Problem | undefined> {
  const caller = await callerOf(headers, signIn);
  return caller.kind === 'problem' ? caller : undefined;
}

/** The workspace for which a page is drawn: the chosen one, or the first of several. */
function workspaceOf({ workspaces }: Caller, choices: Pick<Choices, 'workspace'>): string | undefined {
  const own = Object.keys(workspaces);
  return choices.workspace ?? (own.length > 1 ? own[0] : undefined);
}

async function drawPage(
  page: LoadedPage,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
  options: ChartPageOptions,
  { log, gone }: { readonly log: Log; readonly gone: AbortSignal },
): Promise<string> {
  const now = new Date();
  const choices = readChoices(query, now);
  const workspaces = Object.keys(caller.workspaces);
  const workspace = workspaceOf(caller, choices);
  const results = await runQueries(page, choices, {
    ...options,
    caller,
    workspace,
    now,
    gone,
    explain: (error, route) => explain(error, page, route, log),
  });
  const position = ({ route }: QueryResult): number => positionOf(page, route) ?? Infinity;
  const ordered = [...results].sort((a, b) => (position(a) < position(b) ? -1 : position(a) > position(b) ? 1 : 0));
  return renderChartPage({
    title: page.definition.title,
    email: caller.email,
    kept: searchOf({ ...choices, values: new Map(), breakdowns: new Map() }, workspace),
    controls: renderControls({ page, choices, workspaces, workspace }),
    notice: choices.notice,
    blocks: ordered.map((each, index) => ({
      kind: kindOfBlock(each),
      placed: positionOf(page, each.route) !== undefined,
      markup: renderBlock(each, viewOf(page, each, `q${index}`, choices, workspace)),
    })),
  });
}

/** What is shown around a query's figures: its breakdowns, the address of its rows, and the address of the file. */
function viewOf(page: LoadedPage, { route }: QueryResult, id: string, choices: Choices, workspace: string | undefined) {
  const { method } = route.note;
  const chosen = choices.breakdowns.get(method);
  return {
    id,
    block: blockOf(page, route),
    csv: searchOf(choices, workspace, { csv: method }),
    breakdowns: breakdownsOf(page, route).map((field) => ({
      title: calculationOf(route)?.resource.fields[field]?.title ?? titleOf(field),
      href: `${searchOf(choices, workspace, { [`${breakdownPrefix}${method}`]: field === chosen ? undefined : field })}#${id}-card`,
      chosen: field === chosen,
    })),
    rows:
      rowFieldsOf(page, route).length === 0
        ? undefined
        : (point: Parameters<RowsLink>[0]) => rowsAddress(choices, workspace, route, point),
  };
}

function explain(error: unknown, page: LoadedPage, route: LoadedRoute, log: Log): string {
  if (error instanceof QueryTooSlowError)
    return `The database did not answer within ${error.limitMs / 1_000} s. ${adviceFor(route)}`;
  if (error instanceof StoreUnavailableError) return 'The database cannot be asked now.';
  log.error({ error, query: queryRefOf(page, route) }, 'a query of a chart page broke');
  return 'Something broke in this query.';
}

/** What may make a query faster: less to read, where its readers can choose that, and an index, where one helps. */
function adviceFor({ rehearsal: { parameters, calculations } }: LoadedRoute): string {
  const shorter = parameters.some((parameter) => boundOf(parameter) !== undefined);
  const fields = calculations[0] && indexFor(calculations[0]);
  return [
    ...(shorter ? ['A shorter period may help.'] : []),
    ...(fields ? [`An index on ${fields.join(', ')} serves it where one exists.`] : []),
  ].join(' ');
}

/** The choices that the list of pages passes on from one page to the next. */
const keptChoices = Object.fromEntries(
  ['from', 'to', 'zone', 'workspace'].map((name) => [name, z.string().max(200).optional()]),
);

type SignedIn = { readonly kind: 'caller'; readonly caller: Caller } | Problem;

type SignInHeaders = z.output<typeof signedInHeaders>;

async function callerOf(headers: SignInHeaders, { auth, cookie }: PageSignIn): Promise<SignedIn> {
  const challenge = { headers: { 'www-authenticate': 'Bearer realm="query-builder"' } };
  const token = tokenOf(headers, cookie.name);
  if (token === undefined) return problem('unauthenticated', { detail: 'Sign in to see this page.', ...challenge });
  const verdict = await auth.verify(token);
  if (verdict.verdict === 'valid') return { kind: 'caller', caller: verdict.caller };
  if (verdict.verdict === 'undecided') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  return problem('unauthenticated', { detail: refusals[verdict.verdict], ...challenge });
}

const refusals = {
  expired: 'The session has expired. Sign in again.',
  not_yet_valid: notYetValidText,
  invalid: 'The token is not valid.',
} as const;

function pageListRoute(shelf: PageShelf, { signIn }: ChartPageOptions): Route {
  return defineRoute({
    method: 'GET',
    path: pageRoutePrefix,
    policy: 'public',
    summary: 'Pages that the caller may open',
    undocumented: true,
    query: z.strictObject({ q: z.string().max(200).optional(), ...keptChoices }),
    headers: signedInHeaders,
    responses: { 200: z.string() },
    produces: htmlType,
    errors,
    handle: async ({ headers, query: { q, ...chosen } }) => {
      const caller = await callerOf(headers, signIn);
      if (caller.kind === 'problem') return caller;
      const { email, permissions } = caller.caller;
      return reply(
        200,
        renderPageList(
          shelf.list().filter(({ permission }) => permissions.includes(permission)),
          email,
          q,
          chosen,
        ),
        pageHeaders,
      );
    },
  });
}

function assetRoutes(): Route[] {
  return assets.map(({ path, type, text }) =>
    defineRoute({
      method: 'GET',
      path,
      policy: 'public',
      summary: 'A file of the chart pages',
      undocumented: true,
      responses: { 200: z.string() },
      produces: type,
      errors: [],
      handle: async () => reply(200, text, { 'cache-control': 'public, max-age=31536000, immutable' }),
    }),
  );
}

/** Refusals below `/dms/pages` as pages for browsers. */
export const problemPageOf =
  ({ organisation }: Pick<PageSignIn, 'organisation'>) =>
  (document: ProblemDocument, path: string): ProblemPage | undefined => {
    if (!path.startsWith(pageRoutePrefix)) return undefined;
    const { title, detail, status } = document;
    const returnTo = returnPath(typeof document['returnTo'] === 'string' ? document['returnTo'] : path);
    const parts = { title, detail, status, returnTo, byOrganisation: organisation !== undefined };
    return { html: renderRefusal(parts), headers: pageHeaders };
  };
