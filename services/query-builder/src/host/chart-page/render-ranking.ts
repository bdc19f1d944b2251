/** A ranked list: names, figures, and bars on the side of zero that their sign says. */
import type { Point } from '@platform/page-runtime';
import { formatGroup, formatNumber } from './format';
import { html, type Markup } from './html';

/** Entries that are seen at once; the others are behind one click, so that a card has an end. */
const seenAtOnce = 20;

export interface Bar {
  /** Per cent of the width. */
  readonly start: number;
  readonly width: number;
}

/** Where the bar of each figure begins and how long it is: zero has one place for all, negative figures lie left of it. */
export function barsOf(points: readonly Point[]): Bar[] {
  const figures = points.map(({ y }) => y ?? 0);
  const [low, high] = [Math.min(0, ...figures), Math.max(0, ...figures)];
  const share = (y: number): number => (high === low ? 0 : Math.round((Math.abs(y) / (high - low)) * 1_000) / 10);
  return figures.map((y) => ({ start: y < 0 ? share(low - y) : share(low), width: share(y) }));
}

export function renderRanking(points: readonly Point[], unit?: string): Markup {
  const bars = barsOf(points);
  const row = ({ x, y, label }: Point, at: number): Markup =>
    html`<li>
      <span class="name"><bdi>${label ?? formatGroup(x, undefined)}</bdi></span
      ><span class="figure">${formatNumber(y, unit)}</span
      ><svg aria-hidden="true">
        <rect
          ${(y ?? 0) < 0 && html` class="below"`}
          x="${bars[at]!.start}%"
          width="${bars[at]!.width}%"
          height="100%"
        />
      </svg>
    </li>`;
  const rows = points.map(row);
  const rest = rows.slice(seenAtOnce);
  return html`<ol class="ranking">
      ${rows.slice(0, seenAtOnce)}
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
