/**
 * The accepted bodies: strict UTF-8 JSON, without prototype keys, repeated names, deep nesting and numbers that lose digits,
 * or, on routes that request it, the bytes as sent. A signature covers bytes, so they must reach its check unchanged.
 */
import type { FastifyInstance } from 'fastify';
import { keptNumbers, pathOfLostNumber } from '@platform/kernel';
import { pointerOf } from '../field-errors';
import { problem, Refusal } from '../problem';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function malformed(message: string, pointer = ''): Refusal {
  return new Refusal(problem('invalid_request', { errors: [{ pointer, message }] }));
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

/** Code that follows a body recursively runs out of stack beyond some thousand levels; MongoDB stores as many as these. */
const levelsMax = 100;

/** The members in a value. Throws the refusal of a body that is nested more deeply than any body of the platform. */
function countMembers(value: unknown, level = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (level === levelsMax) throw malformed(`The body is nested more than ${levelsMax} levels deep.`);
  const members = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((sum, member) => sum + countMembers(member, level + 1), own);
}

/** The members in a JSON text: each has the only kind of colon outside of strings. */
function countNames(json: string): number {
  let names = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') inString = !inString;
    else if (character === '\\') at += 1;
    else if (character === ':' && !inString) names += 1;
  }
  return names;
}

/**
 * Throws the refusal of a body that names a member twice: the parser takes the last value, and a proxy, a log or a
 * person may have read the first one.
 */
function assertUnambiguous(json: string, value: unknown): void {
  if (countMembers(value) !== countNames(json)) throw malformed('The body names a member more than once.');
}

/** Throws the refusal of a body with a number that the parser has read as another one. */
function assertExact(json: string): void {
  const path = pathOfLostNumber(json);
  if (path) throw malformed(`must be a number that keeps its digits: ${keptNumbers}`, pointerOf('body', path));
}

/** Accepts any body and reads none: an address without a route is not found, whatever is sent to it. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

/** Accepts `application/json` and nothing else. An empty body is no body. */
export function acceptJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (body.length === 0) return done(null, undefined);
      const json = decode(body as Buffer);
      let read: { readonly value: unknown } | undefined;
      // It calls back before it returns, and would catch what its callback throws.
      void parseJson(request, json, (error, value) => void (read = error ? undefined : { value }));
      if (!read) throw malformed('The body is not acceptable JSON.');
      assertUnambiguous(json, read.value);
      assertExact(json);
      done(null, read.value);
    } catch (error) {
      done(error as Refusal);
    }
  });
}

/** Accepts any content type as bytes. */
export function acceptRawBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
