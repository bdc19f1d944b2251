/**
 * One table of codes: a code, its HTTP status, its title, its default detail and its next step. Clients branch on the
 * code, so a code is stable, means one thing and is never reused; a service adds its own codes to the base ones.
 */
import { InvariantError } from '@platform/kernel';

interface CodeEntry {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Short and equal in every occurrence (RFC 9457 `title`). */
  readonly title: string;
  /** What happened and what it means: the `detail` when the refusal supplies none. */
  readonly message: string;
  /** What the caller can do about it: the `nextStep` of every problem with this code. */
  readonly nextStep: string;
}

export type CodeTable<C extends string = string> = { readonly [code in C]: CodeEntry };

const codePattern = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/**
 * Checks and freezes a table; throws InvariantError for a code that is not snake_case or a status outside 400 to 599.
 */
export function defineCodes<const C extends string>(table: CodeTable<C>): CodeTable<C> {
  for (const [code, entry] of Object.entries<CodeEntry>(table)) {
    if (!codePattern.test(code)) throw new InvariantError(`code "${code}" is not in snake_case`);
    if (!Number.isInteger(entry.status) || entry.status < 400 || entry.status > 599) {
      throw new InvariantError(`code "${code}" has status ${entry.status}, which is no refusal`);
    }
    Object.freeze(entry);
  }
  return Object.freeze(table);
}

/** The codes that every service may answer with, whatever its routes are. */
export const baseCodes = defineCodes({
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    message: 'The request does not match its schema. Nothing was done.',
    nextStep: 'Correct the places that `errors` names and send it again.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not signed in',
    message: 'The request carries no valid bearer token.',
    nextStep: 'Sign in, or get a new token, and send it again.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    message: 'Your role does not allow this.',
    nextStep: 'Ask a colleague whose role allows it, or the people who manage access.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    message: 'There is nothing at this address, or your token does not show it to you.',
    nextStep: 'Check the address and the ids in it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    message: 'This address does not take this method.',
    nextStep: 'Use a method that the header `Allow` names.',
  },
  request_timeout: {
    status: 408,
    title: 'Request too slow',
    message: 'The request did not arrive in time. Nothing was done.',
    nextStep: 'Send it again, with the same operation id if it has one.',
  },
  record_unreadable: {
    status: 409,
    title: 'Record unreadable',
    message: 'The record behind this address has no form that this build can read. It was set aside unchanged.',
    nextStep: 'An operator reads the alert about it and repairs the record.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    message: 'The body is larger than this address accepts.',
    nextStep: 'Send a smaller body. The reference names the limit.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    message: 'The body is not JSON.',
    nextStep: 'Send JSON with `Content-Type: application/json`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    message: 'The limit of requests is used up. Nothing was done.',
    nextStep: 'Send it again after the time in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    message: 'The header fields are larger than this service accepts.',
    nextStep: 'Send fewer or shorter headers and cookies.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    message: 'An error that the service does not expect ended this request.',
    nextStep: 'Read the operation before you repeat anything. The request id finds the cause in the log.',
  },
  store_unavailable: {
    status: 503,
    title: 'Store unavailable',
    message: 'The document store does not answer.',
    nextStep: 'Send it again in a moment, with the same operation id if it has one.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    message: 'More requests wait than can be answered in time. Nothing was done.',
    nextStep: 'Send it again after the time in `Retry-After`.',
  },
  identity_unavailable: {
    status: 503,
    title: 'Identity unavailable',
    message: 'The keys of the token issuer cannot be read, so no token can be checked.',
    nextStep: 'Send it again in a moment.',
  },
});

export type BaseCode = keyof typeof baseCodes;

/** Merges the base codes and a service's own into one table. Throws InvariantError when a code is defined twice. */
export function mergeCodes(...tables: readonly CodeTable[]): CodeTable {
  const merged = new Map<string, CodeEntry>();
  for (const table of tables) {
    for (const [code, entry] of Object.entries(table)) {
      if (merged.has(code)) throw new InvariantError(`code "${code}" is defined twice`);
      merged.set(code, entry);
    }
  }
  return Object.freeze(Object.fromEntries(merged));
}
