/** `npm run builder`: the builder operations on the files of a page project, whether or not the service is running. */
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { queryTemplates } from '@platform/builder';
import { plainText, runCommand as runCommandLine } from '@platform/command-line';
import type { Log } from '@platform/kernel';
import { openTables } from '@platform/mongo';
import { invocationOf, type BuilderCommand, type Invocation } from './cli/arguments';
import command from './cli/builder.command.cjs';
import { documentOf, reasonOf } from './cli/failures';
import { runCommand } from './cli/run-command';
import { runPreview } from './cli/run-preview';
import { storeUrlOf } from './cli/store-url';
import { plainScreen, terminalOn } from './cli/terminal';
import { runImport, runIndexes, runIntrospect, type CommandContext } from './host/commands';
import { builtInTemplates } from './domain/templates';
import { openPageProject } from './store/page-project';
import { openTemplatePackages } from './store/template-packages';
import type { BuilderPorts } from './workflows/ports';
import { loadSample } from './workflows/load-sample';

/** The project whose pages `npm start` serves. */
const localPages = resolve(process.env['LOCAL_DIR'] ?? '.local', 'pages');

const screens = { out: process.stdout, err: process.stderr };
const terminal = terminalOn(screens, process.stdin.isTTY ? (process.stdout.isTTY ? ask : null) : undefined);

/** Only errors are logged; the command prints its own lines. */
const packageLog: Pick<Log, 'info' | 'error'> = {
  info: () => undefined,
  error: (fields, message) => terminal.complain(`${message}: ${Object.values(fields).join(': ')}`),
};

async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** The rows end with yesterday, so that a chart of the last days is not empty. */
async function sample(rows: number): Promise<number> {
  const { MONGODB_DATABASE: database = 'query_builder' } = process.env;
  const tables = await openTables({ url: storeUrlOf(process.env), database, appName: 'builder-sample' });
  try {
    const until = new Date(new Date().setUTCHours(0, 0, 0, 0));
    const progress = (done: number): void =>
      void (process.stdout.isTTY && process.stdout.write(`\r${done} of ${rows} rows`));
    const inserted = await loadSample((table, some) => tables.insert(table, some), { rows, until }, progress);
    if (process.stdout.isTTY) process.stdout.write('\r');
    terminal.print(
      Object.entries(inserted)
        .map(([resource, count]) => `${resource}: ${count} new rows`)
        .join(', '),
    );
    return 0;
  } finally {
    await tables.close();
  }
}

/** The proposal of `introspect`, with the command that writes it. */
async function proposal(
  command: Extract<BuilderCommand, { kind: 'introspect' }>,
  context: CommandContext,
): Promise<Extract<BuilderCommand, { kind: 'new-resource' }>> {
  const { resource, notes } = await runIntrospect(command, context);
  for (const note of notes) terminal.complain(`note: ${note}`);
  return { kind: 'new-resource', ...resource };
}

/** Ends a query that takes longer, in milliseconds. */
const previewMs = 60_000;

async function preview(
  ports: BuilderPorts,
  command: Extract<BuilderCommand, { kind: 'preview' }>,
  json: boolean,
): Promise<number> {
  const { MONGODB_DATABASE: database = 'query_builder' } = process.env;
  const tables = await openTables({
    url: storeUrlOf(process.env),
    database,
    appName: 'builder-preview',
    maxPoolSize: 2,
  });
  const limits = { maxTimeMs: previewMs, comment: 'preview' };
  try {
    const reads = {
      aggregate: (table: string, pipeline: Parameters<typeof tables.aggregate>[1]) =>
        tables.aggregate(table, pipeline, limits),
      explain: (table: string, pipeline: Parameters<typeof tables.explain>[1]) =>
        tables.explain(table, pipeline, limits),
      indexes: (table: string) => tables.indexes(table),
    };
    return await runPreview(ports, reads, command, { json, terminal });
  } finally {
    await tables.close();
  }
}

async function run(invocation: Invocation): Promise<number> {
  const { command, project: named, dryRun } = invocation;
  const projectDir = named ?? process.env['PAGE_PROJECT_DIR'] ?? localPages;
  const context: CommandContext = {
    projectDir,
    get mongodbUrl() {
      return storeUrlOf(process.env);
    },
    database: process.env['MONGODB_DATABASE'] ?? 'query_builder',
    out: plainScreen(screens.out),
    err: plainScreen(screens.err),
    progress: screens.err,
  };
  if (command.kind === 'sample') return sample(command.rows);
  if (command.kind === 'import') return runImport(command, context);
  if (command.kind === 'indexes') return runIndexes(dryRun, context);
  const edit = command.kind === 'introspect' ? await proposal(command, context) : command;
  for (const template of builtInTemplates) queryTemplates.register(template);
  const file = process.env['QUERY_TEMPLATES_FILE'];
  if (file !== undefined) await openTemplatePackages({ file, registry: queryTemplates, log: packageLog, lookMs: 0 });
  const project = await openPageProject(projectDir);
  const ports = { project, templates: queryTemplates, unusedBefore: new Map() };
  if (edit.kind === 'preview') return preview(ports, edit, invocation.json);
  return runCommand(ports, { ...invocation, command: edit }, terminal);
}

void runCommandLine(command, (read) => run(invocationOf(read)), {
  describe(error, { values }) {
    if (values.json) terminal.print(JSON.stringify(documentOf(error), null, 2));
    const { text, code } = reasonOf(error);
    return { text: plainText(text), code };
  },
});
