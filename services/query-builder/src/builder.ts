/** `npm run builder`: the builder operations on the files of a page project, with or without the service running. */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { queryTemplates } from '@platform/builder';
import { openTables } from '@platform/mongo';
import { readArguments, usage } from './cli/arguments';
import { misuseOf, reasonOf } from './cli/failures';
import { runCommand, type Terminal } from './cli/run-command';
import { exitCodes, hostCommands } from './host/commands';
import { builtInTemplates } from './domain/templates';
import { openPageProject } from './store/page-project';
import { loadSample } from './workflows/load-sample';

const sampleProject = 'services/query-builder/sample-project';

const terminal: Terminal = {
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stdin.isTTY && process.stdout.isTTY && { ask }),
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
  const { MONGODB_URL: url = localStore(), MONGODB_DATABASE: database = 'query_builder' } = process.env;
  const tables = await openTables({ url, database, appName: 'builder-sample' });
  try {
    const until = new Date(new Date().setUTCHours(0, 0, 0, 0));
    const progress = (done: number): void =>
      void (process.stdout.isTTY && process.stdout.write(`\r${done} of ${rows} rows`));
    const inserted = await loadSample((table, some) => tables.insert(table, some), { rows, until }, progress);
    terminal.say(
      `${process.stdout.isTTY ? '\r' : ''}${Object.entries(inserted)
        .map(([resource, count]) => `${resource}: ${count} new rows`)
        .join(', ')}`,
    );
    return 0;
  } finally {
    await tables.close();
  }
}

function localStore(): string {
  return `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
}

function help(): number {
  terminal.say(usage);
  return exitCodes.done;
}

async function main(): Promise<number> {
  const [word = '', ...words] = process.argv.slice(2);
  if (words.includes('--help')) return help();
  const hostCommand = Object.hasOwn(hostCommands, word) ? hostCommands[word] : undefined;
  if (hostCommand)
    return hostCommand(words, {
      projectDir: process.env['PAGE_PROJECT_DIR'] ?? join(process.cwd(), sampleProject),
      mongodbUrl: process.env['MONGODB_URL'] ?? localStore(),
      database: process.env['MONGODB_DATABASE'] ?? 'query_builder',
      out: process.stdout,
      err: process.stderr,
    });
  const read = readArguments(process.argv.slice(2));
  if (!read.ok) {
    terminal.complain(misuseOf(word, read.error));
    return exitCodes.misused;
  }
  if (read.value.command.kind === 'help') return help();
  if (read.value.command.kind === 'sample') return sample(read.value.command.rows);
  for (const template of builtInTemplates) queryTemplates.register(template);
  const folder = read.value.project ?? process.env['PAGE_PROJECT_DIR'] ?? join(process.cwd(), sampleProject);
  const project = await openPageProject(folder);
  return runCommand({ project, templates: queryTemplates, stoodUnused: new Map() }, read.value, terminal);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const { text, code } = reasonOf(error, process.argv[2] ?? '');
    terminal.complain(text);
    process.exitCode = code;
  },
);
