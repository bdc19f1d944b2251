/**
 * Refusals as RFC 9457 problem documents. A handler names a code and the details of this occurrence; status, title and
 * type URI come from the table of codes, so that one code always looks the same.
 */
import { InvariantError } from '@platform/kernel';
import type { CodeTable } from './codes';

/** Where the request is wrong: a JSON pointer into the body, or `/query/…`, `/path/…`, `/header/…`. */
export interface FieldError {
  readonly pointer: string;
  readonly message: string;
}

export interface ProblemParticulars {
  /** For people; holds nothing secret. Default: the message of the code. */
  readonly detail?: string | undefined;
  readonly operationId?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  /** Further members of the document; they cannot replace the standard ones. */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  /** Whole seconds, at least 1; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Problem extends ProblemParticulars {
  readonly kind: 'problem';
  readonly code: string;
}

/** A refusal as a value; `code` must be in the server's table of codes. */
export function problem(code: string, particulars: ProblemParticulars = {}): Problem {
  return { kind: 'problem', code, ...particulars };
}

/** Carries a problem through code that can only throw, such as the framework's hooks. */
export class Refusal extends Error {
  override name = 'Refusal';
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** What the caller can do about it; the same in every occurrence of the code. */
  readonly nextStep: string;
  readonly operationId?: string;
  readonly errors?: readonly FieldError[];
  readonly [extra: string]: unknown;
}

export const problemContentType = 'application/problem+json';

/** The stable URI of a code (RFC 9457 `type`). It identifies the code and need not resolve. */
function problemType(code: string): string {
  return `https://errors.workspace-platform.dev/${code}`;
}

/** The document of a problem. Throws InvariantError for a code outside the table. */
export function problemDocument(codes: CodeTable, refusal: Problem): ProblemDocument {
  const entry = Object.hasOwn(codes, refusal.code) ? codes[refusal.code] : undefined;
  if (!entry) throw new InvariantError(`code "${refusal.code}" is not in the table of codes`);
  return {
    ...refusal.extras,
    type: problemType(refusal.code),
    title: entry.title,
    status: entry.status,
    code: refusal.code,
    detail: refusal.detail ?? entry.message,
    nextStep: entry.nextStep,
    ...(refusal.operationId === undefined ? {} : { operationId: refusal.operationId }),
    ...(refusal.errors === undefined ? {} : { errors: refusal.errors }),
  };
}

/** The headers of a problem response. */
export function problemHeaders(refusal: Problem): Record<string, string> {
  const headers: Record<string, string> = { ...refusal.headers };
  if (refusal.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(refusal.retryAfterSeconds)));
  }
  return headers;
}
