/** `npm run builder`: the builder operations on the files of a page project, with or without the service running. */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { queryTemplates } from '@platform/builder';
import { readArguments, usage } from './cli/arguments';
import { runCommand, type Terminal } from './cli/run-command';
import { builtInTemplates } from './domain/templates';
import { openPageProject } from './store/page-project';
import { UnsupportedError } from './store/refusals';

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

async function main(): Promise<number> {
  const read = readArguments(process.argv.slice(2));
  if (!read.ok) {
    terminal.complain(`${read.error}\n\n${usage}`);
    return 64;
  }
  if (read.value.command.kind === 'help') {
    terminal.say(usage);
    return 0;
  }
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
    terminal.complain(error instanceof UnsupportedError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  },
);
