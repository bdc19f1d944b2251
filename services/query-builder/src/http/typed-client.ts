/** The typed client of the builder, drawn from its OpenAPI document: one function per operation, inputs and answers as it says. */

type Json = Readonly<Record<string, unknown>>;

interface Operation {
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

const prefix = '/api/builder/';

/** An object that is longer takes a line for each member. */
const lineLength = 120;

/** TypeScript of a module; `document` is what the service answers at `/openapi.json`. */
export function emitTypedClient(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(prefix) && /^[A-Z]/.test(path.slice(prefix.length)))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .sort((a, b) => a.path.localeCompare(b.path));
  const members = operations.map(({ path, method, operation }) => emitOperation(path, method, operation));
  const { schemas } = document.components;
  const reads = members.flatMap((member) => member.reads);
  const named = reachable(JSON.stringify(operations.map(({ operation }) => shapesOf(operation))), schemas).map(
    (name) => `\n${sayOf(schemas[name])}export type ${name} = ${typeOf(schemas[name], 1)};\n`,
  );
  return `// Drawn from the OpenAPI document of the query builder by services/query-builder/src/http/typed-client.int.spec.ts.\n${frame}${named.join('')}\n/** An operation by its name: what it takes, and the data that it answers. */\nexport interface BuilderOperations {\n${members.map(({ type }) => type).join('\n')}\n}\n\n/** Operations that read; all others are posted. */\nconst reads: ReadonlySet<string> = new Set<keyof BuilderOperations>([${reads.join(', ')}]);\n${maker}`;
}

const sayOf = (schema: Json | undefined): string =>
  typeof schema?.['description'] === 'string'
    ? `/** ${schema['description'].replace(/^./, (first) => first.toUpperCase())}. */\n`
    : '';

/** What an operation takes and answers; its refusals are the same for all of them. */
const shapesOf = ({ parameters, requestBody, responses }: Operation) => [parameters, requestBody, responses?.['200']];

/** Names of the components that a text of schemas refers to, and those of what they refer to, sorted. */
function reachable(text: string, schemas: Readonly<Record<string, Json>>): readonly string[] {
  const found = new Set<string>();
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name] of next.matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      waiting.push(JSON.stringify(schemas[name!]));
    }
  }
  return [...found].sort();
}

function emitOperation(path: string, method: string, { summary, parameters, requestBody, responses }: Operation) {
  const name = path.slice(prefix.length);
  const query = (parameters ?? []).filter((each) => each.in === 'query');
  const asked = query.map(
    ({ name: key, required, schema }) => `readonly ${key}${required ? '' : '?'}: ${typeOf(schema, 2)}`,
  );
  const input = requestBody
    ? typeOf(schemaIn(requestBody.content), 2)
    : asked.length === 0
      ? nothing
      : `{ ${asked.join('; ')} }`;
  const answer = schemaIn(responses?.['200']?.content);
  const { data } = (answer?.['properties'] ?? {}) as Json;
  return {
    type: `  /** ${summary ?? name}. */\n  readonly ${name}: { readonly input: ${input}; readonly data: ${typeOf(data as Json, 2)} };`,
    reads: method === 'get' ? [`'${name}'`] : [],
  };
}

function schemaIn(content: Json | undefined): Json | undefined {
  const [media] = Object.values(content ?? {}) as { readonly schema?: Json }[];
  return media?.schema;
}

/** Every schema that the builder's shapes make; what it has no word for stays unknown. */
function typeOf(schema: Json | undefined, depth: number): string {
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
const nothing = 'Readonly<Record<string, never>>';
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const frame = `import type { BuilderResult } from '../types';

/** Sends one request; \`input\` is the query of a GET and the JSON body of a POST. How, and with which token, is the caller's. */
export type SendToBuilder = (method: 'GET' | 'POST', path: string, input: unknown, signal?: AbortSignal) => Promise<unknown>;
`;

const maker = `
/** Asks an operation by its name. Answers what it answered, data or refusal; throws what \`send\` throws. */
export type AskBuilder = <Name extends keyof BuilderOperations>(
  name: Name,
  input: BuilderOperations[Name]['input'],
  signal?: AbortSignal,
) => Promise<BuilderResult<BuilderOperations[Name]['data']>>;

export function createBuilderClient(send: SendToBuilder): AskBuilder {
  return async (name, input, signal) => {
    const body = await send(reads.has(name) ? 'GET' : 'POST', \`/api/builder/\${name}\`, input, signal);
    return body as BuilderResult<BuilderOperations[typeof name]['data']>;
  };
}
`;
