/**
 * When a service is ready: its store answers, its broker is connected, every durable that it opened has a pull at the
 * broker, and every stream that it reads or writes exists with as many copies as this deployment requires. Built in one
 * place, so that no service omits a check.
 */
import type { Log } from '@platform/kernel';
import type { ReadinessCheck } from '@platform/http-server';
import type { Messaging, StreamCopies } from '@platform/messaging';
import type { Store } from '@platform/mongo';

export type Readiness = Readonly<Record<'store' | 'broker' | 'consumers' | 'streams', ReadinessCheck>>;

/** How often the broker is asked for its streams; a lost stream is reported within this time plus one answer. */
export const streamsLookedAtEveryMs = 5_000;

export interface StreamWatch {
  /**
   * Asks the broker; announces each loss and each return once. While the broker is unreachable, the previous results
   * are kept.
   */
  look(): Promise<void>;
  /** Calls back with the streams that were recreated between two looks; what they held is lost. */
  onRecreated(listener: (streams: readonly string[]) => void): void;
  missing(): readonly string[];
  /** Streams that are configured with fewer copies than wanted, as `LIFECYCLE (1 of 3 copies)`. */
  thin(): readonly string[];
  /** Required copies that no server has now, including copies of existing streams whose member is down or behind. */
  copiesMissing(): number;
  /** How full the fullest stream is, as a share of its byte limit from 0 to 1. */
  filled(): number;
}

interface Seen {
  readonly missing: readonly string[];
  readonly thin: readonly string[];
  readonly copiesMissing: number;
  readonly filled: number;
}

function judge(streams: readonly string[], copies: ReadonlyMap<string, StreamCopies>, wanted: number): Seen {
  const there = [...copies];
  return {
    missing: streams.filter((stream) => !copies.has(stream)),
    thin: there
      .filter(([, { declared }]) => declared < wanted)
      .map(([stream, { declared }]) => `${stream} (${declared} of ${wanted} copies)`),
    copiesMissing: there.reduce((sum, [, { current }]) => sum + Math.max(wanted - current, 0), 0),
    filled: Math.max(0, ...there.map(([, { filled }]) => filled)),
  };
}

/** Missing buckets, found by the names of the streams behind them. */
async function missingBuckets(
  messaging: Pick<Messaging, 'bucketIdentity'>,
  buckets: readonly string[],
): Promise<readonly string[]> {
  const identities = await Promise.all(buckets.map((bucket) => messaging.bucketIdentity(bucket)));
  return buckets.filter((_bucket, at) => identities[at] === null).map((bucket) => `KV_${bucket}`);
}

/**
 * Watches streams and buckets. An alert cannot be published to a lost stream: a loss is an error in the log, the gauge
 * `broker_streams_missing` by which the monitoring alerts people, and a service that is not ready. `copies`: how many
 * each stream must be configured with. A member that is down for a while lowers `current` and does not make a service
 * unready; a topology that lost its copies does, because the next disk to fail loses messages.
 */
export function watchStreams(
  messaging: Pick<Messaging, 'streamCopies' | 'bucketIdentity'>,
  { streams, buckets = [] }: { readonly streams: readonly string[]; readonly buckets?: readonly string[] },
  log: Log,
  copies = 1,
): StreamWatch {
  let seen: Seen = { missing: [], thin: [], copiesMissing: 0, filled: 0 };
  const listeners: ((streams: readonly string[]) => void)[] = [];
  const identities = new Map<string, string>();
  const noteRecreated = (copiesOf: ReadonlyMap<string, StreamCopies>): void => {
    const recreated = [...copiesOf].flatMap(([stream, { identity }]) => {
      const known = identities.get(stream);
      identities.set(stream, identity);
      return known === undefined || known === identity ? [] : [stream];
    });
    if (recreated.length === 0) return;
    log.error({ streams: recreated }, 'streams were recreated without their messages; the records send them again');
    for (const listener of listeners) listener(recreated);
  };
  return {
    missing: () => seen.missing,
    thin: () => seen.thin,
    copiesMissing: () => seen.copiesMissing,
    filled: () => seen.filled,
    onRecreated: (listener) => void listeners.push(listener),
    async look() {
      const found = await messaging.streamCopies(streams);
      const held = judge(streams, found, copies);
      const now = { ...held, missing: [...held.missing, ...(await missingBuckets(messaging, buckets))] };
      const lost = now.missing.filter((stream) => !seen.missing.includes(stream));
      const back = seen.missing.filter((stream) => !now.missing.includes(stream));
      const thinner = now.thin.filter((stream) => !seen.thin.includes(stream));
      seen = now;
      if (lost.length > 0)
        log.error(
          { streams: lost },
          'streams are gone from the broker; apply the topology, the outboxes fill them again',
        );
      if (thinner.length > 0)
        log.error({ streams: thinner }, 'streams have fewer copies than wanted; apply the topology with --replicas');
      if (back.length > 0) log.info({ streams: back }, 'streams are back');
      noteRecreated(found);
    },
  };
}

export function readinessOf(parts: {
  readonly store: Pick<Store, 'ping'>;
  readonly messaging: Pick<Messaging, 'connected' | 'quietConsumers'>;
  readonly streams: Pick<StreamWatch, 'missing' | 'thin'>;
}): Readiness {
  const { store, messaging, streams } = parts;
  return {
    store: () => store.ping(),
    broker: async () => (messaging.connected() ? undefined : 'not connected'),
    consumers: async () => messaging.quietConsumers().join(', ') || undefined,
    streams: async () => [...streams.missing(), ...streams.thin()].join(', ') || undefined,
  };
}
