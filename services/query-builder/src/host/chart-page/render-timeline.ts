/** A series by period: the chart's figures for the script, and the same figures as a table for every reader. */
import type { Bucket } from '@platform/page-runtime';
import { formatGroup, formatNumber } from './format';
import { html, jsonScript, type Markup } from './html';
import type { Timeline } from './timeline';

export interface TimelineView {
  readonly id: string;
  readonly title: string;
  readonly timeline: Timeline;
  readonly bucket: Bucket;
  readonly bars: boolean;
  readonly unit?: string;
}

/** What the script draws, by position on the axis. */
export function drawnData({
  timeline,
  bucket,
  bars,
  unit,
}: Pick<TimelineView, 'timeline' | 'bucket' | 'bars' | 'unit'>) {
  const { buckets, values, partial, before, beforeBuckets } = timeline;
  const extra = Math.max(0, (before?.length ?? 0) - buckets.length);
  const label = (x: number): string => formatGroup(x, bucket);
  const texts = (figures: readonly (number | null)[]) => figures.map((figure) => formatNumber(figure, unit));
  return {
    bars,
    labels: [...buckets.map(label), ...Array.from({ length: extra }, () => '')],
    values: [...values, ...Array.from({ length: extra }, () => null)],
    texts: texts(values),
    partial: [...partial, ...Array.from({ length: extra }, () => false)],
    ...(before && { before, beforeTexts: texts(before), beforeLabels: (beforeBuckets ?? []).map(label) }),
  };
}

export function renderTimeline(view: TimelineView): Markup {
  const { id, title, timeline, bucket, unit } = view;
  const { buckets, values, partial, before } = timeline;
  const label = (x: number | undefined): string => formatGroup(x ?? null, bucket);
  const figures = values.flatMap((y) => (y === null ? [] : [y]));
  const span = `${label(buckets[0])} to ${label(buckets.at(-1))}`;
  const range =
    figures.length > 0
      ? `, from ${formatNumber(Math.min(...figures), unit)} to ${formatNumber(Math.max(...figures), unit)}`
      : '';
  const summary = `${title}: ${buckets.length} points, ${span}${range}.`;
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
      before &&
      html`<p class="note legend">
        <svg aria-hidden="true"><line x1="0" y1="50%" x2="100%" y2="50%" /></svg> The period before, of the same length
      </p>`
    }
    ${
      partial.includes(true) &&
      html`<p class="note">Dashed or pale: only a part of the ${bucket} lies in the period, or it is not over yet.</p>`
    }
    <script type="application/json" id="${id}-data">
      ${jsonScript(drawnData(view))}
    </script>
    ${renderTable(view)}`;
}

function renderTable({ title, timeline, bucket, unit }: TimelineView): Markup {
  const { buckets, values, partial, before } = timeline;
  const rows = buckets.map(
    (each, at) =>
      html`<tr>
        <th scope="row">${formatGroup(each, bucket)}${partial[at] && ' (part)'}</th>
        <td>${formatNumber(values[at] ?? null, unit)}</td>
        ${before && html`<td>${formatNumber(before[at] ?? null, unit)}</td>`}
      </tr>`,
  );
  return html`<details>
    <summary>Show as table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of ${title}">
      <table>
        <thead>
          <tr>
            <th scope="col">Period</th>
            <th scope="col">Value</th>
            ${before && html`<th scope="col">Before</th>`}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
}

/** Points per line; a gap ends one line and begins another. One figure alone draws nothing. */
export function sparklinesOf(values: readonly (number | null)[]): string[] {
  const drawn = values.filter((y) => y !== null);
  if (drawn.length < 2) return [];
  const [low, high] = [Math.min(...drawn), Math.max(...drawn)];
  const place = (y: number, at: number): string =>
    `${((at / (values.length - 1)) * 200).toFixed(1)},${(38 - ((y - low) / (high - low || 1)) * 36).toFixed(1)}`;
  const lines: string[][] = [[]];
  values.forEach((y, at) => {
    if (y === null) lines.push([]);
    else lines.at(-1)!.push(place(y, at));
  });
  // A point between two gaps is a line to itself, which round ends make a dot.
  return lines
    .filter((line) => line.length > 0)
    .map((line) => (line.length === 1 ? [...line, ...line] : line).join(' '));
}

export function renderSparkline(values: readonly (number | null)[]): Markup {
  const lines = sparklinesOf(values);
  if (lines.length === 0) return html``;
  return html`<svg class="sparkline" viewBox="0 0 200 40" preserveAspectRatio="none" aria-hidden="true">
    ${lines.map((points) => html`<polyline points="${points}" />`)}
  </svg>`;
}
