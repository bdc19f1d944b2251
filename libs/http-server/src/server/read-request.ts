/**
 * Reads a request by the schemas of its route. All parts are checked before the refusal is built, so that one answer
 * names every error; a part without a schema accepts nothing.
 */
import { z } from 'zod';
import { fieldErrors, type RequestPart } from '../field-errors';
import type { FieldError } from '../problem';
import type { Route } from '../route';

interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

type ReadRequest =
  | { readonly ok: true; readonly parts: { params: unknown; query: unknown; headers: unknown; body: unknown } }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const nothing = z.strictObject({});
const parameter = z.string().min(1).max(200);

/** The names of a path's parameters, `*` for the rest of a path. */
export function parameterNames(path: string): string[] {
  return path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : part === '*' ? ['*'] : []));
}

/** The declared schema of the parameters, or one text each. */
export function paramsSchema(route: Pick<Route, 'path' | 'params'>): z.ZodObject {
  return (
    route.params ?? z.strictObject(Object.fromEntries(parameterNames(route.path).map((name) => [name, parameter])))
  );
}

export interface RequestReader {
  /** The parameters by their schema, or null when they are malformed. */
  params(given: unknown): { readonly value: unknown } | null;
  /** Parses path, query, headers and body; collects errors in that order. */
  read(parts: RequestParts): ReadRequest;
}

/** The key in the header: a text, in quotes (a structured field) or without. */
function keyOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const given = headers['idempotency-key'];
  return typeof given === 'string' ? given.trim().replace(/^"(.*)"$/, '$1') : undefined;
}

/** The body with the id of the header; a header with another id than the body is an error. */
function withKey({ idempotentBy: member }: Route, body: unknown, key: string | undefined): unknown {
  if (member === undefined || key === undefined) return body;
  if (body === undefined || body === null) return { [member]: key };
  const { [member]: own } = body as Readonly<Record<string, unknown>>;
  return typeof body !== 'object' || Array.isArray(body) || own !== undefined ? body : { ...body, [member]: key };
}

function keyErrors({ idempotentBy: member }: Route, body: unknown, key: string | undefined): FieldError[] {
  const own = (body as Readonly<Record<string, unknown>> | null | undefined)?.[member ?? ''];
  if (key === undefined || own === undefined || own === key) return [];
  return [{ pointer: '/header/idempotency-key', message: `must be the same as ${member} where both are given` }];
}

function readBody(route: Route, body: unknown): { value: unknown; errors: FieldError[] } {
  if (route.rawBody) return { value: body ?? Buffer.alloc(0), errors: [] };
  if (!route.body) {
    const read = body === undefined || body === null ? undefined : nothing.safeParse(body);
    return { value: undefined, errors: read && !read.success ? fieldErrors('body', read.error.issues) : [] };
  }
  if (body === undefined) return { value: undefined, errors: [{ pointer: '', message: 'A JSON body is required.' }] };
  const read = route.body.safeParse(body);
  return read.success
    ? { value: read.data, errors: [] }
    : { value: undefined, errors: fieldErrors('body', read.error.issues) };
}

/** Prepares a route's schemas once; building a schema costs more than a request. */
export function createRequestReader(route: Route): RequestReader {
  const paramsOf = paramsSchema(route);
  const queryOf = route.query ?? nothing;
  const headerNames = Object.keys(route.headers?.shape ?? {});
  // A schema for further fields means that all fields are read.
  const further = route.headers?._zod.def.catchall;
  const takesAll = further !== undefined && further._zod.def.type !== 'never';
  const named = (headers: RequestParts['headers']): Readonly<Record<string, unknown>> =>
    takesAll
      ? headers
      : Object.fromEntries(
          headerNames.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]),
        );
  return {
    params: (given) => {
      const parsed = paramsOf.safeParse(given);
      return parsed.success ? { value: parsed.data } : null;
    },
    read: (parts) => {
      const errors: FieldError[] = [];
      const read = (part: RequestPart, schema: z.ZodType, value: unknown): unknown => {
        const parsed = schema.safeParse(value);
        if (parsed.success) return parsed.data;
        errors.push(...fieldErrors(part, parsed.error.issues));
        return undefined;
      };
      const params = read('path', paramsOf, parts.params);
      const query = read('query', queryOf, parts.query);
      const headers = route.headers ? read('header', route.headers, named(parts.headers)) : undefined;
      const key = keyOf(parts.headers);
      const body = readBody(route, withKey(route, parts.body, key));
      errors.push(...keyErrors(route, parts.body, key), ...body.errors);
      if (errors.length > 0) return { ok: false, errors };
      return { ok: true, parts: { params, query: route.query ? query : undefined, headers, body: body.value } };
    },
  };
}
