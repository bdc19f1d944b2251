/**
 * The typed client of the builder, generated from its OpenAPI document: one function per operation, with its inputs and
 * answers.
 */
import {
  namedTypes,
  nothing,
  parameterTypes,
  schemaIn,
  typeOf,
  type DescribedOperation,
  type DescribedService,
  type Json,
} from '@platform/http-server/testing';

const prefix = '/api/builder/';

/** Returns the TypeScript of a module; `document` is the service's answer at `/openapi.json`. */
export function emitTypedClient({ paths, components }: DescribedService): string {
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix) && /^[A-Z]/.test(path.slice(prefix.length)))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .sort((a, b) => a.path.localeCompare(b.path));
  const members = operations.map(({ path, method, operation }) => emitOperation(path, method, operation));
  const reads = members.flatMap((member) => member.reads);
  const named = namedTypes(JSON.stringify(operations.map(({ operation }) => shapesOf(operation))), components.schemas);
  return `// Drawn from the OpenAPI document of the query builder by services/query-builder/src/http/typed-client.int.spec.ts.\n${frame}${named}\n/** An operation by its name: what it takes, and the data that it answers. */\nexport interface BuilderOperations {\n${members.map(({ type }) => type).join('\n')}\n}\n\n/** Operations that read; all others are posted. */\nconst reads: ReadonlySet<string> = new Set<keyof BuilderOperations>([${reads.join(', ')}]);\n${maker}`;
}

/** The input and answer of an operation; refusals are the same for all of them. */
const shapesOf = ({ parameters, requestBody, responses }: DescribedOperation) => [
  parameters,
  requestBody,
  responses?.['200'],
];

function emitOperation(path: string, method: string, operation: DescribedOperation) {
  const { summary, requestBody, responses } = operation;
  const name = path.slice(prefix.length);
  const asked = parameterTypes(operation, 'query', 2);
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
