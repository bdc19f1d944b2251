/** The results of a bench: samples per side, and the table for people. */

export interface BenchReport {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

export interface Side {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Rate and percentiles of one run; `elapsedMs` is the wall time of all samples together. */
export function summarise(samplesMs: readonly number[], elapsedMs: number): Side {
  const sorted = [...samplesMs].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { perSecond: (samplesMs.length / elapsedMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Prints what is being measured, to the error output; the table goes to the standard output. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function markdownTable({ head, rows }: BenchReport): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join(' | ')} |`;
  return [
    line(head),
    `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

/** Runs `work` with `inFlight` at a time until `total` are done; returns the time of each. */
export async function drive(
  total: number,
  inFlight: number,
  work: (index: number) => Promise<void>,
): Promise<{ samplesMs: number[]; elapsedMs: number }> {
  const samplesMs: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const lane = async () => {
    for (let index = next++; index < total; index = next++) {
      const begun = performance.now();
      await work(index);
      samplesMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, total) }, lane));
  return { samplesMs, elapsedMs: performance.now() - startedAt };
}
