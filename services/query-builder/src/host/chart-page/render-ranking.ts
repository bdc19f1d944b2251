/** A ranked list: names, figures, and bars to the left or right of zero by their sign. */
import type { Point } from '@platform/page-runtime';
import type { Breakdown } from './breakdown';
import { formatNumber, type Look } from '@platform/page-runtime/chart';
import { html, type Markup } from './html';
import { labelOf, sharesOf, type RowsLink } from './render-breakdown';

/** Entries that are visible at once; a click opens the others, so that the height of a card is limited. */
const seenAtOnce = 20;

export interface Bar {
  /** In per cent of the width. */
  readonly start: number;
  readonly width: number;
}

/** The ends of the axis that all bars share; zero is on it. */
function extentOf(points: readonly Point[]): readonly [low: number, high: number] {
  const figures = points.map(({ y }) => y ?? 0);
  return [Math.min(0, ...figures), Math.max(0, ...figures)];
}

/** The beginning and length of each figure's bar: all share one zero, and negative figures are to the left of it. */
export function barsOf(points: readonly Point[]): Bar[] {
  const figures = points.map(({ y }) => y ?? 0);
  const [low, high] = extentOf(points);
  const share = (y: number): number => (high === low ? 0 : Math.round((Math.abs(y) / (high - low)) * 1_000) / 10);
  return figures.map((y) => ({ start: y < 0 ? share(low - y) : share(low), width: share(y) }));
}

export interface RankingView extends Look {
  /** The rows behind an entry. */
  readonly rows?: RowsLink | undefined;
  /** The parts of entries, where figures add up. */
  readonly breakdown?: Breakdown | undefined;
}

export function renderRanking(points: readonly Point[], { rows, breakdown, ...look }: RankingView = {}): Markup {
  const bars = barsOf(points);
  const [low, high] = extentOf(points);
  const row = (point: Point, at: number): Markup => {
    const name = html`<bdi>${labelOf(point)}</bdi>`;
    const { start, width } = bars[at]!;
    const parts = breakdown && sharesOf(breakdown.cells.get(point.x), high - low);
    return html`<li>
      <span class="name">${rows ? html`<a href="${rows({ x: point.x })}">${name}</a>` : name}</span
      ><span class="figure">${formatNumber(point.y, look)}</span
      ><svg aria-hidden="true">
        ${
          parts
            ? segments(parts, start)
            : html`<rect ${(point.y ?? 0) < 0 && html` class="below"`} x="${start}%" width="${width}%" height="100%" />`
        }
      </svg>
    </li>`;
  };
  const entries = points.map(row);
  const rest = entries.slice(seenAtOnce);
  return html`<ol class="ranking">
      ${entries.slice(0, seenAtOnce)}
    </ol>
    ${
      rest.length > 0 &&
      html`<details>
        <summary>${rest.length} more</summary>
        <ol class="ranking" start="${seenAtOnce + 1}">
          ${rest}
        </ol>
      </details>`
    }`;
}

function segments(shares: readonly number[], zero: number): Markup[] {
  let end = zero;
  return shares.map((width, at) => {
    const x = end;
    end += width;
    return html`<rect class="part part-${at + 1}" x="${x.toFixed(1)}%" width="${width}%" height="100%" />`;
  });
}
