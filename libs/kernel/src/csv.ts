/**
 * Comma-separated values (RFC 4180) for spreadsheets. A spreadsheet runs a cell that begins like a formula, so such a
 * text is quoted. A spreadsheet of another locale separates cells at a semicolon or a tab, even inside quotes, and
 * accepts full-width signs. A file for people begins with the mark of UTF-8 (U+FEFF), without which a spreadsheet reads
 * the characters of another encoding.
 */

type Cell = string | number | null | undefined;

/** The last place before the sign of a formula where a cell may begin, and the sign. */
const formula = /(^|[;\t\r\n])([^\S\t\r\n]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const harmless = value.replace(formula, "$1'$2");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line with its line ending. Numbers are written without quotes, absent values as empty cells. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** The lines as the text of a file that people open. Programs that read an answer get the lines alone. */
export function csvFile(lines: string): string {
  return `\ufeff${lines}`;
}
