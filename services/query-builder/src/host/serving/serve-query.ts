/**
 * Answers one request for one query: its values, its tenant, its one command. Every refusal that does not need the
 * database comes before it.
 */
import { createHash } from 'node:crypto';
import { problem, type Caller, type Problem } from '@platform/http-server';
import {
  type Aggregate,
  BadValueError,
  createRowAccess,
  extendedJson,
  MissingTenantError,
  valueGiven,
  valueIssues,
  withLeftOut,
  type RehearsedCalculation,
  type RequestValues,
  type Row,
  type Stage,
  type ValueSource,
} from '@platform/page-runtime';
import type { PageCode } from '../page-code/page-code';
import type { LoadedPage, LoadedRoute } from '../project/load-page';
import { GoneError, OverloadedError, type QueryDesk } from './query-desk';
import { chooseTenant } from './tenant';
import { closedToCaller, type ReadAccess } from './workspace-access';

interface QueryReads {
  aggregate(
    table: string,
    pipeline: readonly Stage[],
    options: { readonly maxTimeMs: number; readonly comment?: string; readonly signal?: AbortSignal },
  ): Promise<readonly Row[]>;
}

export interface ServingOptions {
  /** Runs the methods of routes. */
  readonly code: PageCode;
  readonly tables: QueryReads;
  /** The queue for the questions of all requests. */
  readonly desk: QueryDesk;
  /** Whether a workspace is open; checked before each query and again before its answer is sent. */
  readonly access: ReadAccess;
  /** The database ends a query after this time. */
  readonly maxTimeMs: number;
  /** Different time limits, by `<pageRef>@<name>` or, for all queries of a page, by its ref. */
  readonly timeLimits?: ReadonlyMap<string, number>;
  /** The zone of days, instead of the query's own. */
  readonly timezone?: string;
}

export interface QueryRequest extends RequestValues {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  /** Aborted when the reader of the answer has left. */
  readonly gone?: AbortSignal;
}

export interface Served {
  readonly kind: 'served';
  /** The answer of the route's method. */
  readonly result: unknown;
  readonly truncated: boolean;
  /** When the database was asked; the earliest time of several questions. */
  readonly asOf: Date;
  /** The question, for further reads of the same rows. */
  readonly asked: AskedOfRows;
}

export interface AskedOfRows {
  /** In the order of the route, with the values of the request and the tenant of the caller. */
  readonly calculations: readonly RehearsedCalculation[];
  /** Reads under the query's conditions: in its turn, within its time, until its reader leaves. */
  readonly aggregate: Aggregate;
}

/** A query's name, unique over all pages. */
export function queryRefOf({ compiled }: LoadedPage, { note }: LoadedRoute): string {
  return `${compiled.pageRef}@${note.method}`;
}

/**
 * Runs the query for a caller who has its permission, while the workspace is open; when it closes during the query, the
 * query is refused too. Throws QueryTooSlowError and what hand-written code throws.
 */
export async function serveQuery(
  page: LoadedPage,
  route: LoadedRoute,
  request: QueryRequest,
  options: ServingOptions,
): Promise<Served | Problem> {
  const closed = () => closedToCaller(request.caller, request.workspace, options.access);
  return (await closed()) ?? answeredWhile(closed, await runQuery(page, route, request, options));
}

async function answeredWhile(
  closed: () => Promise<Problem | undefined>,
  answer: Served | Problem,
): Promise<Served | Problem> {
  return answer.kind === 'served' ? ((await closed()) ?? answer) : answer;
}

