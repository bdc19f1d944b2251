/**
 * TypeScript types from an OpenAPI document, with which the typed clients of all services are generated. Every schema
 * that the platform's own shapes produce has a type; any other stays `unknown`. Pure.
 */

export type Json = Readonly<Record<string, unknown>>;

/** The part of an operation in a document that a client needs. */
export interface DescribedOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema?: Json;
  }[];
  readonly requestBody?: { readonly content?: Json };
  readonly responses?: Readonly<Record<string, { readonly content?: Json }>>;
}

/** The part of a service's `/openapi.json` that a client needs. */
export interface DescribedService {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** A longer object type is written with one line per member. */
const lineLength = 120;

/** The declarations of all components that a text of schemas references, directly or indirectly, sorted. */
export function namedTypes(text: string, schemas: Readonly<Record<string, Json>>): string {
  return reachable(text, schemas)
    .map((name) => `\n${sayOf(schemas[name])}export type ${name} = ${typeOf(schemas[name], 1)};\n`)
    .join('');
}

const sayOf = (schema: Json | undefined): string =>
  typeof schema?.['description'] === 'string'
    ? `/** ${schema['description'].replace(/^./, (first) => first.toUpperCase()).replace(/\.?$/, '.')} */\n`
    : '';

function reachable(text: string, schemas: Readonly<Record<string, Json>>): readonly string[] {
  const found = new Set<string>();
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name] of next.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      waiting.push(JSON.stringify(schemas[name!]));
    }
  }
  return [...found].sort();
}

/** The schema of a body: that of its first content type. */
export function schemaIn(content: Json | undefined): Json | undefined {
  const [media] = Object.values(content ?? {}) as { readonly schema?: Json }[];
  return media?.schema;
}

/** The members of an object type for the parameters in one place. */
export function parameterTypes({ parameters = [] }: DescribedOperation, place: string, depth: number): string[] {
  return parameters
    .filter((each) => each.in === place)
    .map(({ name, required, schema }) => `readonly ${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema, depth)}`);
}

/** `depth`: the indentation of the type's members. */
export function typeOf(schema: Json | undefined, depth: number): string {
  if (!schema) return 'unknown';
  if (typeof schema['$ref'] === 'string') return schema['$ref'].replace(/^.*\//, '');
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((each) => JSON.stringify(each)).join(' | ');
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives))
    return [...new Set(alternatives.map((each: Json) => typeOf(each, depth)))].join(' | ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each as string }, depth)).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema['items'] as Json, depth));
    case 'object':
      return objectOf(schema, depth);
    default:
      return 'unknown';
  }
}

function objectOf({ properties, required, additionalProperties }: Json, depth: number): string {
  const needed = new Set(required as readonly string[] | undefined);
  const own = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>).map(
    ([name, schema]) => `readonly ${keyOf(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema, depth + 1)};`,
  );
  const open = additionalProperties !== undefined && additionalProperties !== false;
  if (own.length === 0) return open ? 'Readonly<Record<string, unknown>>' : nothing;
  const members = open ? [...own, 'readonly [other: string]: unknown;'] : own;
  const line = `{ ${members.join(' ').slice(0, -1)} }`;
  if (line.length <= lineLength && !line.includes('\n')) return line;
  return `{\n${members.map((member) => `${'  '.repeat(depth)}${member}\n`).join('')}${'  '.repeat(depth - 1)}}`;
}

const arrayOf = (item: string): string => (/^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`);

/** The type of an operation without input. */
export const nothing = 'Readonly<Record<string, never>>';
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
