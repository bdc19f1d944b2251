/** Runs one command of the builder on a page project and prints the result. */
import {
  describeTemplate,
  type BuilderError,
  type BuilderResult,
  type FileChange,
  type Issue,
  type QueryStructure,
} from '@platform/builder';
import { parseQueryRef } from '../domain/project';
import type { BuilderPorts, RunOptions } from '../workflows/ports';
import { addQuery } from '../workflows/add-query';
import { configureQuery } from '../workflows/configure-query';
import { listPages, listResources } from '../workflows/list-project';
import { pageStructure } from '../workflows/page-structure';
import { removeQuery } from '../workflows/remove-query';
import { newPage, newResource } from '../workflows/scaffold';
import type { BuilderCommand, Invocation } from './arguments';

export interface Terminal {
  print(text: string): void;
  complain(text: string): void;
  /** Asks a person; undefined for a script, and null when the output of a person's terminal goes into a pipe. */
  readonly ask?: ((question: string) => Promise<boolean>) | null;
}

type Edit = (options: RunOptions) => Promise<
  BuilderResult<{
    readonly changes: readonly FileChange[];
    readonly query?: string;
    readonly route?: string;
    readonly notices?: readonly Issue[];
  }>
>;

/** The commands that need nothing but the files of the project. */
export type ProjectCommand = Exclude<
  BuilderCommand,
  { kind: 'sample' | 'import' | 'indexes' | 'introspect' | 'preview' }
>;

/** Returns the exit code: 0 done, 1 refused, or declined at the prompt. */
export async function runCommand(
  ports: BuilderPorts,
  { command, yes, dryRun, json }: Invocation & { readonly command: ProjectCommand },
  terminal: Terminal,
): Promise<number> {
  const edit = editOf(ports, command);
  if (edit) return json ? runEditAsJson(edit, dryRun, terminal) : runEdit(edit, { yes, dryRun }, terminal);
  switch (command.kind) {
    case 'templates':
      return show(terminal, { ok: true, data: ports.templates.list().map(describeTemplate) }, json);
    case 'resources':
      return show(terminal, await listResources(ports.project), json);
    case 'list':
      return json ? listAsJson(ports, command.pageRef, terminal) : list(ports, command.pageRef, terminal);
    case 'show':
      return showQuery(ports, command.query, terminal, json);
    default:
      return 0;
  }
}

function editOf(ports: BuilderPorts, command: ProjectCommand): Edit | undefined {
  switch (command.kind) {
    case 'add':
      return (options) => addQuery(ports, command.pageRef, command.input, options);
    case 'configure':
      return (options) => configureQuery(ports, command.query, command.patch, options);
    case 'remove':
      return (options) => removeQuery(ports, command.query, options);
    case 'new-resource':
      return (options) => newResource(ports.project, command, options);
    case 'new-page':
      return (options) => newPage(ports.project, command, options);
    default:
      return undefined;
  }
}

/**
 * Shows the edit first; after confirmation, writes exactly what was shown or nothing. No file is locked while a person
 * decides.
 */
async function runEdit(
  edit: Edit,
  { yes, dryRun }: Pick<Invocation, 'yes' | 'dryRun'>,
  terminal: Terminal,
): Promise<number> {
  let shown: readonly FileChange[] | undefined;
  const first = await edit({ review: (changes) => ((shown = changes), false) });
  if (!shown) return first.ok ? 0 : printRefusal(terminal, first.error);
  for (const { diff } of shown) terminal.print(diff.trimEnd());
  if (shown.length === 0) terminal.print('nothing changes');
  if (dryRun && shown.length > 0) terminal.print('nothing was written, because of --dry-run');
  if (dryRun || shown.length === 0) return 0;
  if (!yes && terminal.ask === null) {
    terminal.complain('Nothing was written: a pipe shows no question. --yes writes this, --dry-run only shows it.');
    return 1;
  }
  if (!yes && terminal.ask && !(await terminal.ask('Write this?'))) return 1;
  const wanted = JSON.stringify(shown);
  let same = true;
  const second = await edit({ review: (changes) => (same = JSON.stringify(changes) === wanted) });
  if (!same) {
    terminal.complain('Nothing was written: the files were changed after this was shown. Run the command again.');
    return 1;
  }
  if (!second.ok) return printRefusal(terminal, second.error);
  for (const { path, kind } of second.data.changes) terminal.print(`${kind} ${path}`);
  if (second.data.route !== undefined) terminal.print(`${second.data.query} answers at ${second.data.route}`);
  for (const { pointer, message } of second.data.notices ?? []) terminal.complain(`${pointer} ${message}`);
  return 0;
}

