/**
 * Checks, once when the server is created, what the types of a route cannot express: a wrong declaration stops the
 * start, not a request.
 */
import { InvariantError } from '@platform/kernel';
import type { z } from 'zod';
import type { CodeTable } from './codes';
import { jsonSchemaOf, type JsonSchema } from './openapi/json-schema';
import { judgedParameter, policies } from './policy';
import type { Route } from './route';
import { parameterNames } from './server/read-request';

function failRouteCheck(route: Route, reason: string): never {
  throw new InvariantError(`${route.method} ${route.path}: ${reason}`);
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

/** True for an object schema that accepts every further field; a schema for further fields counts as intended. */
function takesAnything(additional: unknown): boolean {
  return (
    additional === undefined || additional === true || (isObject(additional) && Object.keys(additional).length === 0)
  );
}

/** The pointer of the first object in a schema that accepts unknown fields, or null. */
function openObject(schema: unknown, at: string): string | null {
  if (Array.isArray(schema))
    return schema.map((member) => openObject(member, at)).find((found) => found !== null) ?? null;
  if (!isObject(schema)) return null;
  if (isObject(schema['properties']) && takesAnything(schema['additionalProperties'])) return at === '' ? '/' : at;
  for (const [name, child] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    const found = openObject(child, `${at}/${name}`);
    if (found !== null) return found;
  }
  for (const keyword of ['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', '$defs']) {
    const below = keyword === '$defs' ? Object.values(schema[keyword] ?? {}) : schema[keyword];
    const found = openObject(below, at);
    if (found !== null) return found;
  }
  return null;
}

function checkStrict(route: Route, part: string, schema: z.ZodType | undefined): void {
  const found = schema ? openObject(jsonSchemaOf(schema), '') : null;
  if (found !== null) failRouteCheck(route, `its ${part} lets unknown fields in at ${found}; use z.strictObject`);
}

function checkAddress(route: Route): void {
  if (!/^\/[A-Za-z0-9\-._~/:*]*$/.test(route.path)) failRouteCheck(route, 'the path has characters that need escaping');
  const names = parameterNames(route.path);
  const declared = Object.keys(route.params?.shape ?? Object.fromEntries(names.map((name) => [name, true])));
  if (names.length !== declared.length || names.some((name) => !declared.includes(name))) {
    failRouteCheck(
      route,
      `the path names ${names.join(', ') || 'no parameter'} but params has ${declared.join(', ') || 'none'}`,
    );
  }
}

function checkPolicy(route: Route, authenticates: boolean): void {
  if (!policies.includes(route.policy)) failRouteCheck(route, 'it names no policy');
  const judged = judgedParameter(route.policy);
  if (judged !== undefined && !parameterNames(route.path).includes(judged))
    failRouteCheck(route, `policy ${route.policy} needs :${judged} in the path`);
  if (route.policy !== 'public' && !authenticates)
    failRouteCheck(route, 'it is protected but the server has no authenticator');
}

function checkBody(route: Route): void {
  if (route.rawBody && route.body) failRouteCheck(route, 'a raw body has no schema');
  if (route.method === 'GET' && (route.body || route.rawBody)) failRouteCheck(route, 'GET takes no body');
  checkStrict(route, 'body', route.body);
  const members = route.body && 'shape' in route.body ? (route.body.shape as object) : {};
  if (route.idempotentBy !== undefined && !Object.hasOwn(members, route.idempotentBy))
    failRouteCheck(route, `its body has no ${route.idempotentBy} that Idempotency-Key could say`);
  checkStrict(route, 'query', route.query);
  const upper = Object.keys(route.headers?.shape ?? {}).find((name) => name !== name.toLowerCase());
  if (upper !== undefined) failRouteCheck(route, `header ${upper} is not in lower case`);
}

function checkAnswers(route: Route, codes: CodeTable): void {
  const unknown = route.errors.find((code) => !Object.hasOwn(codes, code));
  if (unknown !== undefined) failRouteCheck(route, `code "${unknown}" is not in the table of codes`);
  const statuses = Object.keys(route.responses).map(Number);
  if (statuses.length === 0) failRouteCheck(route, 'it declares no answer');
  const bad = statuses.find((status) => !Number.isInteger(status) || status < 200 || status > 399);
  if (bad !== undefined) failRouteCheck(route, `status ${bad} is no success; refusals go through the table of codes`);
}

function checkExamples(route: Route): void {
  for (const [name, example] of Object.entries(route.examples?.body ?? {})) {
    if (!route.body?.safeParse(example).success) failRouteCheck(route, `its schema refuses the body example "${name}"`);
  }
  for (const [status, examples] of Object.entries(route.examples?.responses ?? {})) {
    for (const [name, example] of Object.entries(examples)) {
      if (!route.responses[Number(status)]?.safeParse(example).success) {
        failRouteCheck(route, `its schema refuses the ${status} example "${name}"`);
      }
    }
  }
}

/** Throws InvariantError for the first invalid declaration. */
export function checkRoutes(routes: readonly Route[], codes: CodeTable, authenticates: boolean): void {
  const seen = new Set<string>();
  for (const route of routes) {
    const address = `${route.method} ${route.path}`;
    if (seen.has(address)) failRouteCheck(route, 'it is declared twice');
    seen.add(address);
    if (route.name !== undefined && seen.has(route.name))
      failRouteCheck(route, `another route is called ${route.name}`);
    if (route.name !== undefined) seen.add(route.name);
    checkAddress(route);
    checkPolicy(route, authenticates);
    checkBody(route);
    checkAnswers(route, codes);
    checkExamples(route);
  }
}
