/**
 * Runs the queries of a page for a chart page. Each uses the function that serves its route, so people see the same
 * figures as programs. The period, the zone and the other values are assigned to the parameters by their meaning.
 */
import type { Caller } from '@platform/http-server';
import {
  CalendarDay,
  zoneOf,
  type Bucket,
  type Condition,
  type MeasureOp,
  type Point,
  type RouteParameter,
  type ValueSource,
} from '@platform/page-runtime';
import type { LoadedPage, LoadedRoute } from '../project/load-page';
import { pageCodes } from '../serving/codes';
import { readMore, serveQuery, type AskedOfRows, type ServingOptions } from '../serving/serve-query';
import { breakdownsOf } from './blocks';
import { readBreakdown, type Breakdown } from './breakdown';
import type { Choices } from './choices';
import {
  dayIn,
  keptOf,
  lowerBound,
  precedingPeriod,
  spanOf,
  upperBound,
  type Kept,
  type Period,
  type Span,
} from '@platform/page-runtime/chart';

type Answer =
  | {
      readonly kind: 'answered';
      readonly body: Readonly<Record<string, unknown>>;
      readonly truncated: boolean;
      readonly asOf: Date;
      /** The question about the rows; absent where an answer is drawn by itself. */
      readonly asked?: AskedOfRows;
    }
  /** The reader must still choose a value. */
  | { readonly kind: 'waiting'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: string };

export interface QueryResult {
  readonly route: LoadedRoute;
  readonly answer: Answer;
  readonly bucket?: Bucket;
  readonly measure?: MeasureOp;
  /** The time zone that separates the days of the query. */
  readonly zone: string;
  /** Whether the query's answer has groups. */
  readonly grouped: boolean;
  /** The days that the question restricts on the field by which it groups. */
  readonly span: Span;
  /** The period that is compared. */
  readonly before?: Period;
  /** The time of the page's request. */
  readonly now: Date;
  /** Today's date in the query's time zone. */
  readonly today: string;
  /** The part of the period that restricts it; `own`: none, and it has days of its own. */
  readonly narrowed: 'period' | 'from' | 'to' | 'own' | 'nothing';
  /** Whether a missing bucket between others means that it has no rows. */
  readonly whole: boolean;
  /** Which points a cut answer keeps. */
  readonly keeps: Kept;
  /** The other values in the request. */
  readonly values: ReadonlyMap<string, string>;
  /** The figures by a second field, or why there are none. */
  readonly breakdown?: Breakdown | { readonly field: string; readonly reason: string };
}

export interface RunQueriesOptions extends ServingOptions {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly now: Date;
  readonly gone: AbortSignal;
  /** The message for people about a failed query; the function also logs it. */
  readonly explain: (error: unknown, route: LoadedRoute) => string;
}

export async function runQueries(
  page: LoadedPage,
  choices: Choices,
  options: RunQueriesOptions,
): Promise<QueryResult[]> {
  return Promise.all(page.routes.map((route) => runQuery(page, route, choices, options)));
}

/** Runs one query of a page, as a request to the page would. */
export async function runQuery(
  page: LoadedPage,
  route: LoadedRoute,
  choices: Choices,
  options: RunQueriesOptions,
): Promise<QueryResult> {
  const { parameters, calculations } = route.rehearsal;
  const calculation = calculations[0]?.calculation;
  const zone = choices.zone ?? (calculation ? zoneOf(calculation) : 'UTC');
  const texts = new Map(parameters.map((parameter) => [parameter.name, textOf(parameter, choices, zone)]));
  const facts: Omit<QueryResult, 'answer'> = {
    route,
    zone,
    ...(calculation?.kind === 'series' && calculation.bucket && { bucket: calculation.bucket }),
    ...(calculation && { measure: calculation.op }),
    grouped: calculation?.kind === 'series',
    span: {},
    ...(calculations.length > 1 && { before: precedingPeriod(choices.period) }),
    now: options.now,
    today: dayIn(zone, options.now),
    narrowed: narrowingOf(parameters),
    whole:
      calculation?.kind === 'series' &&
      calculation.limit === undefined &&
      (calculation.op === 'count' || calculation.op === 'sum'),
    keeps: keptOf(calculation?.kind === 'series' ? calculation : {}),
    values: new Map(
      parameters.flatMap((parameter): [string, string][] =>
        boundOf(parameter) === undefined && texts.get(parameter.name) !== undefined
          ? [[parameter.name, texts.get(parameter.name)!]]
          : [],
      ),
    ),
  };
  const waiting = parameters.filter(({ name }) => texts.get(name) === undefined).map(({ name }) => name);
  if (waiting.length > 0) return { ...facts, answer: { kind: 'waiting', names: waiting } };
  const answer = await answerOf(page, route, texts, choices, options);
  if (answer.kind !== 'answered' || !answer.asked) return { ...facts, answer };
  const result = { ...facts, answer, ...daysOf(answer.asked, zone, facts.narrowed) };
  const field = choices.breakdowns.get(route.note.method);
  if (field === undefined || !breakdownsOf(page, route).includes(field)) return result;
  return { ...result, breakdown: await breakdownOf(route, answer.asked, field, pointsIn(answer.body), options) };
}

