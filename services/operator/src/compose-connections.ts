/** The part of the composition that connects: to the document store, with its collections declared, the broker and the provider. */
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { connectStore, type Store } from '@platform/mongo';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { registerIncarnation, type ServiceContext } from '@platform/service-host';
import { declareConsoleCollections } from './compose-console';
import { declareEventCollections } from './compose-events';
import { declareMigrationCollections } from './compose-migrations';
import type { Config } from './config';
import { incarnationsCollection } from './store/executor-incarnations';
import { schemaSteps } from './store/schema-steps';
import { operationsCollection } from './operations/store/operations';
import { plansCollection } from './catalogue/store/plans';
import { subscriptionsCollection } from './mirror/store/subscriptions';

type Context = ServiceContext<Config>;

export async function openStore({ config, clock, ids, log, tracing, executor, open }: Context): Promise<Store> {
  const store = await open(
    'document store',
    connectStore({
      url: config.MONGODB_URL,
      database: config.MONGODB_DATABASE,
      schemaSteps,
      clock,
      ids,
      log,
      tracing,
      appName: executor.instance,
    }),
    (opened) => opened.close(),
  );
  store.collection(operationsCollection);
  store.collection(subscriptionsCollection);
  store.collection(plansCollection);
  declareEventCollections(store);
  declareMigrationCollections(store);
  declareConsoleCollections(store);
  const records = store.collection(incarnationsCollection);
  await store.ensureIndexes();
  await open('incarnation', registerIncarnation({ records, executor, clock }), (registered) => registered.stop());
  return store;
}

export async function openMessaging({ config, log, tracing, service, open, stop }: Context): Promise<Messaging> {
  let closing = false;
  const credentials =
    config.NATS_USER !== undefined && config.NATS_PASSWORD !== undefined
      ? { user: config.NATS_USER, password: config.NATS_PASSWORD }
      : undefined;
  const messaging = await open(
    'broker',
    connectMessaging({
      url: config.NATS_URL,
      name: service,
      topology: platformTopology(),
      log,
      tracing,
      ...(credentials && { credentials, inboxPrefix: `_INBOX_${service}` }),
    }),
    (opened) => {
      closing = true;
      return opened.close();
    },
  );
  void messaging.closed.then((error) => {
    if (!closing) stop('the connection to the broker has ended for good', error);
  });
  await messaging.assertTopology();
  return messaging;
}

export function openProvider({ config, log, tracing, open }: Context): Promise<PaymentProvider> {
  return open(
    'payment provider',
    createStripeProvider({
      secretKey: config.STRIPE_SECRET_KEY,
      ...(config.STRIPE_API_BASE && { apiBase: config.STRIPE_API_BASE }),
      timeoutMs: config.STRIPE_TIMEOUT_MS,
      log,
      tracing,
    }),
    (opened) => opened.close(),
  );
}