/** For programs: prints what would be written, or what was written, and asks no question. */
async function runEditAsJson(edit: Edit, dryRun: boolean, terminal: Terminal): Promise<number> {
  let shown: readonly FileChange[] | undefined;
  const result = await edit(dryRun ? { review: (changes) => ((shown = changes), false) } : {});
  return show(terminal, shown ? { ok: true, data: { changes: shown, written: false } } : result, true);
}

/** Prints a result; programs get it unchanged, including refusals. */
export function show(terminal: Terminal, result: BuilderResult<unknown>, json: boolean): number {
  if (json) {
    terminal.print(JSON.stringify(result, null, 2));
    return result.ok ? 0 : 1;
  }
  if (!result.ok) return printRefusal(terminal, result.error);
  terminal.print(JSON.stringify(result.data, null, 2));
  return 0;
}

async function listAsJson(ports: BuilderPorts, pageRef: string | undefined, terminal: Terminal): Promise<number> {
  const pages =
    pageRef === undefined ? await listPages(ports.project) : ({ ok: true, data: { pages: [pageRef] } } as const);
  if (!pages.ok) return show(terminal, pages, true);
  const read = await Promise.all(
    pages.data.pages.map(async (each) => {
      const structure = await pageStructure(ports, each);
      return structure.ok ? structure.data : { pageRef: each, error: structure.error };
    }),
  );
  const code = show(terminal, { ok: true, data: { pages: read } }, true);
  return read.some((each) => 'error' in each) ? 1 : code;
}

async function list(ports: BuilderPorts, pageRef: string | undefined, terminal: Terminal): Promise<number> {
  const pages =
    pageRef === undefined ? await listPages(ports.project) : ({ ok: true, data: { pages: [pageRef] } } as const);
  if (!pages.ok) return printRefusal(terminal, pages.error);
  let code = 0;
  for (const each of pages.data.pages) {
    const structure = await pageStructure(ports, each);
    if (!structure.ok) {
      code = printRefusal(terminal, structure.error);
      continue;
    }
    terminal.print(each);
    structure.data.queries.forEach((query) => terminal.print(`  ${describe(query)}`));
  }
  return code;
}

function describe({
  name,
  endpoint,
  template,
  resource,
  opaque,
  opaqueReason,
  opaqueDetail,
  opaqueAt,
  uncertified,
}: QueryStructure): string {
  const place = opaqueAt ? ` (${opaqueAt.file}:${opaqueAt.line}:${opaqueAt.column})` : '';
  return `${name.padEnd(28)} ${endpoint.padEnd(36)} ${opaque ? `opaque, ${opaqueReason}: ${opaqueDetail}${place}` : `${template} on ${resource}${uncertified === undefined ? '' : ', not certified by a run'}`}`;
}

async function showQuery(ports: BuilderPorts, ref: string, terminal: Terminal, json: boolean): Promise<number> {
  const parsed = parseQueryRef(ref);
  const structure = parsed && (await pageStructure(ports, parsed.pageRef));
  if (structure && !structure.ok) return show(terminal, structure, json);
  const query = structure?.data.queries.find(({ name }) => name === parsed?.name);
  return show(terminal, query ? { ok: true, data: query } : { ok: false, error: { code: 'not_found', ref } }, json);
}

export function printRefusal(terminal: Terminal, error: BuilderError): number {
  terminal.complain(`${error.code}${messageOf(error)}`);
  return 1;
}

function messageOf(error: BuilderError): string {
  switch (error.code) {
    case 'invalid_config':
      return error.issues
        .map(({ pointer, message }) => `\n  ${pointer === '' ? 'the input' : pointer} ${message}`)
        .join('');
    case 'not_found':
      return `: ${error.ref}\nA page is named like /shop/orders, a query like /shop/orders@revenue; \`npm run builder -- list\` shows them all.`;
    case 'source_error':
      return `: ${error.file}:${error.line}: ${error.message}`;
    default:
      return `: ${error.detail}`;
  }
}
