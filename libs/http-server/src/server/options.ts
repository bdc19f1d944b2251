/** What a service gives to get an HTTP server, and what it gets. */
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
  /** The version of the interface, which every answer names and a request may name. Default: it has none. */
  readonly apiVersion?: string;
  readonly routes: readonly Route[];
  /** The service's own codes; the base codes are added. */
  readonly codes?: CodeTable;
  /** Needed as soon as one route is not public. */
  readonly auth?: Authenticator;
  /** Takes a session's cookie where no token is shown. Default: tokens alone. */
  readonly sessions?: readonly BrowserSessions[] | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Off when absent. */
  readonly rateLimit?: RateLimit;
  /** Refuses reads early that would be answered late; for services that have no such rule of their own. Default false. */
  readonly shedsLoad?: boolean;
  /** What the service needs, by name; see {@link ReadinessCheck}. */
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics?: HttpMetrics;
  readonly log: Log;
  /** Spans and trace ids of requests. Default: each request has a trace id, nothing is recorded. */
  readonly tracing?: Tracing | undefined;
  readonly mapError?: MapError;
  /**
   * Shows a refusal as a page, with its status, to browsers that ask for HTML before all else; undefined leaves the
   * problem document as it is. `path` is the path of the request as it came.
   */
  readonly problemPage?: (document: ProblemDocument, path: string) => ProblemPage | undefined;
  /** Serves `/openapi.json` and `/docs` when given. */
  readonly openapi?: OpenApiFacts;
  /** Where probes, figures and the description of the API are answered. Default: with the routes. */
  readonly inner?: InnerPort | undefined;
  /** How many proxies stand in front, so how many entries of `X-Forwarded-For` are true. Default 0: none is. */
  readonly proxies?: number;
}

/** A port for the machines that watch a service, which no proxy leads to (SEC-05). */
interface InnerPort {
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether the port of the routes answers the same; for one's own machine. */
  readonly alsoOutside: boolean;
}

/** What a refusal looks like to a person in a browser. */
export interface ProblemPage {
  readonly html: string;
  /** Of the page alone; for example its Content-Security-Policy. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface InjectedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
}

export interface InjectedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface HttpServer {
  /** Port 0 takes a free one; the answer is the base URL, for example `http://127.0.0.1:7010`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /**
   * Stops accepting and answers what still arrives on open connections, each with `Connection: close`; resolves when the
   * last connection has ended. Unlike `close` it does not end idle connections at once, since a request may be on its
   * way on them already: only those on which nothing arrives for `drainIdleMs`.
   */
  drain(): Promise<void>;
  /** Base URL of the inner port while it is served; else undefined. */
  innerUrl(): string | undefined;
  /** Stops accepting, lets requests under way finish, closes idle connections. */
  close(): Promise<void>;
  /** A request without a socket, for tests. */
  inject(request: InjectedRequest): Promise<InjectedAnswer>;
}
