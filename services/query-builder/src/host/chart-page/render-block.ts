/** One query on a chart page: a card with its headline, a chart with its table, a ranked list, or what stands in their way. */
import { buckets, type Block, type Bucket, type Point, type Shown } from '@platform/page-runtime';
import type { QueryResult } from './run-queries';
import { formatDelta, formatGroup, formatNumber, nextBucket, titleOf } from './format';
import { html, jsonScript, type Markup } from './html';

/** Chart points at most; a gap of centuries must not become a million empty days. */
const maxDrawn = 2_000;

/** What a query looks like; pages show figures first, then charts, then lists. */
export type BlockKind = 'figure' | 'chart' | 'list';

export function kindOfBlock({ answer, bucket }: QueryResult): BlockKind {
  if (answer.kind !== 'answered') return 'figure';
  if (isSeries(answer.body['items']) || (isSeries(answer.body['series']) && bucket === undefined)) return 'list';
  return isSeries(answer.body['series']) ? 'chart' : 'figure';
}

/** `id` is unique on the page and a valid id of an element. */
export function renderBlock(result: QueryResult, block: Block | undefined, id: string): Markup {
  const title = block?.title ?? titleOf(result.route.note.method);
  return html`<section class="card" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${renderAnswer(result, block, id, title)}
  </section>`;
}

function renderAnswer(result: QueryResult, block: Block | undefined, id: string, title: string): Markup {
  const { answer, bucket, route, whole } = result;
  if (answer.kind === 'failed')
    return html`<p class="state error" role="alert"><strong>No answer.</strong> ${answer.reason}</p>`;
  if (answer.kind === 'waiting')
    return html`<p class="state">Choose ${answer.names.map(titleOf).join(', ')} above to see this.</p>`;
  const { body, truncated } = answer;
  const series = isSeries(body['series']) ? body['series'] : undefined;
  const items = isSeries(body['items']) ? body['items'] : undefined;
  const ranked = items ?? (series && bucket === undefined ? series : undefined);
  const parts = [
    'value' in body && renderHeadline(body),
    isSeries(body['sparkline']) && renderSparkline(body['sparkline']),
    ranked && renderRanking(ranked, bucket),
    series &&
      bucket !== undefined &&
      renderChart({
        id,
        title,
        series,
        comparison: isSeries(body['comparisonSeries']) ? body['comparisonSeries'] : undefined,
        bucket,
        bars: drawsBars(block, bucket),
        missing: whole && !truncated ? 0 : null,
      }),
    truncated && renderTruncation(body, bucket),
    html`<p class="note">${notesOf(result).join(' · ')}</p>`,
  ];
  return parts.some((part) => part !== false && part !== undefined)
    ? html`${parts}`
    : html`<p class="state">The query <code>${route.note.method}</code> answers something that has no picture.</p>`;
}

const narrowings = {
  period: undefined,
  from: 'without a last day',
  to: 'without a first day',
  nothing: 'of all time',
} as const;

/** What the figures are about, in the order of what people ask first. */
function notesOf({ bucket, measure, zone, narrowed, values }: QueryResult): string[] {
  const chosen = [...values].map(([name, value]) => `${titleOf(name)}: ${value}`);
  const grouped = bucket === undefined ? [] : [`${titleOf(measure ?? 'count')} by ${bucket}, time zone ${zone}`];
  const span = narrowings[narrowed];
  return [...chosen, ...grouped, ...(span === undefined ? [] : [span])];
}

function drawsBars(block: Block | undefined, bucket: Bucket): boolean {
  if (block?.kind.includes('bar')) return true;
  return !block?.kind.includes('line') && buckets.indexOf(bucket) >= buckets.indexOf('quarter');
}

function isSeries(value: unknown): value is readonly Point[] {
  return (
    Array.isArray(value) &&
    value.every((point) => typeof point === 'object' && point !== null && 'x' in point && 'y' in point)
  );
}

function renderHeadline(body: Readonly<Record<string, unknown>>): Markup {
  const figure = (name: string): number | null => (typeof body[name] === 'number' ? body[name] : null);
  const delta = figure('delta');
  const direction = delta === null || delta === 0 ? 'flat' : delta > 0 ? 'up' : 'down';
  const mark = { flat: '→', up: '▲', down: '▼' }[direction];
  const compared =
    'previousValue' in body &&
    html`<p class="delta ${direction}">
      ${delta === null ? 'No comparison' : html`<span aria-hidden="true">${mark}</span> ${formatDelta(delta)}`}
      <span class="note">before: ${formatNumber(figure('previousValue'))}</span>
    </p>`;
  return html`<p class="headline">${formatNumber(figure('value'))}</p>
    ${compared}`;
}

