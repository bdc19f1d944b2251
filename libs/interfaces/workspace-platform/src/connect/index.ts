/**
 * Entry point `connect`: connects the consumers of this process to the platform over NATS. One call at the start of a
 * service handles all registrations, earlier and later: it sends and renews them, reads their deliveries and publishes
 * the receipts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createIds, systemClock, type Log, type Tracing } from '@platform/kernel';
import { connectMessaging, platformTopology, type BrokerCredentials } from '@platform/messaging';
import { attachTenantLifecyclePlatform } from '../tenant-lifecycle';
import { createMessagingPlatform } from './messaging-platform';
import { createStderrLog } from './stderr-log';

export interface WorkspacePlatformOptions {
  /** One or several addresses of the broker, separated by commas. */
  readonly natsUrl: string;
  /**
   * The broker user of this consumer service, and the seed of its key (`SU…`). A function is called at each connection:
   * a seed that is read again from its file needs no restart when the key changes.
   */
  readonly credentials?: BrokerCredentials;
  /** Certificate authorities (PEM) for the broker; with them nothing is sent without TLS. */
  readonly ca?: string;
  /** Name of this process, unique among live replicas; shown to people with the registration. */
  readonly instance: string;
  /** Where this process writes what happens. Default: warnings and errors as JSON lines on stderr. */
  readonly log?: WorkspacePlatformLog;
  /** Continues the trace of each delivery in this process. Default: the trace is passed on, and nothing is recorded. */
  readonly tracing?: Tracing;
  /** How long a run of `consume` may take before it is reported as failed. Default 60,000. */
  readonly consumeTimeoutMs?: number;
  /** How long running calls may take when the connection is closed. Default 10,000. */
  readonly stopGraceMs?: number;
  /** Prefix of all streams and subjects; for tests. */
  readonly namespace?: string;
  /** Ends the wait for the broker. */
  readonly signal?: AbortSignal;
}

/** Levels `debug`, `info`, `warn`, `error`; pino's logger has this interface. */
export type WorkspacePlatformLog = Log;

export interface WorkspacePlatformConnection {
  /** Resolves when every consumer registered so far is registered on the platform and its deliveries are being read. */
  ready(): Promise<void>;
  /** Resolves, with the error if there was one, when the broker connection has ended permanently. */
  readonly closed: Promise<Error | undefined>;
  /** Stops reading deliveries, waits for running calls, disconnects. Registrations remain: later deliveries wait. */
  close(): Promise<void>;
}

const runsMax = 8;

/**
 * Connects, waiting for a broker that is not available yet, and attaches this process. Throws for an instance without a
 * name, and when credentials are refused.
 */
export async function connectWorkspacePlatform(
  options: WorkspacePlatformOptions,
): Promise<WorkspacePlatformConnection> {
  const {
    natsUrl,
    credentials,
    ca,
    instance,
    log = createStderrLog(),
    tracing,
    consumeTimeoutMs = 60_000,
    stopGraceMs = 10_000,
    namespace,
    signal,
  } = options;
  if (instance.length < 1 || instance.length > 200)
    throw new RangeError('instance: 1 to 200 characters, unique among live replicas');
  const messaging = await connectMessaging({
    url: natsUrl,
    name: instance,
    topology: platformTopology(),
    ca,
    log,
    ...(tracing && { tracing }),
    ...(credentials && { credentials, inboxPrefix: `_INBOX_${credentials.user}` }),
    ...(namespace !== undefined && { namespace }),
    ...(signal && { signal }),
  });
  const wait = async (milliseconds: number, aborted: AbortSignal): Promise<void> => {
    await delay(milliseconds, undefined, { signal: aborted }).catch(() => undefined);
  };
  const limits = { consumeTimeoutMs, runsMax: runsMax };
  const platform = createMessagingPlatform({
    messaging,
    instance,
    clock: systemClock,
    monotonic: () => performance.now(),
    ids: createIds(),
    log,
    wait,
    limits,
    stopGraceMs,
  });
  const attachment = attachTenantLifecyclePlatform(platform);
  return {
    ready: () => platform.ready(),
    closed: messaging.closed,
    async close() {
      await attachment.detach();
      platform.close();
      await messaging.close();
    },
  };
}
