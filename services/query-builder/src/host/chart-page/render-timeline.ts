/** A series by period: the chart's figures for the script, and the same figures as a table for every reader. */
import type { Bucket } from '@platform/page-runtime';
import type { Breakdown } from './breakdown';
import { formatGroup, formatNumber, type Look, type Timeline } from '@platform/page-runtime/chart';
import { html, jsonScript, type Markup } from './html';
import { partLabels, renderLegend, type RowsLink } from './render-breakdown';

/** The figures of a breakdown, each line on the axis of the whole. */
interface TimelineParts {
  readonly breakdown: Breakdown;
  readonly lines: readonly (readonly (number | null)[])[];
}

export interface TimelineView extends Look {
  readonly id: string;
  readonly title: string;
  readonly timeline: Timeline;
  readonly bucket: Bucket;
  readonly bars: boolean;
  readonly parts?: TimelineParts | undefined;
  /** The rows behind a point. */
  readonly rows?: RowsLink | undefined;
}

/** The data that the script draws, by position on the axis. */
export function drawnData({
  timeline,
  bucket,
  bars,
  parts,
  rows,
  ...look
}: Pick<TimelineView, 'timeline' | 'bucket' | 'bars' | 'unit' | 'decimals' | 'parts' | 'rows'>) {
  const { buckets, values, partial, before, beforeBuckets } = timeline;
  const extra = Math.max(0, (before?.length ?? 0) - buckets.length);
  const label = (x: number): string => formatGroup(x, bucket);
  const texts = (figures: readonly (number | null)[]) => figures.map((figure) => formatNumber(figure, look));
  const padding = <T>(value: T): T[] => Array.from({ length: extra }, () => value);
  const names = parts ? partLabels(parts.breakdown) : [];
  return {
    bars,
    labels: [...buckets.map(label), ...padding('')],
    values: [...values, ...padding(null)],
    texts: texts(values),
    partial: [...partial, ...padding(false)],
    ...(rows && { rows: buckets.map((x) => rows({ x })) }),
    ...(parts && {
      parts: parts.lines.map((line, at) => ({ label: names[at], values: line, texts: texts(line) })),
    }),
    ...(before && { before, beforeTexts: texts(before), beforeLabels: (beforeBuckets ?? []).map(label) }),
  };
}

export function renderTimeline(view: TimelineView): Markup {
  const { id, title, timeline, bucket, parts, rows, unit, decimals } = view;
  const { buckets, values, partial, before } = timeline;
  const look = { unit, decimals } as Look;
  const label = (x: number | undefined): string => formatGroup(x ?? null, bucket);
  const figures = values.flatMap((y) => (y === null ? [] : [y]));
  const span = `${label(buckets[0])} to ${label(buckets.at(-1))}`;
  const range =
    figures.length > 0
      ? `, from ${formatNumber(Math.min(...figures), look)} to ${formatNumber(Math.max(...figures), look)}`
      : '';
  const summary = `${title}: ${buckets.length} points, ${span}${range}.`;
  return html`<div
      class="chart${rows && ' opens'}"
      id="${id}"
      tabindex="0"
      role="group"
      aria-roledescription="chart"
      aria-label="${summary} Arrow keys read the points.${rows ? ' Enter shows the rows of a point.' : ''}"
      data-chart="${id}-data"
    ></div>
    <p class="readout" id="${id}-readout" aria-live="polite"></p>
    ${parts && renderLegend(parts.breakdown)} ${rows && html`<p class="note pointing">A point leads to its rows.</p>`}
    ${
      before &&
      html`<p class="note legend">
        <svg aria-hidden="true"><line x1="0" y1="50%" x2="100%" y2="50%" /></svg> The period before, of the same length
      </p>`
    }
    ${
      partial.includes(true) &&
      html`<p class="note">
        ${parts ? 'The table marks what' : 'Dashed or pale: what'} is only a part of a ${bucket}, because the period
        cuts it or it is not over yet.
      </p>`
    }
    <script type="application/json" id="${id}-data">
      ${jsonScript(drawnData(view))}
    </script>
    ${renderTable(view)}`;
}

function renderTable({ title, timeline, bucket, unit, decimals, parts, rows }: TimelineView): Markup {
  const { buckets, values, partial, before } = timeline;
  const look = { unit, decimals } as Look;
  const names = parts ? partLabels(parts.breakdown) : [];
  const figure = (y: number | null, href?: string): Markup => {
    const text = formatNumber(y, look);
    return y === null || href === undefined ? html`<td>${text}</td>` : html`<td><a href="${href}">${text}</a></td>`;
  };
  const partOf = (x: number, line: readonly (number | null)[], row: number, at: number): Markup => {
    const part = parts?.breakdown.parts[at];
    // A part without rows in this bucket has no link.
    const has = part !== undefined && (parts?.breakdown.cells.get(x)?.[at] ?? null) !== null;
    return figure(line[row] ?? null, has ? rows?.({ x, part: part.x }) : undefined);
  };
  const lines = buckets.map(
    (each, at) =>
      html`<tr>
        <th scope="row">${formatGroup(each, bucket)}${partial[at] && ' (part)'}</th>
        ${figure(values[at] ?? null, rows?.({ x: each }))}${parts?.lines.map((line, part) => partOf(each, line, at, part))}
        ${before && html`<td>${formatNumber(before[at] ?? null, look)}</td>`}
      </tr>`,
  );
  return html`<details>
    <summary>Show as table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of ${title}">
      <table>
        <thead>
          <tr>
            <th scope="col">Period</th>
            <th scope="col" class="number">${parts ? 'All' : 'Value'}</th>
            ${names.map((name) => html`<th scope="col" class="number"><bdi>${name}</bdi></th>`)}
            ${before && html`<th scope="col" class="number">Before</th>`}
          </tr>
        </thead>
        <tbody>
          ${lines}
        </tbody>
      </table>
    </div>
  </details>`;
}
