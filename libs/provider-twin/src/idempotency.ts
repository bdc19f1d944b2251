/**
 * Idempotency keys as the provider documents them: a key belongs to one account, one endpoint and one set of
 * parameters. The first executed answer (also a 402 or a 500) is repeated for 24 hours of the twin's clock; while a
 * request with the key is running, another one is refused. A request that was not executed (bad parameters, 401, 429,
 * this 409) stores nothing.
 */
import { createHash } from 'node:crypto';
import { errors } from './http/errors';
import { canonicalForm, type FormMap } from './http/form';
import type { State } from './state';
import type { KeyEntry } from './tables';

const keyLifeSeconds = 24 * 60 * 60;
const keyCharacters = 255;

export interface KeyedRequest {
  id: string;
  key: string;
  endpoint: string;
  fingerprint: string;
}

export interface Idempotency {
  /** The stored answer to repeat, or undefined when the request may run. Throws the documented refusals. */
  find(request: KeyedRequest): KeyEntry | undefined;
  /** Marks the key as in use until the returned function is called. */
  begin(request: KeyedRequest): () => void;
  /** Stores the first answer; must run inside the transaction of its effects. */
  keep(request: KeyedRequest, answer: { status: number; body: string; requestId: string }, now: number): void;
}

/** Describes a request that carries a key. Throws a 400 refusal for an impossible key. */
export function keyedRequest(
  account: string,
  key: string,
  method: string,
  path: string,
  params: FormMap,
): KeyedRequest {
  if (key.length > keyCharacters)
    throw errors.idempotency(
      400,
      `Idempotency keys can be at most ${keyCharacters} characters, but you sent one with ${key.length}.`,
    );
  const fingerprint = createHash('sha256').update(canonicalForm(params)).digest('hex');
  return { id: `${account}:${key}`, key, endpoint: `${method} ${path}`, fingerprint };
}

const pathOf = (endpoint: string): string => endpoint.slice(endpoint.indexOf(' ') + 1);

function assertSameRequest(request: KeyedRequest, entry: { endpoint: string; fingerprint: string }): void {
  if (entry.endpoint !== request.endpoint)
    throw errors.idempotency(
      400,
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${pathOf(request.endpoint)}' vs '${pathOf(entry.endpoint)}'). Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  if (entry.fingerprint !== request.fingerprint)
    throw errors.idempotency(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
}

/** The keys of a state; this process alone remembers which of them are in use. */
export function createIdempotency(state: State): Idempotency {
  const running = new Map<string, KeyedRequest>();
  return {
    find(request) {
      const busy = running.get(request.id);
      if (busy) {
        assertSameRequest(request, busy);
        throw errors.idempotency(
          409,
          `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${request.key}. Please try again later.`,
          'idempotency_key_in_use',
        );
      }
      const entry = state.get('key', request.id);
      if (entry) assertSameRequest(request, entry);
      return entry;
    },
    begin(request) {
      running.set(request.id, request);
      return () => void running.delete(request.id);
    },
    keep(request, answer, now) {
      state.add('key', {
        id: request.id,
        endpoint: request.endpoint,
        fingerprint: request.fingerprint,
        at: now,
        ...answer,
      });
    },
  };
}

/** Removes keys that are older than 24 hours; runs whenever the clock moves. */
export function pruneKeys(state: State, now: number): void {
  for (const entry of state.rows('key')) {
    if (entry.at + keyLifeSeconds > now) return;
    state.remove('key', entry.id);
  }
}