/** What a cut series leaves out. The headline beside it is over all of it. */
function renderTruncation(body: Readonly<Record<string, unknown>>, bucket: Bucket | undefined): Markup {
  const cut = body['truncated'] as Partial<Shown> | undefined;
  if (typeof cut?.shown !== 'number' || typeof cut.total !== 'number')
    return html`<p class="note">Not all points are shown.</p>`;
  const kept = bucket === undefined ? 'first' : 'newest';
  return html`<p class="note">
    The ${kept} ${formatNumber(cut.shown)} of ${formatNumber(cut.total)} points are
    shown${'value' in body ? '; the figure above is of all of them' : ''}.
  </p>`;
}

function renderSparkline(points: readonly Point[]): Markup {
  const drawn = points.filter((point): point is Point & { y: number } => point.y !== null);
  if (drawn.length < 2) return html``;
  const [low, high] = [Math.min(...drawn.map(({ y }) => y)), Math.max(...drawn.map(({ y }) => y))];
  const height = (y: number): string => (38 - ((y - low) / (high - low || 1)) * 36).toFixed(1);
  const line = drawn.map(({ y }, at) => `${((at / (drawn.length - 1)) * 200).toFixed(1)},${height(y)}`).join(' ');
  return html`<svg class="sparkline" viewBox="0 0 200 40" preserveAspectRatio="none" aria-hidden="true">
    <polyline points="${line}" />
  </svg>`;
}

function renderRanking(points: readonly Point[], bucket: Bucket | undefined): Markup {
  if (points.length === 0) return empty();
  const most = Math.max(...points.map(({ y }) => Math.abs(y ?? 0)));
  const share = (y: number | null): string => (most === 0 ? '0' : ((Math.abs(y ?? 0) / most) * 100).toFixed(1));
  const rows = points.map(
    ({ x, y }) =>
      html`<li>
        <span class="name">${formatGroup(x, bucket)}</span><span class="figure">${formatNumber(y)}</span
        ><svg aria-hidden="true"><rect width="${share(y)}%" height="100%" /></svg>
      </li>`,
  );
  return html`<ol class="ranking">
    ${rows}
  </ol>`;
}

interface ChartParts {
  readonly id: string;
  readonly title: string;
  readonly series: readonly Point[];
  readonly comparison: readonly Point[] | undefined;
  readonly bucket: Bucket;
  readonly bars: boolean;
  /** The value of a bucket that is missing between others. */
  readonly missing: 0 | null;
}

function renderChart({ id, title, series, comparison, bucket, bars, missing }: ChartParts): Markup {
  if (series.length === 0) return empty();
  const label = (x: Point['x']): string => formatGroup(x, bucket);
  const drawn = fillGaps(series, bucket, missing);
  const data = {
    bars,
    labels: drawn.map(({ x }) => label(x)),
    values: drawn.map(({ y }) => y),
    ...(comparison && { before: fillGaps(comparison, bucket, missing).map(({ y }) => y) }),
  };
  const figures = series.flatMap(({ y }) => (y === null ? [] : [y]));
  const span = `${label(drawn[0]!.x)} to ${label(drawn.at(-1)!.x)}`;
  const summary = `${title}: ${series.length} points, ${span}${figures.length > 0 ? `, from ${formatNumber(Math.min(...figures))} to ${formatNumber(Math.max(...figures))}` : ''}.`;
  const rows = series.map(
    ({ x, y }) =>
      html`<tr>
        <th scope="row">${label(x)}</th>
        <td>${formatNumber(y)}</td>
      </tr>`,
  );
  return html`<div
      class="chart"
      id="${id}"
      tabindex="0"
      role="group"
      aria-roledescription="chart"
      aria-label="${summary} Arrow keys read the points."
      data-chart="${id}-data"
    ></div>
    <p class="readout" id="${id}-readout" aria-live="polite"></p>
    ${
      comparison &&
      html`<p class="note legend">
        <svg aria-hidden="true"><line x1="0" y1="50%" x2="100%" y2="50%" /></svg> The period before, of the same length
      </p>`
    }
    <script type="application/json" id="${id}-data">
      ${jsonScript(data)}
    </script>
    <details>
      <summary>Show as table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of ${title}">
        <table>
          <thead>
            <tr>
              <th scope="col">Period</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
    </details>`;
}

function fillGaps(points: readonly Point[], bucket: Bucket, missing: 0 | null): readonly Point[] {
  const ordered = [...points].sort((a, b) => Number(a.x) - Number(b.x));
  const known = new Map(ordered.map(({ x, y }) => [Number(x), y]));
  const [first, last] = [Number(ordered[0]?.x), Number(ordered.at(-1)?.x)];
  const filled: Point[] = [];
  for (let x = first; x <= last && filled.length <= maxDrawn; x = nextBucket(x, bucket))
    filled.push({ x, y: known.has(x) ? known.get(x)! : missing });
  return filled.length > maxDrawn || filled.length < ordered.length ? ordered : filled;
}

function empty(): Markup {
  return html`<p class="state">No rows in this period.</p>`;
}
