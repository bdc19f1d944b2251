/**
 * The results of measured runs, one JSON line per bench and commit (docs/benchmarks-history.jsonl), and which figures
 * have become worse by more than the noise. A figure of one machine is compared with figures of that machine only.
 */
import type { BenchReport } from './report';

/** A cell over the runs of one measurement. */
interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface HistoryEntry {
  readonly bench: string;
  readonly commit: string;
  /** Whether the product differed from the commit. */
  readonly changed: boolean;
  readonly at: string;
  readonly machine: string;
  /** Load of the machine when the measurement began. */
  readonly load: number;
  readonly runs: number;
  /** By the row's labels, then by column. */
  readonly figures: Readonly<Record<string, Readonly<Record<string, Figure>>>>;
}

interface Worse {
  readonly bench: string;
  readonly row: string;
  readonly column: string;
  readonly before: number;
  readonly now: number;
  /** Share by which the figure is worse. */
  readonly by: number;
  /** Share by which the figure varies without a change. */
  readonly noise: number;
  readonly since: string;
}

/** Columns that say what a row measures, besides the first one. */
const labels: ReadonlySet<string> = new Set(['in flight', 'load beside it', 'project', 'rows', 'transitions']);
const higherIsBetter = /\/s$|^ratio$|^ours : theirs$/;
const lowerIsBetter = /\bms\b|^p\d\d|\bs\b|MB|CPU|p99 ratio|runs per message|copies/;
/** Two measurements of one build differ by this much at least. */
const leastNoise = 0.1;
/** The assumed noise of a single run, whose spread is not known. */
const noiseOfOneRun = 0.3;

/** The number at the beginning of a cell: of `6.60 / 3.47`, ours. */
function numberOf(cell: string | undefined): number | undefined {
  const value = Number.parseFloat((cell ?? '').replaceAll(',', ''));
  return Number.isNaN(value) ? undefined : value;
}

const isLabel = (column: string, at: number): boolean => at === 0 || labels.has(column);
const rowName = (head: readonly string[], row: readonly string[]): string =>
  row.filter((_cell, at) => isLabel(head[at] ?? '', at)).join(' · ');

/** The figures of several runs of one bench, which have the same rows. */
export function figuresOf(runs: readonly BenchReport[]): HistoryEntry['figures'] {
  const [first] = runs;
  if (!first) return {};
  const { head } = first;
  return Object.fromEntries(
    first.rows.map((row, place) => {
      const columns = head.flatMap((column, at): [string, Figure][] => {
        const values = runs.map(({ rows }) => numberOf(rows[place]?.[at])).filter((value) => value !== undefined);
        if (isLabel(column, at) || values.length < runs.length) return [];
        return [[column, figureOf(values)]];
      });
      return [rowName(head, row), Object.fromEntries(columns)];
    }),
  );
}

function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: medianOf(sorted), least: sorted[0]!, most: sorted.at(-1)! };
}

const medianOf = (sorted: readonly number[]): number =>
  (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;

/** One report for several runs of a bench: the median of each number, and a note on how far the runs differ. */
export function mergedReport(runs: readonly BenchReport[]): BenchReport {
  const [first] = runs;
  if (!first || runs.length === 1) return first ?? { title: '', head: [], rows: [], notes: [] };
  const rows = first.rows.map((row, place) =>
    row.map((cell, at) =>
      isLabel(first.head[at] ?? '', at) ? cell : mergedCell(runs.map(({ rows: all }) => all[place]?.[at] ?? '')),
    ),
  );
  return { ...first, rows, notes: [...first.notes, spreadNote(runs)] };
}

const number = /\d[\d,]*(?:\.\d+)?/g;

/** The first cell with each of its numbers replaced by the median of the runs, when all cells have the same words. */
function mergedCell(cells: readonly string[]): string {
  const words = new Set(cells.map((cell) => cell.replaceAll(number, '#')));
  if (words.size > 1) return cells[0]!;
  const numbers = cells.map((cell) => (cell.match(number) ?? []).map((each) => Number(each.replaceAll(',', ''))));
  let place = -1;
  return cells[0]!.replaceAll(number, (text) => {
    place += 1;
    const median = medianOf(numbers.map((each) => each[place]!).toSorted((a, b) => a - b));
    const digits = text.split('.')[1]?.length ?? 0;
    return text.includes(',')
      ? median.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })
      : median.toFixed(digits);
  });
}

const spreadOf = ({ median, least, most }: Figure): number => (median === 0 ? 0 : (most - least) / Math.abs(median));

/** Every figure with its row and its column. */
const allFigures = (figures: HistoryEntry['figures']): { row: string; column: string; figure: Figure }[] =>
  Object.entries(figures).flatMap(([row, columns]) =>
    Object.entries(columns).map(([column, figure]) => ({ row, column, figure })),
  );

function spreadNote(runs: readonly BenchReport[]): string {
  const spreads = allFigures(figuresOf(runs))
    .map(({ row, column, figure }) => ({ where: `${column}, ${row}`, spread: spreadOf(figure) }))
    .toSorted((a, b) => a.spread - b.spread);
  const [middle, most] = [spreads[Math.floor(spreads.length / 2)], spreads.at(-1)];
  const percent = (spread = 0): string => `${(spread * 100).toFixed(0)} %`;
  return `Medians of ${runs.length} runs. Between the runs half of the figures differ by up to ${percent(middle?.spread)}, and the least steady by ${percent(most?.spread)} (${most?.where ?? 'none'}).`;
}

export interface Comparison {
  readonly compared: number;
  readonly worse: readonly Worse[];
  /** Benches without an earlier entry of the same machine. */
  readonly alone: readonly string[];
}

/** The last entry of each bench against the one before it on the same machine. */
export function regressionsIn(history: readonly HistoryEntry[]): Comparison {
  const comparison = { compared: 0, worse: [] as Worse[], alone: [] as string[] };
  for (const bench of new Set(history.map((entry) => entry.bench))) {
    const entries = history.filter((entry) => entry.bench === bench);
    const now = entries.at(-1)!;
    const before = entries.slice(0, -1).findLast(({ machine }) => machine === now.machine);
    if (!before) comparison.alone.push(bench);
    else {
      const { compared, worse } = compare(before, now);
      comparison.compared += compared;
      comparison.worse.push(...worse);
    }
  }
  return comparison;
}

function compare(before: HistoryEntry, now: HistoryEntry): Pick<Comparison, 'compared' | 'worse'> {
  const noiseOf = ({ runs }: HistoryEntry, figure: Figure): number => (runs > 1 ? spreadOf(figure) : noiseOfOneRun);
  let compared = 0;
  const worse = allFigures(now.figures).flatMap(({ row, column, figure }): Worse[] => {
    const earlier = before.figures[row]?.[column];
    const direction = higherIsBetter.test(column) ? 1 : lowerIsBetter.test(column) ? -1 : 0;
    if (!earlier || direction === 0 || earlier.median <= 0 || figure.median <= 0) return [];
    compared += 1;
    const by = direction === 1 ? earlier.median / figure.median - 1 : figure.median / earlier.median - 1;
    const noise = Math.max(leastNoise, noiseOf(before, earlier), noiseOf(now, figure));
    if (by <= noise) return [];
    return [
      { bench: now.bench, row, column, before: earlier.median, now: figure.median, by, noise, since: before.commit },
    ];
  });
  return { compared, worse };
}

/** The entries of the file, in the order of their writing. Throws for a line that is not one. */
export const readHistory = (text: string): HistoryEntry[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HistoryEntry);
