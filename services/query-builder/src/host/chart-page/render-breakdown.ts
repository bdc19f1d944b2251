/** A card with a breakdown: the fields to choose from, the parts of a figure, and the parts of each entry of a list. */
import type { Point } from '@platform/page-runtime';
import type { Breakdown } from './breakdown';
import { formatGroup, formatNumber, type Look, titleOf } from '@platform/page-runtime/chart';
import { html, type Markup } from './html';

export interface BreakdownChoice {
  readonly title: string;
  readonly href: string;
  readonly chosen: boolean;
}

/** Addresses of the rows behind a point, and behind a part of it. */
export type RowsLink = (point: { readonly x?: Point['x']; readonly part?: Point['x'] }) => string;

const restLabel = 'All others';

export const labelOf = ({ x, label }: Point): string => label ?? formatGroup(x, undefined);

/** The names of the lines, in their order. */
export const partLabels = ({ parts, more }: Breakdown): string[] => [
  ...parts.map(labelOf),
  ...(more ? [restLabel] : []),
];

export function renderChoices(choices: readonly BreakdownChoice[], title: string): Markup | false {
  return (
    choices.length > 0 &&
    html`<nav class="chips" aria-label="Break down ${title}">
      <span class="note">By</span>
      ${choices.map(
        ({ title: name, href, chosen }) =>
          html`<a href="${href}" ${chosen && html` aria-current="true"`}
            >${name}${chosen && html` <span aria-hidden="true">×</span><span class="unseen"> (chosen; leads back to the whole)</span>`}</a
          >`,
      )}
    </nav>`
  );
}

/**
 * A swatch and a name for each line, so that colour is never the only cue; the table and the readout use the same
 * names.
 */
export function renderLegend(breakdown: Breakdown): Markup {
  return html`<ul class="legend parts">
    ${partLabels(breakdown).map((label, at) => html`<li>${swatch(at)} <bdi>${label}</bdi></li>`)}
  </ul>`;
}

const swatch = (at: number): Markup =>
  html`<svg aria-hidden="true"><rect class="part part-${at + 1}" width="100%" height="100%" /></svg>`;

/** The parts of one figure, the largest first. */
export function partsOfFigure({ parts, more, field }: Breakdown): { points: readonly Point[]; note: Markup | false } {
  return {
    points: parts,
    note: more && html`<p class="note">The ${parts.length} largest by ${titleOf(field)}; there are more.</p>`,
  };
}

/** The length of each part of an entry's bar, in per cent of the axis; undefined where parts do not add up to the entry. */
export function sharesOf(cells: readonly (number | null)[] | undefined, axis: number): number[] | undefined {
  const figures = (cells ?? []).map((y) => y ?? 0);
  if (axis <= 0 || figures.some((y) => y < 0)) return undefined;
  return figures.map((y) => Math.round((y / axis) * 1_000) / 10);
}

/** The parts of each entry in words. */
export function renderPartsTable(
  title: string,
  points: readonly Point[],
  breakdown: Breakdown,
  look: Look,
  rows: RowsLink | undefined,
): Markup {
  const labels = partLabels(breakdown);
  const cell = (point: Point, at: number): Markup => {
    const y = breakdown.cells.get(point.x)?.[at] ?? null;
    const part = breakdown.parts[at];
    const text = formatNumber(y, look);
    return y === null || !part || !rows
      ? html`<td>${text}</td>`
      : html`<td><a href="${rows({ x: point.x, part: part.x })}">${text}</a></td>`;
  };
  return html`<details>
    <summary>Show as table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of ${title}">
      <table>
        <thead>
          <tr>
            <th scope="col">Group</th>
            ${labels.map((label) => html`<th scope="col" class="number"><bdi>${label}</bdi></th>`)}
          </tr>
        </thead>
        <tbody>
          ${points.map(
            (point) =>
              html`<tr>
                <th scope="row"><bdi>${labelOf(point)}</bdi></th>
                ${labels.map((_label, at) => cell(point, at))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
