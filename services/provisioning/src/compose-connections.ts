/** The part of the composition that connects: to the document store, with its collections declared, the broker and the provider. */
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { connectStore, type Store } from '@platform/mongo';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { registerIncarnation, type ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { auditBlocksCollection } from './store/audit-blocks';
import { incarnationsCollection } from './store/collections';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf } from './workflows/ports';

type Context = ServiceContext<Config>;

export async function openStore({ config, clock, ids, log, tracing, executor, open }: Context): Promise<Store> {
  const options = {
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    schemaSteps,
    clock,
    ids,
    log,
    tracing,
    appName: executor.instance,
  };
  const store = await open('document store', connectStore(options), (opened) => opened.close());
  collectionsOf(store);
  store.collection(auditBlocksCollection);
  const records = store.collection(incarnationsCollection);
  await store.ensureIndexes();
  await open('incarnation', registerIncarnation({ records, executor, clock }), (registered) => registered.stop());
  return store;
}

export async function openMessaging({ config, log, tracing, service, open, stop }: Context): Promise<Messaging> {
  let closing = false;
  const { NATS_USER: user, NATS_PASSWORD: password } = config;
  const credentials =
    user !== undefined && password !== undefined
      ? { credentials: { user, password }, inboxPrefix: `_INBOX_${user}` }
      : {};
  const messaging = await open(
    'broker',
    connectMessaging({
      url: config.NATS_URL,
      name: service,
      topology: platformTopology(),
      log,
      tracing,
      ...credentials,
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
