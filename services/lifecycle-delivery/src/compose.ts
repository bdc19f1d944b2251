/** The composition root: opens the store and the broker, starts the delivery on them, and serves health and metrics. */
import { createHttpServer } from '@platform/http-server';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { connectStore } from '@platform/mongo';
import {
  executorIncarnations,
  registerIncarnation,
  type IncarnationRecord,
  type Metrics,
  type ServiceContext,
} from '@platform/service-host';
import type { Config } from './config';
import { startDelivery, type RunningDelivery } from './delivery';
import { schemaSteps } from './store/schema-steps';

export async function compose(context: ServiceContext<Config>): Promise<{ readonly url: string }> {
  const { config, service, executor, clock, ids, log, tracing, open, metrics } = context;
  const storeOptions = {
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    schemaSteps,
    clock,
    ids,
    log,
    tracing,
    appName: service,
  };
  const store = await open('store', connectStore(storeOptions), (opened) => opened.close());
  const { NATS_USER: user, NATS_PASSWORD: password } = config;
  const credentials =
    user !== undefined && password !== undefined
      ? { credentials: { user, password }, inboxPrefix: `_INBOX_${user}` }
      : {};
  const connecting = connectMessaging({
    url: config.NATS_URL,
    name: service,
    topology: platformTopology(),
    log,
    tracing,
    ...credentials,
  });
  let closing = false;
  const messaging = await open('broker', connecting, (opened) => {
    closing = true;
    return opened.close();
  });
  void messaging.closed.then((error) => closing || context.stop('the broker connection has ended', error));
  await messaging.assertTopology();

  const records = store.collection<IncarnationRecord>(executorIncarnations);
  const delivery = await open(
    'delivery',
    startDelivery({ store, messaging, clock, random: Math.random, log, ready: () => store.ensureIndexes() }),
    (running) => running.close(),
  );
  await open('incarnation', registerIncarnation({ records, executor, clock }), (registered) => registered.stop());
  observe(metrics, delivery);

  const readiness = {
    store: () => store.ping(),
    broker: async () => (messaging.connected() ? undefined : 'not connected'),
    consumers: async () => messaging.quietConsumers().join(', ') || undefined,
  };
  const http = await open(
    'http',
    createHttpServer({ name: service, version: '0.1.0', routes: [], readiness, metrics, log, tracing }),
    (server) => server.close(),
  );
  return { url: await http.listen({ host: config.HOST, port: config.PORT }) };
}

function observe(metrics: Metrics, { ports, relay }: RunningDelivery): void {
  metrics.observedGauge(
    { name: 'lifecycle_deliveries_waiting', help: 'Deliveries without a receipt that show no failure' },
    () => ports.deliveries.count({ status: 'pending' }),
  );
  metrics.observedGauge({ name: 'lifecycle_deliveries_failed', help: 'Deliveries whose last run failed' }, () =>
    ports.deliveries.count({ status: 'failed' }),
  );
  metrics.observedGauge(
    { name: 'lifecycle_outbox_entries', help: 'Settlements that have not been announced yet' },
    async () => (await relay.backlog()).lifecycle_messages.count,
  );
}