async function breakdownOf(
  route: LoadedRoute,
  asked: AskedOfRows,
  field: string,
  points: readonly Point[] | undefined,
  options: RunQueriesOptions,
): Promise<QueryResult['breakdown']> {
  try {
    const read = await readMore(options, options, () => readBreakdown(asked, field, points));
    return 'cells' in read ? read : { field, reason: refusals[read.code] ?? 'The query was refused.' };
  } catch (error) {
    return { field, reason: options.explain(error, route) };
  }
}

/** The points of an answer, whatever its shape. */
export function pointsIn(body: Readonly<Record<string, unknown>>): readonly Point[] | undefined {
  return ['series', 'items', 'sparkline'].map((name) => body[name]).find(isSeries);
}

export function isSeries(value: unknown): value is readonly Point[] {
  return (
    Array.isArray(value) &&
    value.every((point) => typeof point === 'object' && point !== null && 'x' in point && 'y' in point)
  );
}

async function answerOf(
  page: LoadedPage,
  route: LoadedRoute,
  texts: ReadonlyMap<string, string | undefined>,
  choices: Choices,
  options: RunQueriesOptions,
): Promise<Answer> {
  const part = (source: ValueSource) =>
    Object.fromEntries(
      route.rehearsal.parameters.filter((each) => each.in === source).map(({ name }) => [name, texts.get(name)]),
    );
  try {
    const served = await serveQuery(
      page,
      route,
      {
        caller: options.caller,
        workspace: options.workspace,
        query: part('query'),
        params: part('param'),
        headers: part('header'),
        gone: options.gone,
      },
      { ...options, ...(choices.zone !== undefined && { timezone: choices.zone }) },
    );
    if (served.kind === 'problem')
      return {
        kind: 'failed',
        code: served.code,
        reason:
          served.errors?.map(({ message }) => message).join(' ') ?? refusals[served.code] ?? 'The query was refused.',
      };
    const body =
      typeof served.result === 'object' && served.result !== null
        ? (served.result as Readonly<Record<string, unknown>>)
        : { value: served.result };
    const { truncated, asOf, asked } = served;
    return { kind: 'answered', body, truncated, asOf, asked };
  } catch (error) {
    return { kind: 'failed', reason: options.explain(error, route) };
  }
}

const wordsOf = ({ message, nextStep }: { readonly message: string; readonly nextStep: string }): string =>
  `${message} ${nextStep}`;

/**
 * The API's messages, with two general ones replaced: a reader who is not a member of a workspace must not learn more.
 */
const refusals: Readonly<Record<string, string>> = {
  overloaded: 'The service is asked more than it can answer in time. Reload the page in a moment.',
  not_found: 'You are not a member of this workspace.',
  ...Object.fromEntries(Object.entries(pageCodes).map(([code, entry]) => [code, wordsOf(entry)])),
};

/** The end of the period that a parameter sets; undefined for any other parameter. */
export function boundOf({ name, role, uses }: RouteParameter): 'lower' | 'upper' | undefined {
  if (role !== 'date') return undefined;
  if (name === 'compareFrom') return 'lower';
  if (name === 'compareTo') return 'upper';
  if (uses.length === 0) return undefined;
  if (uses.every(({ op }) => op === 'ge' || op === 'gt')) return 'lower';
  return uses.every(({ op }) => op === 'lt' || op === 'le') ? 'upper' : undefined;
}

/** What the conditions of the question say about its days: those of the query itself and those of the request alike. */
function daysOf(
  { calculations: [asked] }: AskedOfRows,
  zone: string,
  narrowed: QueryResult['narrowed'],
): Pick<QueryResult, 'span' | 'narrowed'> {
  if (!asked) return { span: {}, narrowed };
  const { calculation } = asked;
  const spanOn = (field: string): Span =>
    spanOf(
      calculation.where
        .filter((each) => each.field === field)
        .map(({ op, value }) => ({ op, text: textOfDate(value) })),
      (instant) => dayIn(zone, instant),
    );
  const spans = calculation.where.map(({ field }) => spanOn(field));
  const ended = spans.some(({ from, to }) => from !== undefined && to !== undefined);
  const restricted = spans.some(({ from, to }) => from !== undefined || to !== undefined);
  return {
    span: calculation.kind === 'series' ? spanOn(calculation.groupBy) : {},
    narrowed: narrowed === 'nothing' ? (restricted ? 'own' : 'nothing') : ended ? 'period' : narrowed,
  };
}

function textOfDate(value: Condition['value']): string | undefined {
  if (value instanceof CalendarDay) return value.day;
  return value instanceof Date ? value.toISOString() : undefined;
}

function narrowingOf(parameters: readonly RouteParameter[]): QueryResult['narrowed'] {
  const bounds = new Set(parameters.filter(({ name }) => name !== 'compareFrom' && name !== 'compareTo').map(boundOf));
  if (bounds.has('lower')) return bounds.has('upper') ? 'period' : 'from';
  return bounds.has('upper') ? 'to' : 'nothing';
}

function textOf(parameter: RouteParameter, { period, values }: Choices, zone: string): string | undefined {
  const bound = boundOf(parameter);
  if (!bound) return values.get(parameter.name) ?? parameter.options?.[0];
  const compared = parameter.name === 'compareFrom' || parameter.name === 'compareTo';
  const shown: Period = compared ? precedingPeriod(period) : period;
  const op = parameter.uses[0]?.op ?? (bound === 'lower' ? 'ge' : 'lt');
  return bound === 'lower' ? lowerBound(shown, op, zone) : upperBound(shown, op, zone);
}
