/** A line without axes beside a figure. */
import { html, type Markup } from './html';

/** The points of each line; a gap ends one line and begins another. */
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
  // A point between two gaps is a separate line, which round line ends draw as a dot.
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
