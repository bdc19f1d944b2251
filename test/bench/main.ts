/**
 * `npm run bench`: each bench measures the product and its floor side by side in one run and prints the ratio. It is
 * never a gate on time.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Misuse, runCommand } from '@platform/command-line';
import { findRoot } from '../../infra/local/settings';
import command from './bench.command.cjs';
import { benchBacklog } from './backlog';
import { benchBuilder } from './builder';
import { benchConsole } from './console';
import { benchDirectory } from './directory';
import { benchDocumentStore } from './document-store';
import { benchOperationLists } from './operation-lists';
import { benchLifecycle } from './lifecycle';
import { benchMigration } from './migration';
import { benchOperations } from './operations';
import { withOverview } from './overview';
import { benchPageHost } from './page-host';
import { benchPages } from './pages';
import { benchPeers } from './peers/bench-peers';
import { markdownTable, type BenchReport } from './report';
import { benchStart } from './start/bench-start';
import { versionsOf, withVersions } from './versions';
import { benchWebhooks } from './webhooks';

const benches: Readonly<Record<string, () => Promise<BenchReport>>> = {
  operations: benchOperations,
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

async function measure(names: readonly string[], writes: boolean): Promise<void> {
  if (names[0] === 'overview') return drawOverview();
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0)
    throw new Misuse(`no bench is called ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const report = await benches[name]!();
    console.log(`\n${report.title}\n${markdownTable(report)}\n`);
    if (writes) write(name, report);
  }
}

/** The build that a section measures, and the command that writes it again. */
function provenance(root: string, name: string): string {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', 'services', 'libs') === '' ? '' : ' with changes';
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `Measured at ${git('rev-parse', '--short=8', 'HEAD')}${changed} on ${day}; again: \`npm run bench -- ${name}\`.`;
}

/** Replaces this bench's section between its markers. */
function write(name: string, report: BenchReport): void {
  const root = findRoot(__dirname);
  const file = join(root, 'docs/benchmarks-tables.md');
  const marker = new RegExp(`(<!-- bench ${name} -->\\n)[\\s\\S]*?<!-- end ${name} -->`);
  const before = readFileSync(file, 'utf8');
  if (!marker.test(before)) throw new Error(`docs/benchmarks-tables.md has no section for ${name}`);
  writeFileSync(
    file,
    before.replace(
      marker,
      (_all, open: string) =>
        `${open}${markdownTable(report)}\n\n${[...report.notes, '', provenance(root, name)].join('\n')}\n<!-- end ${name} -->`,
    ),
  );
  drawOverview();
}

/** The goals beside the figures of all sections, and the versions with which they were measured. */
function drawOverview(): void {
  const root = findRoot(__dirname);
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

void runCommand(command, ({ words, values }) => measure(words, values.write), { describe });
