import { csvFile } from '@platform/kernel/csv';

/** Saves a text as a file for the person. */
export function saveAs(name: string, text: string, type = 'application/json'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves lines of comma-separated values as a file that the person's spreadsheet reads. */
export function saveCsv(name: string, lines: string): void {
  saveAs(name, csvFile(lines), 'text/csv');
}
