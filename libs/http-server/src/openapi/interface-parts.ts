/** Headers of the interface that all services share, as parts of the document that operations reference. */
import type { Route } from '../route';
import type { JsonSchema } from './json-schema';

/** The facts about the server that the document needs. */
interface Interface {
  readonly limited: boolean;
  readonly apiVersion?: string | undefined;
}

const text = (description: string, example: string): JsonSchema => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const parameter = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  required: false,
  ...text(description, example),
});

const headers = {
  RequestId: text('Id of this request, as in the logs.', '01a2096d-46be-77b9-84f0-7b0a3e2d9b2a'),
  ApiVersion: text('Version of the interface.', '1'),
  ETag: text('Names the content; `If-None-Match` with it answers 304 while it is the same.', 'W/"mZf3…"'),
  RateLimit: text(
    'What is left of the budget: `r` requests, `t` seconds until it is full again.',
    '"caller";r=599;t=60',
  ),
  RateLimitPolicy: text('The budget: `q` requests in `w` seconds.', '"caller";q=600;w=60'),
  RetryAfter: { description: 'Seconds after which coming back can help.', schema: { type: 'integer', minimum: 1 } },
  Location: text('Where the record is read.', '/api/saas/workspaces/acme/operations/op-2026-0001'),
  Deprecation: text('Since when the operation is on its way out (RFC 9745).', '@1772438400'),
  Sunset: text('When it goes (RFC 8594).', 'Mon, 31 Aug 2026 00:00:00 GMT'),
} satisfies Readonly<Record<string, JsonSchema>>;

type HeaderName = keyof typeof headers;
const names: Readonly<Record<HeaderName, string>> = {
  RequestId: 'Request-Id',
  ApiVersion: 'API-Version',
  ETag: 'ETag',
  RateLimit: 'RateLimit',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  Location: 'Location',
  Deprecation: 'Deprecation',
  Sunset: 'Sunset',
};

const parameters = {
  ApiVersion: parameter('API-Version', 'The version that the client was written for; any other one is refused.', '1'),
  IfNoneMatch: parameter('If-None-Match', 'Entity tags that the client has already.', 'W/"mZf3…"'),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'The id by which a repeat is recognised, instead of the one in the body; where both are given they are the same.',
    'op-2026-0001',
  ),
} satisfies Readonly<Record<string, JsonSchema>>;

/** The parts that operations reference; a document contains only those that it uses. */
export function interfaceParts(paths: object): { readonly parameters: JsonSchema; readonly headers: JsonSchema } {
  const text = JSON.stringify(paths);
  const used = (place: string, parts: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => text.includes(`"#/components/${place}/${name}"`)));
  return { parameters: used('parameters', parameters), headers: used('headers', headers) };
}

/** Whether the answer 200 is a JSON document with an entity tag. */
export const isConditional = ({ method, produces }: Route): boolean => method === 'GET' && produces === undefined;

/** References to the parameters that the server reads for the route. */
export function parametersOf(route: Route, { apiVersion }: Interface): JsonSchema[] {
  const parts: (keyof typeof parameters)[] = [
    ...(apiVersion === undefined ? [] : (['ApiVersion'] as const)),
    ...(isConditional(route) ? (['IfNoneMatch'] as const) : []),
    ...(route.idempotentBy === undefined ? [] : (['IdempotencyKey'] as const)),
  ];
  return parts.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** References to the headers of an answer. */
export function headersOf(route: Route, status: number, { limited, apiVersion }: Interface): JsonSchema {
  const parts: HeaderName[] = [
    'RequestId',
    ...(apiVersion === undefined ? [] : (['ApiVersion'] as const)),
    ...(limited ? (['RateLimit', 'RateLimitPolicy'] as const) : []),
    ...(isConditional(route) && (status === 200 || status === 304) ? (['ETag'] as const) : []),
    ...(status === 201 || status === 202 ? (['Location'] as const) : []),
    ...(status === 202 || status === 429 || status === 503 ? (['RetryAfter'] as const) : []),
    ...(route.deprecated ? (['Deprecation', 'Sunset'] as const) : []),
  ];
  return Object.fromEntries(parts.map((name) => [names[name], { $ref: `#/components/headers/${name}` }]));
}
