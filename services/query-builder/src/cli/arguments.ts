/** The command line of `npm run builder`, decoded before anything is read or written. */
import { parseArgs } from 'node:util';
import type { AddQueryInput } from '@platform/builder';
import { ok, refused, type Result } from '@platform/kernel';
import { sampleRowsDefault } from '../domain/sample/rows';
import { parseField, type NewField } from '../domain/scaffold';

export const usage = `npm run builder -- <command>

  list [<page>]                              pages and their queries
  show <page>@<query>                        one query as its source says it
  templates | resources                      what queries are made from
  add <page> --name N --resource R --template T
      [--params JSON] [--endpoint /path] [--response series|card|value|items] [--compare]
  configure <page>@<query>                   the same options; what is not named stays
  remove <page>@<query>
  new-resource <name> --title T --field name:type … [--tenant-scoped]
                                             types: total:price  status:select(open,done)  tags:string[]
  new-page <page> --title T --permission P
  sample [--rows 100000]                     rows for the sample project, into its database
  import <resource> <file.csv|file.jsonl> [--tenant T]
                                             rows of a file; what is refused is reported with its line
  indexes [--dry-run]                        creates the indexes that the project's queries want

Every change is shown as a diff before it is written. In a terminal you are asked; --yes does not ask, --dry-run only
shows. --project DIR names the page project; without it PAGE_PROJECT_DIR, and without that the sample project. Rows go to the
database named by MONGODB_URL and MONGODB_DATABASE; without them, the local platform's.`;

export type BuilderCommand =
  | { readonly kind: 'help' | 'templates' | 'resources' }
  | { readonly kind: 'sample'; readonly rows: number }
  | { readonly kind: 'list'; readonly pageRef?: string }
  | { readonly kind: 'show' | 'remove'; readonly query: string }
  | { readonly kind: 'add'; readonly pageRef: string; readonly input: AddQueryInput }
  | { readonly kind: 'configure'; readonly query: string; readonly patch: Partial<AddQueryInput> }
  | {
      readonly kind: 'new-resource';
      readonly name: string;
      readonly title: string;
      readonly tenantScoped: boolean;
      readonly fields: readonly NewField[];
    }
  | { readonly kind: 'new-page'; readonly pageRef: string; readonly title: string; readonly permission: string };

export interface Invocation {
  readonly command: BuilderCommand;
  readonly project?: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

const options = {
  name: { type: 'string' },
  resource: { type: 'string' },
  template: { type: 'string' },
  params: { type: 'string' },
  endpoint: { type: 'string' },
  response: { type: 'string' },
  compare: { type: 'boolean' },
  'no-compare': { type: 'boolean' },
  title: { type: 'string' },
  permission: { type: 'string' },
  field: { type: 'string', multiple: true },
  'tenant-scoped': { type: 'boolean' },
  project: { type: 'string' },
  rows: { type: 'string' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true; strict: true }>>['values'];

/** Decodes the arguments; a refusal says which one is wrong. */
export function readArguments(args: readonly string[]): Result<Invocation, string> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    return refused(firstSentence(error instanceof Error ? error.message : String(error)));
  }
  const { values, positionals } = parsed;
  const [name, target, ...more] = positionals;
  const command =
    values.help || name === undefined
      ? ok({ kind: 'help' } as const)
      : more.length > 0
        ? refused(`${name} takes no further word: ${more[0]}`)
        : readCommand(name, target, values);
  if (!command.ok) return command;
  return ok({
    command: command.value,
    ...(values.project !== undefined && { project: values.project }),
    yes: values.yes ?? false,
    dryRun: values['dry-run'] ?? false,
  });
}

/** What the parser says after that is about words that begin with a dash, which no command takes. */
export function firstSentence(text: string): string {
  return text.replace(/\. .*$/s, '');
}

/** The lines of the usage that are about one command; empty for a word that is none. */
export function usageOf(command: string): string {
  const lines = usage.split('\n');
  const first = lines.findIndex(
    (line) =>
      command !== '' &&
      line
        .trimStart()
        .split(/[ |]+/)
        .slice(0, line.includes(' | ') ? 2 : 1)
        .includes(command),
  );
  if (first < 0) return '';
  const more = lines.slice(first + 1).findIndex((line) => !line.startsWith('      '));
  return lines.slice(first, first + 1 + more).join('\n');
}

function readCommand(name: string, target: string | undefined, values: Values): Result<BuilderCommand, string> {
  if (name === 'help' || name === 'templates' || name === 'resources')
    return target === undefined ? ok({ kind: name }) : refused(`${name} takes no further word: ${target}`);
  if (name === 'sample') return readSample(target, values);
  if (name === 'list') return ok({ kind: 'list', ...(target !== undefined && { pageRef: target }) });
  if (!['show', 'remove', 'add', 'configure', 'new-resource', 'new-page'].includes(name))
    return refused(`unknown command: ${name}`);
  if (target === undefined)
    return refused(
      `${name} takes ${name.startsWith('new-') ? 'a name' : name === 'add' ? 'a page, for example /shop/orders' : 'a query, for example /shop/orders@revenue'}`,
    );
  if (name === 'show' || name === 'remove') return ok({ kind: name, query: target });
  if (name === 'new-resource') return readNewResource(target, values);
  if (name === 'new-page')
    return ok({ kind: name, pageRef: target, title: values.title ?? '', permission: values.permission ?? '' });
  const parts = readParts(values);
  if (!parts.ok) return parts;
  return ok(
    name === 'add'
      ? { kind: name, pageRef: target, input: parts.value as AddQueryInput }
      : { kind: 'configure', query: target, patch: parts.value },
  );
}

function readSample(
  target: string | undefined,
  { rows = String(sampleRowsDefault) }: Values,
): Result<BuilderCommand, string> {
  if (target !== undefined) return refused(`sample takes no further word: ${target}`);
  const wanted = Number(rows);
  return Number.isInteger(wanted) && wanted >= 1_000 && wanted <= 10_000_000
    ? ok({ kind: 'sample', rows: wanted })
    : refused('--rows: a whole number from 1000 to 10000000');
}

function readNewResource(name: string, values: Values): Result<BuilderCommand, string> {
  const fields: NewField[] = [];
  for (const text of values.field ?? []) {
    const field = parseField(text);
    if (!field)
      return refused(`--field ${text}: must be name:type, for example total:price or status:select(open,done)`);
    fields.push(field);
  }
  return ok({
    kind: 'new-resource',
    name,
    title: values.title ?? '',
    tenantScoped: values['tenant-scoped'] ?? false,
    fields,
  });
}

/** The parts of a query that were named; the operation judges them. */
function readParts(values: Values): Result<Partial<AddQueryInput>, string> {
  const { name, resource, template, params, endpoint, response } = values;
  const compare = values['no-compare'] ? false : values.compare;
  const named = Object.fromEntries(
    Object.entries({ name, resource, template, endpoint, response, compare }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  if (params === undefined) return ok(named);
  try {
    return ok({ ...named, params: JSON.parse(params) as Record<string, unknown> });
  } catch (error) {
    return refused(`--params is no JSON: ${(error as Error).message}`);
  }
}
