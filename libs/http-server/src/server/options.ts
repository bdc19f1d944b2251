/** The options with which a service creates an HTTP server, and the server's interface. */
import type { Log, Tracing } from '@platform/kernel';
import type { Authenticator } from '../auth/authenticator';
import type { CodeTable } from '../codes';
import type { OpenApiFacts } from '../openapi/build-openapi';
import type { ProblemDocument } from '../problem';
import type { Route } from '../route';
import type { BrowserSessions } from '../sign-in/browser-session';
import type { ReadinessCheck } from './health';
import type { HttpLimits } from './limits';
import type { RateLimit } from './rate-limit';
import type { MapError } from './refusals';

/** The part of a metrics registry that the server uses; the service host provides one. */
export interface HttpMetrics {
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  histogram(declaration: {
    readonly name: string;
    readonly help: string;
    readonly labels: readonly string[];
    readonly buckets: readonly number[];
  }): { observe(labels: Readonly<Record<string, string>>, value: number): void };
}

export interface HttpServerOptions {
  /** The name of the service; a 401 answer names it as the realm. */
  readonly name: string;
  readonly version: string;
  /** The version of the interface, which every answer contains and a request may contain. Default: none. */
  readonly apiVersion?: string;
  readonly routes: readonly Route[];
  /** The service's own codes; the base codes are added. */
  readonly codes?: CodeTable;
  /** Required as soon as one route is not public. */
  readonly auth?: Authenticator;
  /** Accepts a session's cookie when no token is sent. Default: only tokens. */
  readonly sessions?: readonly BrowserSessions[] | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Off when absent. */
  readonly rateLimit?: RateLimit;
  /** Refuses reads early that would be answered late; for services without such a rule of their own. Default false. */
  readonly shedsLoad?: boolean;
  /** The service's dependencies, by name; see {@link ReadinessCheck}. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics?: HttpMetrics;
  readonly log: Log;
  /** Spans and trace ids of requests. Default: each request has a trace id, and nothing is recorded. */
  readonly tracing?: Tracing | undefined;
  readonly mapError?: MapError;
  /**
   * Shows a refusal as a page, with its status, to browsers that prefer HTML; undefined leaves the problem document
   * unchanged. `path` is the path of the request in its original spelling.
   */
  readonly problemPage?: (document: ProblemDocument, path: string) => ProblemPage | undefined;
  /** Serves `/openapi.json` and `/docs` when given. */
  readonly openapi?: OpenApiFacts;
  /** The port that answers probes, metrics and the description of the API. Default: the port of the routes. */
  readonly inner?: InnerPort | undefined;
  /** The number of proxies in front, and so of trusted entries in `X-Forwarded-For`. Default 0: none is trusted. */
  readonly proxies?: number;
}

/** A port for the machines that monitor a service; no proxy leads to it (SEC-05). */
interface InnerPort {
  /** 0 takes a free port. */
  readonly port: number;
  /** Whether the port of the routes answers the same addresses; for a developer's own machine. */
  readonly alsoOutside: boolean;
}

/** The form of a refusal for a person in a browser. */
export interface ProblemPage {
  readonly html: string;
  /** Headers only for this page, for example its Content-Security-Policy. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface InjectedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text or bytes unchanged. */
  readonly body?: unknown;
}

export interface InjectedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface HttpServer {
  /** Port 0 takes a free one; resolves with the base URL, for example `http://127.0.0.1:7010`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /**
   * Stops accepting connections and answers requests that still arrive on open ones, each with `Connection: close`;
   * resolves when the last connection has ended. Unlike `close` it does not end idle connections at once, because a
   * request may already be in transit on them: only those on which nothing arrives for `drainIdleMs`.
   */
  drain(): Promise<void>;
  /** Base URL of the inner port while it is open; otherwise undefined. */
  innerUrl(): string | undefined;
  /** Stops accepting connections, lets running requests finish, closes idle connections. */
  close(): Promise<void>;
  /** A request without a socket, for tests. */
  inject(request: InjectedRequest): Promise<InjectedAnswer>;
}
