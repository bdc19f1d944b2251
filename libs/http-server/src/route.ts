/**
 * A route is a value: its address, its policy, its schemas, its answers and one function. Nothing here depends on the
 * HTTP framework, so services, the documentation and the security matrix all read the same declaration.
 */
import type { Log } from '@platform/kernel';
import type { z } from 'zod';
import type { Caller } from './auth/claims';
import type { ConsumerPolicy, Policy, WorkspacePolicy } from './policy';
import type { Problem } from './problem';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type PolicyFor<Path extends string> = Exclude<
  Policy,
  | ('tenantId' extends ParamNames<Path> ? never : WorkspacePolicy)
  | ('consumer' extends ParamNames<Path> ? never : ConsumerPolicy)
>;

export type Responses = { readonly [status: number]: z.ZodType };

export interface Reply<Status extends number = number, Body = unknown> {
  readonly kind: 'reply';
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The answer 200 of a route in another of its content types, see {@link RouteFacts.alsoProduces}; sent unchanged. */
export interface TextReply {
  readonly kind: 'text';
  /** The content type with its parameters; the route must declare it. */
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Opaque = Date | Uint8Array | ((...input: never) => unknown);

/**
 * Bodies are only read, so literals (`const Body` below) and readonly domain records have this type without a change.
 */
type Readable<T> = T extends Opaque ? T : T extends object ? { readonly [K in keyof T]: Readable<T[K]> } : T;

type ReplyTo<R extends Responses> = {
  [Status in keyof R & number]: Reply<Status, Readable<z.output<R[Status]>>>;
}[keyof R & number];

/** An answer that is not a refusal; the body is checked against the schema that the route declares for the status. */
export function reply<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, Body> {
  return { kind: 'reply', status, body, headers };
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type CallerFor<P extends Policy> = P extends 'public' ? undefined : Caller;

interface GuardInput<Params, Pol extends Policy> {
  readonly params: Params;
  readonly caller: CallerFor<Pol>;
  /** Carries the request id and the trace id. */
  readonly log: Log;
  readonly requestId: string;
  /** W3C trace context for the messages that this request causes. */
  readonly traceparent: string;
  /**
   * Aborted when the caller's connection ends before the answer was sent, because no client reads the answer any more.
   */
  gone(): AbortSignal;
  /** The path in its original spelling, with its escapes. */
  readonly path: string;
  /**
   * For a public route that finds out itself that the requested thing is protected: the caller, by bearer token, under
   * the limits of a caller. Throws the refusals of `signed_in`.
   */
  signIn(): Promise<Caller>;
}

interface HandlerInput<Params, Query, Headers, Body, Pol extends Policy> extends GuardInput<Params, Pol> {
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
}

interface RouteExamples {
  /** Example request bodies by name. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Example answers by status, then by name. */
  readonly responses?: Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

/** A route that will be removed; its answers and the document announce this. */
export interface Deprecation {
  /** ISO 8601: clients should not start to use it after this date. */
  readonly since: string;
  /** ISO 8601: the date of its removal. */
  readonly goes?: string;
  /** The address of the replacement. */
  readonly instead?: string;
}

interface RouteFacts {
  readonly method: Method;
  /**
   * Verb and noun: the name in the documentation and in clients, which stays when the address changes. Default: derived
   * from the address.
   */
  readonly name?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Codes with which this route may answer, besides those of its policy, its schemas and the server. */
  readonly errors: readonly string[];
  readonly examples?: RouteExamples;
  /** Largest body in bytes, when the server's limit does not fit. */
  readonly bodyBytes?: number;
  /** Content type of answers that are sent unchanged (text or bytes), such as pages. Default: JSON by schema. */
  readonly produces?: string;
  /**
   * Further content types of the answer 200, each with its content; a handler answers them with a {@link TextReply}.
   */
  readonly alsoProduces?: Readonly<Record<string, string>>;
  /** Left out of the documentation (pages for people). */
  readonly undocumented?: boolean;
  /**
   * The member of the body that the header `Idempotency-Key` may contain instead: an id by which a repeat is
   * recognised.
   */
  readonly idempotentBy?: string;
  readonly deprecated?: Deprecation;
}

export interface RouteDefinition<
  Path extends string,
  Pol extends Policy,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  H extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
  R extends Responses,
  Raw extends boolean,
> extends RouteFacts {
  /** With `:name` for parameters, for example `/api/saas/workspaces/:tenantId/suspend`; may end in `/*`. */
  readonly path: Path;
  readonly policy: Pol;
  /** Default: every parameter of the path is a text of 1 to 200 characters. */
  readonly params?: P;
  /** Must be strict. Values arrive as text: use `z.coerce` for numbers. Default: no query is accepted. */
  readonly query?: Q;
  /** Only the named header fields, in lower case; the schema does not see others. */
  readonly headers?: H;
  /** Must be strict at every level. Default: no body is accepted. */
  readonly body?: B;
  readonly responses: R;
  /** The body arrives as the bytes that were sent, unparsed, whatever its content type (signed webhooks). */
  readonly rawBody?: Raw;
  /**
   * Refuses before the body is read, after authorisation and only with well-formed parameters. It exists for the 404 of
   * a workspace, which precedes the 400 of a body (contracts §2).
   */
  guard?(input: GuardInput<ParamsOf<Path, P>, Pol>): Promise<Problem | undefined>;
  handle(
    input: HandlerInput<ParamsOf<Path, P>, Parsed<Q>, Parsed<H>, Raw extends true ? Buffer : Parsed<B>, Pol>,
  ): Promise<ReplyTo<R> | TextReply | Problem>;
}

type ParamsOf<Path extends string, P> = P extends z.ZodType
  ? z.output<P>
  : { readonly [Name in ParamNames<Path>]: string };

/** A route without its type parameters, as the server and the documentation read it. */
export interface Route extends RouteFacts {
  readonly path: string;
  readonly policy: Policy;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly headers?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly responses: Responses;
  readonly rawBody?: boolean;
  readonly guard?: (input: GuardInput<unknown, Policy>) => Promise<Problem | undefined>;
  readonly handle: (
    input: HandlerInput<unknown, unknown, unknown, unknown, Policy>,
  ) => Promise<Reply | TextReply | Problem>;
}

/**
 * Declares a route; see {@link RouteDefinition}. Rules that types cannot express are checked when the server is
 * created.
 */
export function defineRoute<
  const Path extends string,
  const Pol extends PolicyFor<Path>,
  R extends Responses,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  const Raw extends boolean = false,
>(definition: RouteDefinition<Path, Pol, P, Q, H, B, R, Raw>): Route {
  // The server passes each function exactly what its schemas produced, so the general types are correct.
  return definition as unknown as Route;
}
