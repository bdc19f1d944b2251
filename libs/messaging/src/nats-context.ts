/** What a connection is opened with, and what the parts of the adapter share once it is open. */
import type { JetStreamClient } from '@nats-io/jetstream';
import { nkeyAuthenticator, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import type { Log, Tracing } from '@platform/kernel';
import type { PublishOutcome } from './port';
import type { Namespace, Topology } from './topology';
import type { WireHeaders } from './wire';

/**
 * With what a party signs on: a password, or the seed of its NKey (`SU…`), which never leaves this process: it signs what
 * the broker sends. A function is asked at each connection, so that a new seed needs no restart. `user` also names the
 * private inbox.
 */
export type BrokerCredentials = { readonly user: string } & (
  { readonly password: string } | { readonly seed: string | (() => string) }
);

/** What the client needs to sign on with these. */
export function signOn(
  credentials: BrokerCredentials | undefined,
): Pick<ConnectionOptions, 'user' | 'pass' | 'authenticator'> {
  if (credentials === undefined) return {};
  if ('password' in credentials) return { user: credentials.user, pass: credentials.password };
  const { seed } = credentials;
  const read = (): string => (typeof seed === 'string' ? seed : seed()).trim();
  return { authenticator: nkeyAuthenticator(() => new TextEncoder().encode(read())) };
}

export interface MessagingOptions {
  /** One or several addresses, separated by commas. */
  readonly url: string;
  /** Of the service; also `ce-source` and the name that the broker shows. */
  readonly name: string;
  readonly credentials?: BrokerCredentials;
  /**
   * Authorities (PEM) that vouch for the broker. With them the connection begins with TLS, and nothing is said without
   * it.
   */
  readonly ca?: string | undefined;
  /**
   * Private inbox prefix; default `_INBOX_<user>` with credentials, the only one that `infra/nats/permissions` allows.
   */
  readonly inboxPrefix?: string;
  /** Prefix of all streams and subjects, invisible to callers; for tests. */
  readonly namespace?: string;
  readonly topology: Topology;
  readonly log: Log;
  /** Messages and requests continue the trace of the work under way, and what arrives that of its sender. */
  readonly tracing?: Tracing;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal;
  /** Default 5,000. */
  readonly publishTimeoutMs?: number;
  /** How long one pull request stays open; a quiet consumer is noticed after this long. Default 10,000, least 1,000. */
  readonly pullExpiresMs?: number;
  /** Delay of a nak without `delayMs`, doubled at each delivery and spread. Default 1 s up to 60 s. */
  readonly redelivery?: { readonly baseMs: number; readonly capMs: number };
}

/** What the parts of the adapter share. */
export interface AdapterContext {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly options: MessagingOptions;
  readonly names: Namespace;
  readonly tracing: Tracing;
  readonly connected: () => boolean;
  /**
   * Publishes bytes to a plain subject and waits for the stream's acknowledgement; without an id repeats are stored.
   */
  readonly publishBytes: (
    subject: string,
    id: string | undefined,
    bytes: Uint8Array,
    headers: WireHeaders,
  ) => Promise<PublishOutcome>;
}
