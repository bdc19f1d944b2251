/**
 * One query on a chart page: a card with its headline, a chart with its table, a ranked list, or the reason why there
 * is none.
 */
import { buckets, type Block, type Bucket, type Point } from '@platform/page-runtime';
import type { Breakdown } from './breakdown';
import { isSeries, type QueryResult } from './run-queries';
import {
  cutWords,
  formatDelta,
  formatNumber,
  leftOutWords,
  timelineOf,
  titleOf,
  type Kept,
  type Look,
  type Timeline,
} from '@platform/page-runtime/chart';
import { html, type Markup } from './html';
import {
  partsOfFigure,
  renderChoices,
  renderLegend,
  renderPartsTable,
  type BreakdownChoice,
  type RowsLink,
} from './render-breakdown';
import { renderRanking } from './render-ranking';
import { renderSparkline } from './render-sparkline';
import { renderTimeline } from './render-timeline';

/** The kinds of display; without an order of the author's, figures come first, then charts, then lists. */
export const blockKinds = ['figure', 'chart', 'list'] as const;
export type BlockKind = (typeof blockKinds)[number];

/** Without an answer, the query alone determines the kind, so that a card keeps its place and size. */
export function kindOfBlock({ answer, bucket, grouped }: QueryResult): BlockKind {
  const body = answer.kind === 'answered' ? answer.body : undefined;
  if (body && !isSeries(body['items']) && !isSeries(body['series'])) return 'figure';
  if (isSeries(body?.['items'])) return 'list';
  return grouped ? (bucket === undefined ? 'list' : 'chart') : 'figure';
}

export interface BlockView {
  readonly block: Block | undefined;
  /** Unique on the page and a valid id of an element. */
  readonly id: string;
  /** The address of the same figures as a file. */
  readonly csv: string;
  readonly breakdowns: readonly BreakdownChoice[];
  /** The address of the rows behind its figures; undefined where the author shows none. */
  readonly rows?: RowsLink | undefined;
}

export function renderBlock(result: QueryResult, view: BlockView): Markup {
  const { block, id, csv, breakdowns, rows } = view;
  const title = block?.title ?? titleOf(result.route.note.method);
  const figure = result.answer.kind === 'answered' && 'value' in result.answer.body;
  return html`<section
    class="card card-${kindOfBlock(result)}${block?.wide === true && ' wide'}"
    id="${id}-card"
    aria-labelledby="${id}-title"
  >
    <h2 id="${id}-title"><bdi>${title}</bdi></h2>
    ${renderAnswer(result, view, title)} ${renderChoices(breakdowns, title)}
    ${
      result.answer.kind === 'answered' &&
      html`<p class="note actions">
        ${rows && figure && html`<a href="${rows({})}">Show the rows<span class="unseen"> of ${title}</span></a>`}
        <a href="${csv}" download>Download CSV<span class="unseen"> of ${title}</span></a>
      </p>`
    }
  </section>`;
}

function renderAnswer(result: QueryResult, view: BlockView, title: string): Markup {
  const { answer, route } = result;
  if (answer.kind === 'failed')
    return html`<p class="state error" role="alert"><strong>No answer.</strong> ${answer.reason}</p>`;
  if (answer.kind === 'waiting')
    return html`<p class="state">Choose a value above to see this: ${answer.names.map(titleOf).join(', ')}.</p>`;
  const { body, truncated } = answer;
  const parts = [
    ...renderFigures(result, body, view, title),
    truncated && renderTruncation(body, result.keeps),
    renderLeftOut(body['leftOut']),
    renderAge(answer.asOf, result.now),
    html`<p class="note">${notesOf(result)}</p>`,
  ];
  return parts.some((part) => part !== false && part !== undefined)
    ? html`${parts}`
    : html`<p class="state">The query <code>${route.note.method}</code> gives an answer that cannot be drawn.</p>`;
}

type Body = Readonly<Record<string, unknown>>;

/** The headline, and the points as a chart or a list, with parts where a reader chose them. */
function renderFigures(result: QueryResult, body: Body, { block, id, rows }: BlockView, title: string) {
  const { bucket } = result;
  const { breakdown, refused } = breakdownIn(result);
  const series = isSeries(body['series']) ? body['series'] : undefined;
  const ranked = isSeries(body['items']) ? body['items'] : series && bucket === undefined ? series : undefined;
  const sparkline = isSeries(body['sparkline']) ? body['sparkline'] : undefined;
  const look = lookOf(block);
  const adds = result.measure === 'count' || result.measure === 'sum';
  const inParts = breakdown && ranked && adds;
  const figureParts = breakdown && !series && !ranked && partsOfFigure(breakdown);
  return [
    'value' in body && renderHeadline(body, block ?? {}),
    refused,
    sparkline &&
      renderSparkline(bucket === undefined ? sparkline.map(({ y }) => y) : drawnOn(result, sparkline, bucket).values),
    figureParts &&
      html`${renderRanking(figureParts.points, { ...look, rows: rows && partRows(rows) })}${figureParts.note}`,
    ranked && (ranked.length === 0 ? empty() : renderRanking(ranked, { ...look, rows, ...(inParts && { breakdown }) })),
    ranked &&
      breakdown &&
      html`${inParts && renderLegend(breakdown)}${renderPartsTable(title, ranked, breakdown, look, rows)}`,
    series &&
      bucket !== undefined &&
      (series.length === 0
        ? empty()
        : renderTimeline({
            ...look,
            id,
            title,
            ...timelineIn(result, series, bucket, breakdown),
            bucket,
            bars: drawsBars(block, bucket),
            rows,
          })),
  ];
}

