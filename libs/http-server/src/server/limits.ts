/** Every limit of the server with its unit in its name; these are the defaults of a service. */
import { InvariantError } from '@platform/kernel';

export interface HttpLimits {
  /** Largest body; a greater declared length is refused before a byte is read. */
  readonly bodyBytes: number;
  /** Largest header block. */
  readonly headerBytes: number;
  /** Longest value of a path parameter. */
  readonly parameterCharacters: number;
  /** The longest time until the whole request has arrived. */
  readonly requestTimeoutMs: number;
  /** The longest time until the header block has arrived. */
  readonly headersTimeoutMs: number;
  /**
   * An idle connection is closed after this time. It is longer than a proxy in front keeps a connection (usually 60 s),
   * or requests would meet a closing connection.
   */
  readonly keepAliveTimeoutMs: number;
  /** When the server drains, an idle connection gets one more request answered within this time, then it is closed. */
  readonly drainIdleMs: number;
  /**
   * A connection on which neither side can send a byte is closed after this time, which is longer than any answer
   * takes.
   */
  readonly unreadTimeoutMs: number;
  /**
   * Connections at a time. One more ends the one that has been idle longest; where none can be ended, the new one is
   * closed.
   */
  readonly connections: number;
  /** Connections of one address at a time, by the same rule; not applied behind proxies. */
  readonly connectionsPerAddress: number;
  /** How long a scrape may be answered with the previous values. */
  readonly metricsFreshMs: number;
  /** A read that would be answered later than this is refused at once; see `shed-load.ts`. */
  readonly readWaitMs: number;
  /** The time after which a readiness check counts as failed. */
  readonly readinessTimeoutMs: number;
  /** The interval at which the caller of a lasting stream is checked again. */
  readonly callerAskedEveryMs: number;
}

const defaultLimits: HttpLimits = {
  bodyBytes: 64 * 1_024,
  headerBytes: 16 * 1_024,
  parameterCharacters: 200,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 72_000,
  drainIdleMs: 5_000,
  unreadTimeoutMs: 120_000,
  connections: 1_024,
  connectionsPerAddress: 512,
  metricsFreshMs: 250,
  readWaitMs: 250,
  readinessTimeoutMs: 2_000,
  callerAskedEveryMs: 5_000,
};

/** Completes and checks the limits. Throws InvariantError for a limit that is not a positive integer. */
export function completeLimits(given: Partial<HttpLimits> = {}): HttpLimits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new InvariantError(`limit ${name} is not a positive integer`);
  }
  if (limits.headersTimeoutMs > limits.requestTimeoutMs) {
    throw new InvariantError('headersTimeoutMs exceeds requestTimeoutMs and would never be reached');
  }
  return limits;
}
