/** What a service needs, as metrics: the same facts as its readiness, and what readiness does not show. */
import type { Messaging } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import { observeStore, type Metrics } from '@platform/service-host';
import type { StreamWatch } from './readiness';

/** Declares the metrics of store, broker and streams. */
export function observeDependencies(
  metrics: Pick<Metrics, 'observedGauge'>,
  store: Pick<Store, 'ping'>,
  messaging: Pick<Messaging, 'connected' | 'quietConsumers'>,
  streams: StreamWatch,
): void {
  observeStore(metrics, store);
  metrics.observedGauge({ name: 'broker_away', help: '1 while the broker is not connected, else 0.' }, () =>
    Number(!messaging.connected()),
  );
  metrics.observedGauge(
    { name: 'broker_streams_missing', help: 'Streams of this service that the broker does not have.' },
    () => streams.missing().length,
  );
  metrics.observedGauge(
    {
      name: 'broker_stream_copies_missing',
      help: 'Wanted copies of streams of this service that no server holds now.',
    },
    () => streams.copiesMissing(),
  );
  metrics.observedGauge(
    {
      name: 'broker_stream_filled_ratio',
      help: 'Share of its bytes that the fullest stream of this service holds; at 1 the oldest messages are dropped.',
    },
    () => streams.filled(),
  );
  metrics.observedGauge(
    { name: 'broker_consumers_quiet', help: 'Durables of this service that have no pull at the broker.' },
    () => messaging.quietConsumers().length,
  );
}

/**
 * The same messaging, which counts the publications that the broker does not acknowledge. A broker whose disk is full
 * is connected, has all streams and serves every pull: only its answers to publications show it.
 */
export function countUnacknowledged<M extends Pick<Messaging, 'publish'>>(
  messaging: M,
  metrics: Pick<Metrics, 'counter'>,
): M {
  const unacknowledged = metrics.counter({
    name: 'broker_publishes_unacknowledged_total',
    help: 'Publications that the broker refused to store, or whose acknowledgement did not arrive; outboxes repeat theirs.',
  });
  return {
    ...messaging,
    publish: async (message) => {
      const outcome = await messaging.publish(message);
      if (outcome === 'unknown') unacknowledged.add();
      return outcome;
    },
  };
}
