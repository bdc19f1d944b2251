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

/** TypeScript of a module; `document` is what the service answers at `/openapi.json`. */
export function emitTypedClient(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(prefix) && /^[A-Z]/.test(path.slice(prefix.length)))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .sort((a, b) => a.path.localeCompare(b.path));
  const members = operations.map(({ path, method, operation }) => emitOperation(path, method, operation));
  return `// Drawn from the OpenAPI document of the query builder by services/query-builder/src/http/typed-client.int.spec.ts.\n${frame}\n/** An operation by its name: what it takes, and the data that it answers. */\nexport interface BuilderOperations {\n${members.map(({ type }) => type).join('\n')}\n}\n\nconst places = {\n${members.map(({ place }) => place).join('\n')}\n} as const satisfies Readonly<Record<keyof BuilderOperations, Place>>;\n${maker}`;
}

function emitOperation(path: string, method: string, { summary, parameters, requestBody, responses }: Operation) {
  const name = path.slice(prefix.length);
  const query = (parameters ?? []).filter((each) => each.in === 'query');
  const input = requestBody
    ? typeOf(schemaIn(requestBody.content), 2)
    : `{ ${query.map(({ name: key, required, schema }) => `readonly ${key}${required ? '' : '?'}: ${typeOf(schema, 2)}`).join('; ')} }`;
  const answer = schemaIn(responses?.['200']?.content);
  const { data } = (answer?.['properties'] ?? {}) as Json;
  return {
    type: `  /** ${summary ?? name}. */\n  readonly ${name}: { readonly input: ${input}; readonly data: ${typeOf(data as Json, 2)} };`,
    place: `  ${name}: { method: '${method.toUpperCase()}', path: '${path}' },`,
  };
}

function schemaIn(content: Json | undefined): Json | undefined {
  const [media] = Object.values(content ?? {}) as { readonly schema?: Json }[];
  return media?.schema;
}

/** Every schema that the builder's shapes make; what it has no word for stays unknown. */
function typeOf(schema: Json | undefined, depth: number): string {
  if (!schema) return 'unknown';
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
      return `readonly (${typeOf(schema['items'] as Json, depth)})[]`;
    case 'object':
      return objectOf(schema, depth);
    default:
      return 'unknown';
  }
}

function objectOf({ properties, required, additionalProperties }: Json, depth: number): string {
  const needed = new Set(required as readonly string[] | undefined);
  const indent = '  '.repeat(depth);
  const own = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>).map(
    ([name, schema]) => `${indent}readonly ${keyOf(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema, depth + 1)};`,
  );
  const open = additionalProperties !== undefined && additionalProperties !== false;
  if (own.length === 0) return open ? 'Readonly<Record<string, unknown>>' : 'Readonly<Record<string, never>>';
  return `{\n${own.join('\n')}\n${open ? `${indent}readonly [other: string]: unknown;\n` : ''}${'  '.repeat(depth - 1)}}`;
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const frame = `import type { BuilderResult } from '../types';

/** Sends one request; \`input\` is the query of a GET and the JSON body of a POST. How, and with which token, is the caller's. */
export type SendToBuilder = (method: 'GET' | 'POST', path: string, input: unknown, signal?: AbortSignal) => Promise<unknown>;

interface Place {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}
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
    const body = await send(places[name].method, places[name].path, input, signal);
    return body as BuilderResult<BuilderOperations[typeof name]['data']>;
  };
}
`;
