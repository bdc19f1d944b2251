/**
 * `npm run bench`: each bench measures the product and its floor side by side in one run and prints the ratio. It is
 * never a gate on time.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { exitCodes, Misuse, runCommand } from '@platform/command-line';
import { findRoot } from '../../infra/local/settings';
import command from './bench.command.cjs';
import { benchActions } from './actions';
import { benchBacklog } from './backlog';
import { benchBuilder } from './builder';
import { benchConsole } from './console';
import { benchDirectory } from './directory';
import { benchDocumentStore } from './document-store';
import { benchOperationLists } from './operation-lists';
import { figuresOf, mergedReport, readHistory, regressionsIn, type HistoryEntry } from './history';
import { benchLifecycle } from './lifecycle';
import { benchMigration } from './migration';
import { benchOperations } from './operations';
import { withOverview } from './overview';
import { benchPageHost } from './page-host';
import { benchPages } from './pages';
import { benchPeers } from './peers/bench-peers';
import { markdownTable, type BenchReport } from './report';
import { benchReplicas } from './replicas';
import { benchScale } from './scale/bench-scale';
import { benchStart } from './start/bench-start';
import { benchTail } from './tail';
import { versionsOf, withVersions } from './versions';
import { benchWebhooks } from './webhooks';

const benches: Readonly<Record<string, () => Promise<BenchReport>>> = {
  operations: benchOperations,
  tail: benchTail,
  actions: benchActions,
  replicas: benchReplicas,
  scale: benchScale,
  'operation-lists': benchOperationLists,
  lifecycle: benchLifecycle,
  backlog: benchBacklog,
  migration: benchMigration,
  'document-store': benchDocumentStore,
  builder: benchBuilder,
  pages: benchPages,
  'page-host': benchPageHost,
  peers: benchPeers,
  start: benchStart,
  webhooks: benchWebhooks,
  console: benchConsole,
  directory: benchDirectory,
};

interface Asked {
  readonly write: boolean;
  readonly json: boolean;
  readonly repeat: number;
}

const root = findRoot(__dirname);
/** Benches make more objects at the provider than people do on their machine. */
process.env['PROVIDER_TWIN_HEAP_MEGABYTES'] ??= '1024';
const historyFile = join(root, 'docs/benchmarks-history.jsonl');

async function measure(names: readonly string[], asked: Asked): Promise<void> {
  if (names[0] === 'overview') return drawOverview();
  if (names[0] === 'regressions') return showRegressions();
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0)
    throw new Misuse(`no bench is called ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const load = loadavg()[0] ?? 0;
    const runs: BenchReport[] = [];
    while (runs.length < asked.repeat) runs.push(await benches[name]!());
    const report = mergedReport(runs);
    const entry = entryOf(name, runs, load);
    console.log(asked.json ? JSON.stringify({ ...entry, ...report }) : `\n${report.title}\n${markdownTable(report)}\n`);
    if (!asked.write) continue;
    write(name, report);
    appendFileSync(historyFile, `${JSON.stringify(entry)}\n`);
  }
}

const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const build = () => ({
  commit: git('rev-parse', '--short=8', 'HEAD'),
  changed: git('status', '--porcelain', 'services', 'libs') !== '',
});

function entryOf(bench: string, runs: readonly BenchReport[], load: number): HistoryEntry {
  const [{ model } = { model: 'unknown' }] = cpus();
  return {
    ...{ bench, ...build(), at: new Date().toISOString() },
    machine: `${cpus().length} cores (${model.trim()}), Node ${process.versions.node.split('.')[0]}`,
    ...{ load: Number(load.toFixed(1)), runs: runs.length, figures: figuresOf(runs) },
  };
}

/** Prints what has become worse; ends with 1 when something has. */
function showRegressions(): void {
  const history = existsSync(historyFile) ? readHistory(readFileSync(historyFile, 'utf8')) : [];
  const { compared, worse, alone } = regressionsIn(history);
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  const rows = worse.map(({ bench, row, column, before, now, by, noise, since }) => [
    ...[bench, row, column, String(before), String(now), percent(by), percent(noise), since],
  ]);
  const head = ['bench', 'row', 'figure', 'before', 'now', 'worse by', 'noise', 'since'];
  if (rows.length > 0) console.log(markdownTable({ title: '', head, rows, notes: [] }));
  console.log(`${compared} figures compared, ${rows.length} worse by more than the noise.`);
  if (alone.length > 0) console.log(`Without an earlier run on the same machine: ${alone.join(', ')}.`);
  process.exitCode = rows.length > 0 ? exitCodes.failed : 0;
}

/** The build that a section measures, and the command that writes it again. */
function provenance(name: string): string {
  const { commit, changed } = build();
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `Measured at ${commit}${changed ? ' with changes' : ''} on ${day}; again: \`npm run bench -- ${name}\`.`;
}

/** Replaces this bench's section between its markers. */
function write(name: string, report: BenchReport): void {
  const file = join(root, 'docs/benchmarks-tables.md');
  const marker = new RegExp(`(<!-- bench ${name} -->\\n)[\\s\\S]*?<!-- end ${name} -->`);
  const before = readFileSync(file, 'utf8');
  if (!marker.test(before)) throw new Error(`docs/benchmarks-tables.md has no section for ${name}`);
  writeFileSync(
    file,
    before.replace(
      marker,
      (_all, open: string) =>
        `${open}${markdownTable(report)}\n\n${[...report.notes, '', provenance(name)].join('\n')}\n<!-- end ${name} -->`,
    ),
  );
  drawOverview();
}

/** The goals beside the figures of all sections, and the versions with which they were measured. */
function drawOverview(): void {
  const file = join(root, 'docs/benchmarks.md');
  const tables = readFileSync(join(root, 'docs/benchmarks-tables.md'), 'utf8');
  writeFileSync(file, withVersions(withOverview(readFileSync(file, 'utf8'), tables), versionsOf(root)));
}

/** Only the cause of a failed fetch says why it failed. */
function describe(error: unknown) {
  const text =
    error instanceof Error ? [error.message, error.cause].filter(Boolean).map(String).join(': ') : String(error);
  return { text, code: exitCodes.failed };
}

function repeats(given: string | undefined): number {
  const repeat = Number(given ?? 1);
  if (!Number.isInteger(repeat) || repeat < 1 || repeat > 20) throw new Misuse('--repeat takes a number from 1 to 20');
  return repeat;
}

void runCommand(
  command,
  ({ words, values }) => measure(words, { write: values.write, json: values.json, repeat: repeats(values.repeat) }),
  { describe },
);