async function runQuery(
  page: LoadedPage,
  route: LoadedRoute,
  request: QueryRequest,
  options: ServingOptions,
): Promise<Served | Problem> {
  const { note, rehearsal } = route;
  const issues = valueIssues(rehearsal.parameters, request);
  if (issues.length > 0)
    return problem('invalid_request', {
      errors: issues.map((issue) => ({ pointer: pointerOf(issue), message: `The value ${issue.message}.` })),
    });
  const choice = chooseTenant(request.caller, request.workspace);
  if (choice.kind === 'refused' && (rehearsal.needsTenant || request.workspace !== undefined)) return choice.problem;
  if (choice.kind !== 'tenant' && rehearsal.needsTenant) return problem('workspace_required');
  const tenantId = choice.kind === 'tenant' ? choice.tenantId : undefined;
  const asked = askDesk(page, route, tenantId ?? `caller ${request.caller.subject}`, request.gone, options);
  const calculations: RehearsedCalculation[] = [];
  const access = createRowAccess({
    tenantId,
    timezone: options.timezone,
    aggregate: asked.aggregate,
    observe: (resource, calculation) => void calculations.push({ resource, calculation }),
  });
  const texts = Object.fromEntries(
    rehearsal.parameters.map((each) => [each.name, valueGiven(each, request) as string]),
  );
  try {
    const user = {
      id: request.caller.subject,
      ...(tenantId !== undefined && { tenantId }),
      permissions: request.caller.permissions,
    };
    const result = await options.code.call(page, note.method, { texts, access, user });
    const answer = withLeftOut(result, access.leftOut());
    const { aggregate } = asked;
    const done = { result: answer, truncated: access.truncated(), asOf: asked.asOf() };
    return { kind: 'served', ...done, asked: { calculations, aggregate } };
  } catch (error) {
    const unasked = unaskedFor(error);
    if (unasked) return unasked;
    if (error instanceof MissingTenantError) return problem('workspace_required');
    if (!(error instanceof BadValueError)) throw error;
    const named = rehearsal.parameters.find(({ name }) => texts[name] === error.text);
    if (!named) throw error;
    return problem('invalid_request', {
      errors: [{ pointer: pointerOf(named), message: `The value must be ${error.expected}.` }],
    });
  }
}

/** The problem for a refusal of the desk; undefined for every other error. */
function unaskedFor(error: unknown): Problem | undefined {
  if (error instanceof OverloadedError) return problem('overloaded', { retryAfterSeconds: error.retryAfterSeconds });
  return error instanceof GoneError
    ? problem('overloaded', { detail: 'The caller left before the answer.' })
    : undefined;
}

/**
 * Reads more of the rows behind a query, for the same caller. Access is checked again before the answer is sent, as for
 * every answer. Throws what the store throws.
 */
export async function readMore<T extends object>(
  { caller, workspace }: Pick<QueryRequest, 'caller' | 'workspace'>,
  { access }: Pick<ServingOptions, 'access'>,
  read: () => Promise<T>,
): Promise<T | Problem> {
  try {
    const answer = await read();
    return (await closedToCaller(caller, workspace, access)) ?? answer;
  } catch (error) {
    const unasked = unaskedFor(error);
    if (unasked) return unasked;
    throw error;
  }
}

/** Sends the reads of one request through the desk. */
function askDesk(
  page: LoadedPage,
  route: LoadedRoute,
  party: string,
  gone: AbortSignal | undefined,
  { desk, tables, maxTimeMs: general, timeLimits }: ServingOptions,
) {
  const query = queryRefOf(page, route);
  const maxTimeMs = timeLimits?.get(query) ?? timeLimits?.get(page.compiled.pageRef) ?? general;
  let earliest = Infinity;
  const aggregate: Aggregate = async (table, pipeline) => {
    const key = JSON.stringify([table, maxTimeMs, extendedJson(pipeline)]);
    const run = (signal: AbortSignal) => tables.aggregate(table, pipeline, { maxTimeMs, comment: query, signal });
    const { rows, askedAt } = await desk.ask({ table, key, party, query, run }, gone);
    earliest = Math.min(earliest, askedAt);
    return rows;
  };
  return { aggregate, asOf: () => new Date(Number.isFinite(earliest) ? earliest : Date.now()) };
}

function pointerOf({ name, in: source }: { readonly name: string; readonly in: ValueSource }): string {
  return `/${source === 'param' ? 'path' : source}/${name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 200)}`;
}

/** Equal texts have equal tags. */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` contains the tag (RFC 9110 §13.1.2, weak comparison). */
export function names(ifNoneMatch: string | undefined, tag: string): boolean {
  return (
    ifNoneMatch !== undefined &&
    (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === tag))
  );
}
