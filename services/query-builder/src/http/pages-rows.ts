/**
 * The rows behind a figure, for callers who may open its page, where its author shows them. They are checked like the
 * query itself.
 */
import { csvFile } from '@platform/kernel';
import { problem, reply, type Caller, type Problem } from '@platform/http-server';
import type { Bucket, Point, PointBehind } from '@platform/page-runtime';
import { blockOf, breakdownsOf, rowFieldsOf } from '../host/chart-page/blocks';
import {
  groupText,
  maxSkipped,
  readRows,
  readRowsQuestion,
  rowsPerFile,
  rowsPerView,
  type RowsQuestion,
  type RowsRead,
} from '../host/chart-page/behind-rows';
import { searchOf, type Choices } from '../host/chart-page/choices';
import { formatGroup, titleOf } from '@platform/page-runtime/chart';
import { pageHeaders, renderRowsPage } from '../host/chart-page/render-page';
import { renderRows, rowsCsv } from '../host/chart-page/render-rows';
import { pointsIn } from '../host/chart-page/run-queries';
import { answerOrRefusal } from './pages-csv';
import type { LoadedPage, LoadedRoute } from '../host/project/load-page';
import { readMore, type ServingOptions } from '../host/serving/serve-query';

export interface RowsRequest {
  readonly page: LoadedPage;
  readonly route: LoadedRoute;
  readonly choices: Choices;
  readonly query: Readonly<Record<string, unknown>>;
  /** The caller was checked for the page's permission and for access to the workspace. */
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly gone: AbortSignal;
}

/** Throws what the store throws. */
export async function answerRows(request: RowsRequest, options: ServingOptions) {
  const { page, route, choices, query, caller, workspace } = request;
  const fields = rowFieldsOf(page, route);
  if (fields.length === 0) return problem('not_found', { detail: 'The page shows no rows behind this figure.' });
  const chosen = choices.breakdowns.get(route.note.method);
  const field = chosen !== undefined && breakdownsOf(page, route).includes(chosen) ? chosen : undefined;
  const question = readRowsQuestion(query, field);
  if (!question) return problem('invalid_request', { detail: 'The address names no point whose rows could be shown.' });
  const asked = await answerOrRefusal({ ...request, choices: { ...choices, breakdowns: new Map() } }, options);
  if ('code' in asked) return asked;
  const asFile = query['as'] === 'csv';
  const read = await readMore({ caller, workspace }, options, () =>
    readRows(asked.answer.asked!, fields, question, asFile ? rowsPerFile : rowsPerView),
  );
  if ('code' in read) return read;
  if (!asFile) return rowsPage(request, question, asked, read);
  return reply(200, csvFile(rowsCsv(read)), {
    ...pageHeaders,
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${route.note.method}-rows${cutOf(read)}.csv"`,
  });
}

/** A file keeps its name: it says there that it does not hold all rows. */
function cutOf({ rows, total }: RowsRead): string {
  return rows.length === rowsPerFile && rows.length < total ? `-first-${rows.length}-of-${total}` : '';
}

type Asked = Exclude<Awaited<ReturnType<typeof answerOrRefusal>>, Problem>;

function rowsPage(
  { page, route, choices, caller, workspace }: RowsRequest,
  { point, skip }: RowsQuestion,
  { result, answer }: Asked,
  read: RowsRead,
) {
  const block = blockOf(page, route);
  const title = block?.title ?? titleOf(route.note.method);
  const here = rowsAddress(choices, workspace, route, { x: point.x, part: point.part?.value });
  const shown = (at: number) => `${here}&skip=${at}`;
  const hasMore = skip + read.rows.length < read.total;
  const content = renderRows({
    read,
    of: [title, ...pointWords(point, result.bucket, pointsIn(answer.body))],
    figure: figureOf(answer.body, point),
    zone: result.zone,
    measured: { field: answer.asked!.calculations[0]?.calculation.field, look: block ?? {} },
    skip,
    links: {
      back: searchOf(choices, workspace),
      csv: `${here}&as=csv`,
      newer: skip > 0 ? shown(Math.max(0, skip - rowsPerView)) : undefined,
      older: hasMore && skip + rowsPerView <= maxSkipped ? shown(skip + rowsPerView) : undefined,
    },
  });
  const kept = searchOf({ ...choices, values: new Map(), breakdowns: new Map() }, workspace);
  return reply(200, renderRowsPage({ title: `${page.definition.title}: rows`, email: caller.email, kept, content }), {
    ...pageHeaders,
    'content-type': 'text/html; charset=utf-8',
  });
}

/** The figure of a whole point, or of all points; the figure of a part is not read again. */
function figureOf(body: Readonly<Record<string, unknown>>, { x, part }: PointBehind): number | null | undefined {
  if (part) return undefined;
  if (x !== undefined) return pointsIn(body)?.find((point) => point.x === x)?.y;
  return typeof body['value'] === 'number' || body['value'] === null ? body['value'] : undefined;
}

/** The address of a point's rows. */
export function rowsAddress(
  choices: Choices,
  workspace: string | undefined,
  { note }: LoadedRoute,
  { x, part }: { readonly x?: Point['x'] | undefined; readonly part?: Point['x'] | undefined },
): string {
  return searchOf(choices, workspace, {
    rows: note.method,
    ...(x !== undefined && { at: groupText(x) }),
    ...(part !== undefined && { part: groupText(part) }),
  });
}

/** A point as it is called where it leads to its rows. */
function pointWords({ x, part }: PointBehind, bucket: Bucket | undefined, points: readonly Point[] = []): string[] {
  const label = points.find((point) => point.x === x)?.label;
  return [
    ...(x === undefined ? [] : [label ?? formatGroup(x, bucket)]),
    ...(part ? [`${titleOf(part.field)}: ${formatGroup(part.value, undefined)}`] : []),
  ];
}
