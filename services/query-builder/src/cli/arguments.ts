/** Decodes the arguments of `npm run builder` before anything is read or written. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import type { AddQueryInput } from '@platform/builder';
import { keptNumbers, lostNumberIn } from '@platform/kernel';
import { isCollectionName } from '../domain/introspect';
import { parseField, type NewField, type NewResource } from '../domain/scaffold';
import type command from './builder.command.cjs';

export type BuilderCommand =
  | { readonly kind: 'templates' | 'resources' | 'indexes' }
  | { readonly kind: 'sample'; readonly rows: number }
  | { readonly kind: 'import'; readonly resource: string; readonly file: string; readonly tenant?: string }
  | { readonly kind: 'list'; readonly pageRef?: string }
  | { readonly kind: 'show' | 'remove'; readonly query: string }
  | {
      readonly kind: 'preview';
      readonly query: string;
      readonly args: Readonly<Record<string, string>>;
      readonly tenant?: string;
    }
  | { readonly kind: 'add'; readonly pageRef: string; readonly input: AddQueryInput }
  | { readonly kind: 'configure'; readonly query: string; readonly patch: Partial<AddQueryInput> }
  | ({ readonly kind: 'new-resource' } & NewResource)
  | {
      readonly kind: 'introspect';
      readonly collection: string;
      readonly name?: string;
      readonly title?: string;
      readonly tenantField?: string;
      readonly view: boolean;
      readonly documents: number;
    }
  | { readonly kind: 'new-page'; readonly pageRef: string; readonly title: string; readonly permission: string };

export interface Invocation {
  readonly command: BuilderCommand;
  readonly project?: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

type Run = CommandRun<typeof command>;
type Values = Run['values'];

export function invocationOf(run: Run): Invocation {
  const { values } = run;
  return {
    command: builderCommandOf(run),
    ...(values.project !== undefined && { project: values.project }),
    yes: values.yes,
    dryRun: values['dry-run'],
    json: values.json,
  };
}

function builderCommandOf({ command: name, words: [word = '', file = ''], values }: Run): BuilderCommand {
  switch (name) {
    case 'templates':
    case 'resources':
    case 'indexes':
      return { kind: name };
    case 'sample':
      return { kind: name, rows: values.rows };
    case 'list':
      return { kind: name, ...(word !== '' && { pageRef: word }) };
    case 'show':
    case 'remove':
      return { kind: name, query: word };
    case 'preview':
      return {
        kind: name,
        query: word,
        args: argsOf(values.arg),
        ...(values.tenant !== undefined && { tenant: values.tenant }),
      };
    case 'add':
      return { kind: name, pageRef: word, input: partsOf(values) as AddQueryInput };
    case 'configure':
      return { kind: name, query: word, patch: partsOf(values) };
    case 'new-resource':
      return newResourceOf(word, values);
    case 'introspect':
      return introspectOf(word, values);
    case 'new-page':
      return { kind: name, pageRef: word, title: values.title ?? '', permission: values.permission ?? '' };
    case 'import':
      return { kind: name, resource: word, file, ...(values.tenant !== undefined && { tenant: values.tenant }) };
  }
}

function argsOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new Misuse(`--arg is name=value, for example from=2026-01-01, not ${text}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function newResourceOf(name: string, values: Values): BuilderCommand {
  const fields = values.field.map((text): NewField => {
    const field = parseField(text);
    if (!field)
      throw new Misuse(`--field is name:type, for example total:price or status:select(open,done), not ${text}`);
    return field;
  });
  return { kind: 'new-resource', name, title: values.title ?? '', tenantScoped: values['tenant-scoped'], fields };
}

function introspectOf(collection: string, values: Values): BuilderCommand {
  if (!isCollectionName(collection)) throw new Misuse(`introspect takes the name of a collection, not ${collection}`);
  const { resource: name, title, 'tenant-field': tenantField, view, documents } = values;
  return {
    kind: 'introspect',
    collection,
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(tenantField !== undefined && { tenantField }),
    view,
    documents,
  };
}

/** The parts of a query that the arguments give; the operation checks them. */
function partsOf(values: Values): Partial<AddQueryInput> {
  const { name, resource, template, params, endpoint, response } = values;
  if (values.compare && values['no-compare']) throw new Misuse('--compare and --no-compare exclude each other');
  const compare = values['no-compare'] ? false : values.compare || undefined;
  const named = Object.fromEntries(
    Object.entries({ name, resource, template, endpoint, response, compare }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  if (params === undefined) return named;
  const lost = lostNumberIn(params);
  if (lost !== undefined) throw new Misuse(`--params holds ${lost}, which does not keep its digits: ${keptNumbers}`);
  try {
    return { ...named, params: JSON.parse(params) as Record<string, unknown> };
  } catch (error) {
    throw new Misuse(`--params is not JSON: ${(error as Error).message}`);
  }
}