const lookOf = ({ unit, decimals }: Partial<Block> = {}): Look => ({
  ...(unit !== undefined && { unit }),
  ...(decimals !== undefined && { decimals }),
});

function breakdownIn({ breakdown }: QueryResult): { breakdown?: Breakdown; refused?: Markup } {
  if (!breakdown || 'cells' in breakdown) return { ...(breakdown && { breakdown }) };
  const words = html`<strong>Not broken down by ${titleOf(breakdown.field)}.</strong> ${breakdown.reason}`;
  return { refused: html`<p class="state error" role="alert">${words}</p>` };
}

/** The parts of one figure are points themselves, so the rows of an entry are those of its part. */
const partRows =
  (rows: RowsLink): RowsLink =>
  ({ x }) =>
    rows({ ...(x !== undefined && { part: x }) });

/**
 * The lines of the parts use the axis of the whole; the preceding period is left out, because it would be one line too
 * many.
 */
function timelineIn(result: QueryResult, series: readonly Point[], bucket: Bucket, breakdown: Breakdown | undefined) {
  const timeline = drawnOn(result, series, bucket);
  if (!breakdown) return { timeline };
  const { before: _before, beforeBuckets: _buckets, ...alone } = timeline;
  return { timeline: alone, parts: { breakdown, lines: linesOf(result, series, bucket, breakdown) } };
}

/** One list of figures for each part, by position on the axis. */
export function linesOf(
  result: QueryResult,
  series: readonly Point[],
  bucket: Bucket,
  { parts, more, cells }: Breakdown,
): (number | null)[][] {
  const missing = result.whole ? 0 : null;
  return Array.from({ length: parts.length + (more ? 1 : 0) }, (_unused, at) => {
    const line = series.map(({ x }): Point => ({ x, y: cells.get(x)?.[at] ?? missing }));
    return [...drawnOn(result, line, bucket).values];
  });
}

export function drawnOn(result: QueryResult, series: readonly Point[], bucket: Bucket): Timeline {
  const { answer, keeps, whole, span, before, today } = result;
  const body = answer.kind === 'answered' ? answer.body : {};
  return timelineOf({
    series,
    comparison: isSeries(body['comparisonSeries']) ? body['comparisonSeries'] : undefined,
    bucket,
    span,
    before,
    missing: whole ? 0 : null,
    cut: answer.kind === 'answered' && answer.truncated ? keeps : undefined,
    today,
  });
}

const narrowings = {
  period: undefined,
  from: 'without a last day',
  to: 'without a first day',
  own: 'the period above does not apply',
  nothing: 'of all time: the period above does not apply',
} as const;

/** What the figures are about, with the most frequent questions answered first. */
function notesOf({ bucket, measure, zone, narrowed, values }: QueryResult): Markup[] {
  const chosen = [...values].map(([name, value]) => html`${titleOf(name)}: <bdi>${value}</bdi>`);
  const grouped = bucket === undefined ? [] : [html`${titleOf(measure ?? 'count')} by ${bucket}, time zone ${zone}`];
  const span = narrowings[narrowed];
  const notes = [...chosen, ...grouped, ...(span === undefined ? [] : [html`<span class="scope">${span}</span>`])];
  return notes.map((note, at) => html`${at > 0 && ' · '}${note}`);
}

function drawsBars(block: Block | undefined, bucket: Bucket): boolean {
  if (block?.kind.includes('bar')) return true;
  return !block?.kind.includes('line') && buckets.indexOf(bucket) >= buckets.indexOf('quarter');
}

/** The author decides the colour of a change: more refunds, for example, are bad. */
function renderHeadline(body: Readonly<Record<string, unknown>>, { better, ...block }: Partial<Block>): Markup {
  const look = lookOf(block);
  const figure = (name: string): number | null => (typeof body[name] === 'number' ? body[name] : null);
  const delta = figure('delta');
  const direction = delta === null || delta === 0 ? 'flat' : delta > 0 ? 'up' : 'down';
  const mark = { flat: '→', up: '▲', down: '▼' }[direction];
  const judged = direction === 'flat' || better === undefined ? 'flat' : direction === better ? 'good' : 'bad';
  const compared =
    'previousValue' in body &&
    html`<p class="delta ${judged}">
      ${delta === null ? 'No comparison' : html`<span aria-hidden="true">${mark}</span> ${formatDelta(delta)}`}
      <span class="note">before: ${formatNumber(figure('previousValue'), look)}</span>
    </p>`;
  return html`<p class="headline">${formatNumber(figure('value'), look)}</p>
    ${compared}`;
}

/** How much a cut series leaves out. The headline beside it covers all rows. */
function renderTruncation(body: Readonly<Record<string, unknown>>, kept: Kept): Markup {
  return html`<p class="note">
    ${cutWords(body['truncated'], kept)}${'value' in body ? '; the figure above is of all of them' : ''}.
  </p>`;
}

function renderLeftOut(leftOut: unknown): Markup | false {
  const words = leftOutWords(leftOut);
  return words !== undefined && html`<p class="note warning">${words}.</p>`;
}

/** The age of an answer that was calculated before this page was requested. */
function renderAge(asOf: Date, now: Date): Markup | false {
  const seconds = Math.floor((now.getTime() - asOf.getTime()) / 1_000);
  return seconds > 0 && html`<p class="note warning">As of ${seconds} s ago, when the same was asked before.</p>`;
}

function empty(): Markup {
  return html`<p class="state">No rows in this period.</p>`;
}
