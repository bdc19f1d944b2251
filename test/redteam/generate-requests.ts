/**
 * Requests that no sensible client sends, generated from the service's own OpenAPI document: values that fit their
 * schema beside values that do not, so that some pass each check. The same seed yields the same requests, as long as
 * the answers that they learn from are the same.
 */
import type { Random } from '@platform/testing';
import { createValues, type Values } from './generate-values';
import { resolveReference, type OpenApi, type Operation, type Parameter } from './openapi';

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Present when the document describes the answers to exactly this request. */
  readonly documented?: { readonly path: string; readonly operation: Operation };
}

export interface Requests {
  next(): GeneratedRequest;
  /** Later requests name what this answer named. */
  learn(answer: unknown): void;
}

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
const contentTypes = ['text/plain', 'application/xml', 'multipart/form-data', ''];
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

/** How often a part of a request is hostile: a careful request is wrong in one place at most, and reaches deep code. */
const rates = { careful: 0.03, careless: 0.25 } as const;

const pathParts = /\{(\w+)\}|:(\w+)|\*/g;

function encode(value: unknown): string {
  try {
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    // A lone surrogate has no valid encoding; its bytes are one more input to refuse.
    return '%ED%A0%80';
  }
}

/** Values for the parts of a path; a few make the path itself invalid. */
function fillPath(path: string, random: Random, own: string, values: Values, hostile: number): string {
  return path.replace(pathParts, (_all, braced?: string, named?: string) => {
    const name = braced ?? named ?? '';
    if (name === 'tenantId' && random.next() < 0.7) return own;
    return encode(random.next() < hostile ? values.hostile() : values.of(name, { type: 'string' }, hostile));
  });
}

/** Whether a filled path is still one of its operation: an empty or a very long part leads to no route. */
function leadsTo(path: string, filled: string): boolean {
  return new RegExp(`^${path.replace(pathParts, '[^/]{1,200}')}$`).test(filled);
}

function bodyOf({ requestBody }: Operation, random: Random, values: Values, hostile: number): string | undefined {
  const content = Object.values(requestBody?.content ?? {})[0];
  if (random.next() < hostile) return random.pick(brokenBodies);
  if (!content?.schema) return undefined;
  const examples = Object.values(content.examples ?? {}).flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (examples.length > 0 && random.next() < 0.2) return JSON.stringify(random.pick(examples));
  return JSON.stringify(values.of('', content.schema, hostile));
}

function queryOf(parameters: readonly Parameter[], random: Random, values: Values, hostile: number): string {
  const given = parameters.filter((each) => each.in === 'query' && random.next() < 0.5);
  const pairs = given.map(({ name, schema }) => `${name}=${encode(values.of(name, schema, hostile))}`);
  if (random.next() < hostile) pairs.push(`${encode(values.hostile())}=${encode(values.hostile())}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** `own`: a workspace that may be harmed. `tokens`: the tokens of the callers; the empty text means no token. */
export function createRequests(document: OpenApi, random: Random, own: string, tokens: readonly string[]): Requests {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const others = (document['x-undocumented'] ?? []).map(({ method, path }) => ({ path, method, operation: {} }));
  const targets = [...documented, ...others, { path: '/no/such/address', method: 'POST', operation: {} }];
  const values = createValues(document, random, own);
  const next = (): GeneratedRequest => {
    const target: { path: string; method: string; operation: Operation } = random.pick(targets);
    const { path, method: right, operation } = target;
    const hostile = random.next() < 0.5 ? rates.careful : rates.careless;
    const method = random.next() < hostile ? random.pick(methods) : right;
    const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(operation, random, values, hostile);
    const token = random.pick(tokens);
    const type = random.next() < hostile ? random.pick(contentTypes) : 'application/json';
    const filled = fillPath(path, random, own, values, hostile);
    const parameters = (operation.parameters ?? []).map((each) => resolveReference<Parameter>(document, each));
    const query = queryOf(parameters, random, values, hostile);
    const stray = random.next() < hostile ? Object.fromEntries([random.pick(strayHeaders)]) : undefined;
    const plain = method === right && stray === undefined && query.length < 2_000 && leadsTo(path, filled);
    return {
      method,
      path: filled + query,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && type !== '' && { 'content-type': type }),
        ...stray,
      },
      ...(body !== undefined && { body }),
      ...(plain && documented.includes(target) && { documented: { path, operation } }),
    };
  };
  return { next, learn: (answer) => values.learn(answer) };
}
