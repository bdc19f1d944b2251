/**
 * A query in the form's representation, and the conversion between the form and the operations' inputs. Pure; tested in
 * Node.
 */
import { lostNumberIn } from '@platform/kernel/numbers';
import type {
  Draft,
  ListedField as Field,
  QueryPreview as Preview,
  ReadQuery as Query,
  QueryInput,
  QueryPatch,
  LoadedResource as Resource,
  PageStructure as Structure,
  TemplateDescriptor as Template,
} from '@platform/builder/client';

export type { Draft, Field, Preview, Query, Resource, Structure, Template };

export interface Filter {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

/** Values are the typed texts; an empty one leaves the part at its default. */
export interface Form {
  readonly name: string;
  readonly resource: string;
  readonly template: string;
  readonly endpoint: string;
  readonly response: string;
  readonly compare: boolean;
  readonly params: Readonly<Record<string, unknown>>;
}

export const emptyForm: Form = {
  name: '',
  resource: '',
  template: 'count',
  endpoint: '',
  response: '',
  compare: false,
  params: {},
};

/** The form of a query from source, of a draft, or of an input. */
export function formOf(query: Partial<QueryInput> | Query): Form {
  const { name = '', resource = '', template = '', endpoint = '', response = '', compare = false, params = {} } = query;
  return { name, resource, template, endpoint, response, compare, params: params as Form['params'] };
}

/** The input of AddQuery and PreviewQuery; empty parts are left out. */
export function inputOf({ name, resource, template, endpoint, response, compare, params }: Form): QueryInput {
  return {
    name,
    resource,
    template,
    params: usedParams(params),
    ...(endpoint !== '' && { endpoint }),
    ...(response !== '' && { response }),
    ...(compare && { compare }),
  } as QueryInput;
}

/** The input of ConfigureQuery with every part, so that the query equals the form and no old value is kept. */
export function patchOf(form: Form): QueryPatch {
  const { name: _name, ...input } = inputOf(form);
  return {
    ...input,
    endpoint: form.endpoint === '' ? null : form.endpoint,
    response: form.response === '' ? null : form.response,
    compare: form.compare,
  } as QueryPatch;
}

function usedParams(params: Form['params']): Readonly<Record<string, unknown>> {
  const empty = (value: unknown): boolean =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(params).filter(([, value]) => !empty(value)));
}

/** Keys in one order, empty parts left out: two forms of the same query give the same text. */
export function sameForm(one: Form, two: Form): boolean {
  return JSON.stringify(sorted(inputOf(one))) === JSON.stringify(sorted(inputOf(two)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

/** Another template keeps the parameters that it also declares. */
export function withTemplate(form: Form, template: Template): Form {
  const declared = new Set(controlsOf(template.schema).map(({ name }) => name));
  const params = Object.fromEntries(Object.entries(form.params).filter(([name]) => declared.has(name)));
  return { ...form, template: template.id, params };
}

export interface Control {
  readonly name: string;
  readonly title: string;
  readonly control: string;
  readonly required: boolean;
  readonly preset?: string | number;
  readonly options: readonly string[];
  readonly kinds?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The controls of a template, from its JSON Schema alone; none when the schema is not that of an object. */
export function controlsOf(schema: unknown): readonly Control[] {
  const { properties, required } = isObject(schema) ? schema : {};
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, value]) => {
    const property = isObject(value) ? value : {};
    const { title, default: preset, minimum, maximum } = property;
    const kinds = property['x-kinds'];
    return {
      name,
      title: typeof title === 'string' ? title : name,
      control: controlFor(property),
      required: texts(required).includes(name),
      options: texts(property['enum']),
      ...((typeof preset === 'string' || typeof preset === 'number') && { preset }),
      ...(Array.isArray(kinds) && { kinds: texts(kinds) }),
      ...(typeof minimum === 'number' && { minimum }),
      ...(typeof maximum === 'number' && { maximum }),
    };
  });
}

function controlFor(property: Readonly<Record<string, unknown>>): string {
  if (typeof property['x-control'] === 'string') return property['x-control'];
  if (Array.isArray(property['enum'])) return 'option';
  return property['type'] === 'integer' ? 'integer' : property['type'] === 'array' ? 'filters' : 'text';
}

/**
 * The typed text of a field as the value of a filter; a text that is not a valid value stays text, for the API to
 * refuse.
 */
export function valueOf(kind: string, text: string): string | number | boolean {
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) && lostNumberIn(text) === undefined)
    return Number(text);
  return kind === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** The issues of a part: those at its pointer, and those below it that `inside` does not show itself. */
export function issuesAt(issues: readonly Issue[], pointer: string, inside: readonly string[] = []): Issue[] {
  return issues.filter(
    (issue) =>
      issue.pointer === pointer ||
      (issue.pointer.startsWith(`${pointer}/`) &&
        !inside.some((each) => issue.pointer.startsWith(`${pointer}${each}`))),
  );
}

export function bindingOf(value: unknown): { readonly name: string; readonly in: 'query' | 'param' } | undefined {
  const param = isObject(value) && isObject(value['$param']) ? value['$param'] : undefined;
  return param && { name: String(param['name'] ?? ''), in: param['in'] === 'param' ? 'param' : 'query' };
}

export function filtersOf(params: Form['params']): readonly Filter[] {
  return Object.values(params)
    .filter((value) => Array.isArray(value))
    .flat()
    .filter((each): each is Filter => isObject(each) && 'field' in each);
}
