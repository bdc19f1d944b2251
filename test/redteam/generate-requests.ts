/**
 * Requests that no sensible client sends, generated from the service's own OpenAPI document: values that fit their
 * schema beside values that do not, so that some pass each check. The same seed yields the same requests.
 */
import type { Random } from '@platform/testing';

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly minLength?: number;
  readonly pattern?: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-undocumented'?: readonly { readonly method: string; readonly path: string }[];
}

/**
 * Values that have broken servers before: prototypes, store operators, dates out of range, control and bidirectional
 * characters.
 */
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\u202eevil',
  '../../etc/passwd',
  '..%2f..%2fetc',
  '%00',
  '%',
  '__proto__',
  'constructor',
  '$where',
  '{"$gt":""}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  'x'.repeat(10_000),
  'ä'.repeat(500),
  '\ud800',
  '1e400',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '-1',
  '0x10',
  'NaN',
];
const hostileValues: readonly unknown[] = [
  ...hostileTexts,
  null,
  true,
  -1,
  0,
  0.1,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  8.64e15 + 1,
  [],
  {},
  [[[[]]]],
  { $gt: '' },
  { $ne: null },
  { constructor: { prototype: { admin: true } } },
];
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const brokenBodies = [
  '{',
  '',
  'null',
  '[]',
  '"text"',
  '{"__proto__":{"admin":true}}',
  '{"a":1,"a":2}',
  deep(2_000),
  '[1,'.repeat(5_000),
  '\ufeff{}',
  '{"operationId":"\\ud800"}',
  `{"x":"${'y'.repeat(70_000)}"}`,
];
const contentTypes = [
  'application/json',
  'application/json',
  'text/plain',
  'application/xml',
  'multipart/form-data',
  '',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];
const strayHeaders: readonly (readonly [string, string])[] = [
  ['x-forwarded-for', '127.0.0.1, 10.0.0.1'],
  ['x-http-method-override', 'DELETE'],
  ['prefer', 'wait=999999999'],
  ['if-match', '"' + 'x'.repeat(1_000) + '"'],
  ['cookie', 'page_session=x; console_session=../..; __Host-console_session=%00'],
  ['range', 'bytes=0-,0-,0-,0-'],
  ['accept', 'text/html'],
  ['traceparent', '00-zz-zz-zz'],
  ['request-id', 'a'.repeat(500)],
  ['workspace-id', '../acme'],
  ['expect', '100-continue'],
  ['content-encoding', 'gzip'],
];

/** Usually a value that fits the schema, sometimes another value. */
function valueOf(schema: Schema | undefined, random: Random, own: string, depth = 0): unknown {
  if (!schema || random.next() < 0.12 || depth > 6) return random.pick(hostileValues);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && choices.length > 0) return valueOf(random.pick(choices), random, own, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as readonly string[]) : schema.type;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(() => random.next() < 0.9)
          .map(([name, member]) => [name, valueOf(member, random, own, depth + 1)]),
      );
    case 'array':
      return Array.from({ length: random.below(4) }, () => valueOf(schema.items, random, own, depth + 1));
    case 'integer':
    case 'number':
      return random.pick([1, 2, 100, 999_999, random.below(1_000_000)]);
    case 'boolean':
      return random.next() < 0.5;
    case 'null':
      return null;
    default:
      return textOf(schema, random, own);
  }
}

function textOf({ format }: Schema, random: Random, own: string): string {
  if (format === 'date-time') return new Date(Date.UTC(2026, random.below(24), 1)).toISOString();
  if (format === 'date') return '2026-01-01';
  if (format === 'email') return 'a@example.com';
  return random.pick([own, `redteam-${random.below(1_000_000_000).toString(36)}`, 'outage', 'pro']);
}

function encode(value: unknown): string {
  try {
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    // A lone surrogate has no valid encoding; its bytes are one more input to refuse.
    return '%ED%A0%80';
  }
}

/** Values for the parts of a path; a few make the path itself invalid. */
function fillPath(path: string, random: Random, own: string): string {
  return path.replace(/\{(\w+)\}|:(\w+)|\*/g, (_all, braced?: string, named?: string) => {
    const name = braced ?? named ?? '';
    if (name === 'tenantId' && random.next() < 0.7) return own;
    return random.next() < 0.4 ? encode(random.pick(hostileTexts)) : encode(textOf({}, random, own));
  });
}

function bodyOf(operation: Operation, random: Random, own: string): string | undefined {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  if (random.next() < 0.2) return random.pick(brokenBodies);
  return schema ? JSON.stringify(valueOf(schema, random, own)) : undefined;
}

function queryOf(operation: Operation, random: Random, own: string): string {
  const given = (operation.parameters ?? []).filter((each) => each.in === 'query' && random.next() < 0.5);
  const pairs = given.map(({ name, schema }) => `${name}=${encode(valueOf(schema, random, own))}`);
  if (random.next() < 0.1) pairs.push(`${encode(random.pick(hostileTexts))}=${encode(random.pick(hostileTexts))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** `own`: a workspace that may be harmed. `tokens`: the tokens of the callers; the empty text means no token. */
export function createRequests(document: OpenApi, random: Random, own: string, tokens: readonly string[]) {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const others = (document['x-undocumented'] ?? []).map(({ method, path }) => ({ path, method, operation: {} }));
  const targets = [...documented, ...others, { path: '/no/such/address', method: 'POST', operation: {} }];
  return (): GeneratedRequest => {
    const { path, method: right, operation } = random.pick(targets);
    const method = random.next() < 0.9 ? right : random.pick(methods);
    const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(operation, random, own);
    const token = random.pick(tokens);
    const type = random.pick(contentTypes);
    return {
      method,
      path: fillPath(path, random, own) + queryOf(operation, random, own),
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && type !== '' && { 'content-type': type }),
        ...(random.next() < 0.2 && Object.fromEntries([random.pick(strayHeaders)])),
      },
      ...(body !== undefined && { body }),
    };
  };
}
