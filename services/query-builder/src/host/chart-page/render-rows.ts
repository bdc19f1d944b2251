/** The rows behind a figure as a table for people and as comma-separated values. */
import { csvLine } from '@platform/kernel';
import { dataTypes, toFiniteNumber } from '@platform/page-runtime';
import { rowsPerFile, type RowsRead } from './behind-rows';
import { formatNumber, type Look, titleOf } from '@platform/page-runtime/chart';
import { html, type Markup } from './html';

type Column = RowsRead['columns'][number];

export interface RowsView {
  readonly read: RowsRead;
  /** The figure that the rows belong to: `Revenue by month`, `Mar 2026`, `Status: paid`. */
  readonly of: readonly string[];
  /** The figure itself, when the rows are those of the whole figure. */
  readonly figure: number | null | undefined;
  readonly zone: string;
  /** How the measured field is displayed. */
  readonly measured: { readonly field: string | undefined; readonly look: Look };
  readonly skip: number;
  readonly links: {
    readonly back: string;
    readonly csv: string;
    readonly newer: string | undefined;
    readonly older: string | undefined;
  };
}

const columnTitle = ({ name, definition }: Column): string => definition.title ?? titleOf(name);
const isNumber = ({ definition }: Column): boolean => dataTypes[definition.type] === 'number';

export function renderRows({ read, of, figure, zone, measured, skip, links }: RowsView): Markup {
  const { columns, rows, total } = read;
  const cell = (column: Column, value: unknown): Markup => {
    const text = cellText(column, value, zone, column.name === measured.field ? measured.look : {});
    return isNumber(column)
      ? html`<td class="number">${text}</td>`
      : html`<td class="text${value instanceof Date && ' instant'}"><bdi>${text}</bdi></td>`;
  };
  const isLast = links.older === undefined && rows.length > 0 && skip + rows.length < total;
  const range = rows.length === 0 ? 'none' : `${formatNumber(skip + 1)} to ${formatNumber(skip + rows.length)}`;
  return html`<p class="back"><a href="${links.back}">Back to the page</a></p>
    <div class="card">
      <h2>${of.map((each, at) => html`${at > 0 && ' · '}<bdi>${each}</bdi>`)}</h2>
      ${figure !== undefined && html`<p class="headline">${formatNumber(figure, measured.look)}</p>`}
      <p class="note">
        ${total === 1 ? '1 row' : `${formatNumber(total)} rows`}, shown are
        ${range}${columns.some(({ definition }) => definition.type === 'date') && `; times in ${zone}`}.
      </p>
      ${
        rows.length === 0
          ? html`<p class="state">No rows are behind this figure.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-label="Rows">
              <table>
                <thead>
                  <tr>
                    ${columns.map((column) => html`<th scope="col" ${isNumber(column) && html` class="number"`}>${columnTitle(column)}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row) =>
                      html`<tr>
                        ${columns.map((column, at) => cell(column, row[at]))}
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
      <p class="note actions">
        ${links.newer !== undefined && html`<a href="${links.newer}">Rows before these</a>`}
        ${links.older !== undefined && html`<a href="${links.older}">More rows</a>`}
        ${isLast && 'The rows after these are not shown; a narrower period on the page shows them.'}
        <a href="${links.csv}" download
          >Download CSV${total > rowsPerFile && ` of the first ${formatNumber(rowsPerFile)} rows`}</a
        >
      </p>
    </div>`;
}

/** Instants are in ISO 8601, and figures are unrounded. */
export function rowsCsv({ columns, rows }: RowsRead): string {
  const plain = (column: Column, value: unknown): string | number | null => {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    return isNumber(column) ? toFiniteNumber(value) : plainText(value);
  };
  return [columns.map(({ name }) => name), ...rows.map((row) => columns.map((column, at) => plain(column, row[at])))]
    .map(csvLine)
    .join('');
}

function cellText(column: Column, value: unknown, zone: string, look: Look): string {
  if (value instanceof Date) return instantIn(zone, value);
  if (isNumber(column)) return formatNumber(toFiniteNumber(value), look);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return plainText(value) ?? '–';
}

/** A text, or the id of a row; null for any other value, which a row may have where its field says text. */
function plainText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && '_bsontype' in value) return String(value);
  return JSON.stringify(value) ?? null;
}

/** `2026-03-29 14:05`, in the chart's zone. */
function instantIn(zone: string, value: Date): string {
  if (Number.isNaN(value.getTime())) return '–';
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(value);
}
