/** The sweep's result in words: a table per port, and for each violation the call that replays exactly its history. */
import type { SweepResult, SweepViolation } from './run-sweep';

function replayOf(violation: SweepViolation): string {
  const { k, fault, second } = violation;
  return `runSweep(scenario, { only: ${JSON.stringify({ k, fault, ...(second && { second: { k: second.k, fault: second.fault } }) })} })`;
}

/** One violation: where, what, and how to replay it. */
function formatViolation(name: string, violation: SweepViolation): string {
  const second = violation.second
    ? `, then ${violation.second.fault} at call ${violation.second.k} ${violation.second.call} of the second life`
    : '';
  const lines = violation.messages.map((message) => `    ${message}`);
  return [
    `  ${name}: ${violation.fault} at call ${violation.k} ${violation.call}${second}`,
    ...lines,
    `    replay: ${replayOf(violation)}`,
  ].join('\n');
}

/** How many of the pairs were run, so that a sample is not mistaken for all of them. */
function pairsRow({ pairs, pairsPossible, pairsInFull }: SweepResult): string {
  const played = `pairs ${pairs} of ${pairsPossible}`;
  return pairs < pairsInFull ? `${played} (lean; npm run proof plays ${pairsInFull})` : played;
}

/** How many histories ended at a fault that changed nothing, so that they are not taken for whole ones. */
function unchangedRow({ unchanged }: SweepResult): string {
  return `faults that changed nothing: ${unchanged} (lean; npm run proof plays on)`;
}

/** Table of one or more sweeps: port calls enumerated, runs, violations; violations follow. */
export function formatSweep(results: readonly SweepResult[]): string {
  const rows = results.flatMap((result) => [
    [result.name, 'all', result.calls.length, result.runs, result.violations.length],
    ...Object.entries(result.perPort).map(([port, { calls, runs }]) => ['', port, calls, runs, '']),
    ...(result.pairs > 0 ? [['', pairsRow(result), '', result.pairs, '']] : []),
    ...(result.unchanged > 0 ? [['', unchangedRow(result), '', '', '']] : []),
    ...(result.stopped ? [['', 'ended at the violation that was looked for', '', '', '']] : []),
  ]);
  const table = [['scenario', 'port', 'calls', 'runs', 'violations'], ...rows].map((row) => row.map(String));
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const text = table.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return [
    ...text,
    ...results.flatMap((result) => result.violations.map((violation) => formatViolation(result.name, violation))),
  ].join('\n');
}

/** Throws with the formatted violations when there are any; for a test's last line. */
export function assertNoViolations(...results: readonly SweepResult[]): void {
  const violated = results.filter((result) => result.violations.length > 0);
  if (violated.length > 0) throw new Error(`the sweep found violations\n${formatSweep(violated)}`);
}
