/**
 * The figures of one card as a file, for callers who may open its page: queried, checked and refused like its route.
 */
import { csvFile } from '@platform/kernel';
import { problem, reply, type Caller } from '@platform/http-server';
import { chartCsv, csvName } from '../host/chart-page/chart-csv';
import type { Choices } from '../host/chart-page/choices';
import { titleOf } from '@platform/page-runtime/chart';
import { pageHeaders } from '../host/chart-page/render-page';
import { runQuery } from '../host/chart-page/run-queries';
import type { LoadedPage, LoadedRoute } from '../host/project/load-page';
import type { ServingOptions } from '../host/serving/serve-query';

export interface CsvQuestion {
  readonly page: LoadedPage;
  readonly route: LoadedRoute;
  readonly choices: Choices;
  /** The unit of the figures, as the author gives it. */
  readonly unit: string | undefined;
  /** The caller was checked for the page's permission and for access to the workspace. */
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly gone: AbortSignal;
}

/** Errors of the store are passed on to the caller. */
export async function answerCsv({ unit, ...question }: CsvQuestion, options: ServingOptions) {
  const asked = await answerOrRefusal(question, options);
  if ('code' in asked) return asked;
  const { result, answer } = asked;
  return reply(200, csvFile(chartCsv(result, unit)), {
    ...pageHeaders,
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${csvName(result, question.choices.period)}"`,
    ...(answer.truncated && { 'x-series-truncated': 'true' }),
  });
}

/**
 * Runs one query for a caller who may open its page; a query that waits for a value or has failed is a refusal. Throws
 * what the store throws.
 */
export async function answerOrRefusal(
  { page, route, choices, ...who }: Omit<CsvQuestion, 'unit'>,
  options: ServingOptions,
) {
  const explain = (error: unknown): never => {
    throw error;
  };
  const result = await runQuery(page, route, choices, { ...options, ...who, now: new Date(), explain });
  const { answer } = result;
  if (answer.kind === 'waiting')
    return problem('invalid_request', { detail: `Choose a value first: ${answer.names.map(titleOf).join(', ')}.` });
  if (answer.kind === 'failed') return problem(answer.code ?? 'invalid_request', { detail: answer.reason });
  return { result, answer };
}
