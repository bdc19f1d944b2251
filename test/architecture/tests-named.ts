/** Documents that name the test behind each of their rows: `path.spec.ts › the name of the test`. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');

type NamedTest = readonly [path: string, name: string];

/** The cells of a row of a Markdown table. */
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const separator = /^\|[ :-]+\|/;

/** The rows of the tables in these lines, without headers and separators. */
export const rowsOf = (lines: readonly string[]): string[][] => {
  const tables = lines.filter((line) => line.startsWith('|'));
  return tables
    .filter((line, at) => !separator.test(line) && !separator.test(tables[at + 1] ?? ''))
    .map((line) => cellsOf(line));
};

const testsNamedIn = (held: string): NamedTest[] =>
  [...held.matchAll(/`([^`\s]+\.ts) › ([^`]+)`/g)].map(([, path = '', name = '']) => [path, name]);

const isThere = ([path, name]: NamedTest): boolean => {
  const file = join(root, path);
  return existsSync(file) && readFileSync(file, 'utf8').includes(name);
};

/** At least one test is named, and each of them exists. */
export const isHeld = (held: string): boolean => {
  const named = testsNamedIn(held);
  return named.length > 0 && named.every(isThere);
};
