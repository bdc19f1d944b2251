/**
 * When a service may be asked: its store answers, its broker is connected, every durable that it opened has a pull at
 * the broker, and every stream that it reads or writes exists. Built once, so that no service can leave a part out.
 */
import type { Log } from '@platform/kernel';
import type { ReadinessCheck } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import type { Metrics } from '@platform/service-host';

export type Readiness = Readonly<Record<'store' | 'broker' | 'consumers' | 'streams', ReadinessCheck>>;

/** How often the broker is asked which streams it has; a lost one is shown and announced within this and one answer. */
export const streamsLookedAtEveryMs = 5_000;

export interface StreamWatch {
  /** Asks the broker; announces each loss and each return once. Keeps what it knew while the broker is away. */
  look(): Promise<void>;
  missing(): readonly string[];
}

/**
 * Watches `streams`. No alert can leave through a stream that is gone: a loss is an error in the log, the gauge
 * `broker_streams_missing` on which the monitoring pages, and a service that is not ready.
 */
export function watchStreams(messaging: Messaging, streams: readonly string[], log: Log): StreamWatch {
  let missing: readonly string[] = [];
  return {
    missing: () => missing,
    async look() {
      const now = await messaging.absentStreams(streams);
      const lost = now.filter((stream) => !missing.includes(stream));
      const back = missing.filter((stream) => !now.includes(stream));
      missing = now;
      if (lost.length > 0)
        log.error(
          { streams: lost },
          'streams are gone from the broker; apply the topology, the outboxes fill them again',
        );
      if (back.length > 0) log.info({ streams: back }, 'streams are back');
    },
  };
}

export function readinessOf(parts: {
  readonly store: Pick<Store, 'ping'>;
  readonly messaging: Pick<Messaging, 'connected' | 'quietConsumers'>;
  readonly streams: Pick<StreamWatch, 'missing'>;
}): Readiness {
  const { store, messaging, streams } = parts;
  return {
    store: () => store.ping(),
    broker: async () => (messaging.connected() ? undefined : 'not connected'),
    consumers: async () => messaging.quietConsumers().join(', ') || undefined,
    streams: async () => streams.missing().join(', ') || undefined,
  };
}

/** The same facts as figures, for alerts. */
export function observeBroker(metrics: Metrics, messaging: Messaging, streams: StreamWatch): void {
  metrics.observedGauge(
    { name: 'broker_streams_missing', help: 'Streams of this service that the broker does not have.' },
    () => streams.missing().length,
  );
  metrics.observedGauge(
    { name: 'broker_consumers_quiet', help: 'Durables of this service that have no pull at the broker.' },
    () => messaging.quietConsumers().length,
  );
}
