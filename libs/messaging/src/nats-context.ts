/** The options of a connection, and the state that the adapter's parts share once it is open. */
import type { JetStreamClient } from '@nats-io/jetstream';
import {
  nkeyAuthenticator,
  type Authenticator,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import type { Log, Tracing } from '@platform/kernel';
import type { PublishOutcome } from './port';
import type { Namespace, Topology } from './topology';
import type { WireHeaders } from './wire';

/**
 * The credentials of a party: a password, or the seed of its NKey (`SU…`), which never leaves this process and signs
 * what the broker sends. A function is called at each connection, so that a new seed needs no restart. `user` also
 * names the private inbox.
 */
export type BrokerCredentials = { readonly user: string } & (
  { readonly password: string } | { readonly seed: string | (() => string) }
);

/**
 * The client options for these credentials. An authenticator that throws ends the client for good, so a seed that cannot
 * be read at a later connection, for example while its file is being replaced, does not replace the one before.
 */
export function signOn(
  credentials: BrokerCredentials | undefined,
): Pick<ConnectionOptions, 'user' | 'pass' | 'authenticator'> {
  if (credentials === undefined) return {};
  if ('password' in credentials) return { user: credentials.user, pass: credentials.password };
  const { seed } = credentials;
  const read = (): Authenticator => {
    const text = (typeof seed === 'string' ? seed : seed()).trim();
    return nkeyAuthenticator(new TextEncoder().encode(text));
  };
  let last: Authenticator | undefined;
  return {
    authenticator: (nonce) => {
      try {
        const fresh = read();
        const signed = fresh(nonce);
        last = fresh;
        return signed;
      } catch (error) {
        if (!last) throw error;
        return last(nonce);
      }
    },
  };
}

export interface MessagingOptions {
  /** One or several addresses, separated by commas. */
  readonly url: string;
  /** Name of the service; also `ce-source` and the name that the broker shows. */
  readonly name: string;
  readonly credentials?: BrokerCredentials;
  /**
   * Certificate authorities (PEM) for the broker. With them the connection begins with TLS, and nothing is sent without
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
  /** Sent messages and requests continue the trace of the current work; received ones continue that of their sender. */
  readonly tracing?: Tracing;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal;
  /** Default 5,000. */
  readonly publishTimeoutMs?: number;
  /**
   * How long one pull request stays open; a stalled consumer is noticed after this time. Default 10,000, least 1,000.
   */
  readonly pullExpiresMs?: number;
  /** Delay of a nak without `delayMs`, doubled at each delivery and randomised. Default 1 s up to 60 s. */
  readonly redelivery?: { readonly baseMs: number; readonly capMs: number };
}

/** The state that the adapter's parts share. */
export interface AdapterContext {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly options: MessagingOptions;
  readonly names: Namespace;
  readonly tracing: Tracing;
  readonly connected: () => boolean;
  readonly restored: (signal: AbortSignal) => Promise<void>;
  /**
   * Publishes bytes to a plain subject and waits for the stream's acknowledgement; without an id, repeats are stored.
   */
  readonly publishBytes: (
    subject: string,
    id: string | undefined,
    bytes: Uint8Array,
    headers: WireHeaders,
  ) => Promise<PublishOutcome>;
}
