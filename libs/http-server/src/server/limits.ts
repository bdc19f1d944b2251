/** Every limit of the server with its unit in its name; what a service does not set is taken from here. */
import { InvariantError } from '@platform/kernel';

export interface HttpLimits {
  /** Largest body; a declared length above it is refused before a byte is read. */
  readonly bodyBytes: number;
  /** Largest header block. */
  readonly headerBytes: number;
  /** Longest value of a path parameter. */
  readonly parameterCharacters: number;
  /** Until the whole request has arrived. */
  readonly requestTimeoutMs: number;
  /** Until the header block has arrived. */
  readonly headersTimeoutMs: number;
  /**
   * An idle connection is closed after this time; longer than a proxy in front keeps one (60 s are usual), or requests
   * meet a closing connection.
   */
  readonly keepAliveTimeoutMs: number;
  /**
   * A connection that is idle when the server drains gets one more request answered within this time, then it is
   * closed.
   */
  readonly drainIdleMs: number;
  /** A connection on which neither side gets a byte through is closed after this time; longer than any answer takes. */
  readonly unreadTimeoutMs: number;
  /** Connections at once. One more ends the one that idles longest; where none can be spared, it is closed. */
  readonly connections: number;
  /** Connections of one address at once, likewise; not where proxies stand in front. */
  readonly connectionsPerAddress: number;
  /** How long a scrape is answered with the figures of the one before. */
  readonly metricsFreshMs: number;
  /** A read that would be answered later than this is refused at once; see `shed-load.ts`. */
  readonly readWaitMs: number;
  /** Until a readiness check counts as failed. */
  readonly readinessTimeoutMs: number;
  /** How often the caller of a stream that lasts is asked for again. */
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

/** Completes and checks the limits. Throws InvariantError for one that is no positive integer. */
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
