/**
 * The connections of a service, opened in one order: the document store with its declared collections, the database's
 * clock, the incarnation of this boot, the broker. Work begins after all of them.
 */
import { connectMessaging, platformTopology, TopologyError, type Messaging } from '@platform/messaging';
import {
  connectStore,
  createDatabaseClock,
  keepMeasuring,
  StoreUnavailableError,
  type CollectionDeclaration,
  type SchemaStep,
  type Store,
} from '@platform/mongo';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import {
  IncarnationNotWrittenError,
  registerIncarnation,
  type RegisteredIncarnation,
  type ServiceContext,
} from '@platform/service-host';
import { withPatience, type Clock, type Log, type Patience, type Revisioned } from '@platform/kernel';
import { incarnationsCollection } from './incarnations';
import { createQuarantineReport, type QuarantineReport } from './report-quarantine';

export interface ConnectionConfig {
  readonly HOST: string;
  readonly PORT: number;
  readonly MONGODB_URL: string;
  readonly MONGODB_DATABASE: string;
  readonly NATS_URL: string;
  readonly NATS_USER?: string | undefined;
  readonly NATS_PASSWORD?: string | undefined;
  readonly NATS_CA?: string | undefined;
  /** The number of copies with which every stream must be configured. */
  readonly STREAM_COPIES?: number | undefined;
  /** How many times a live executor retries before people are alerted that the store does not accept its result. */
  readonly JOURNAL_PATIENCE_TRIES?: number;
  /** How people run the off-line commands in this deployment. */
  readonly OPS_COMMAND: string;
}

export interface ProviderConfig {
  readonly STRIPE_SECRET_KEY: string;
  readonly STRIPE_API_BASE?: string | undefined;
  readonly STRIPE_TIMEOUT_MS: number;
  readonly STRIPE_CONNECTIONS: number;
}

export interface StoreDeclaration {
  /** All collections of the service except its register of boots. */
  readonly collections: readonly CollectionDeclaration<Revisioned>[];
  readonly schemaSteps: readonly SchemaStep[];
}

export interface OpenedStore {
  readonly store: Store;
  readonly clock: Clock;
  readonly quarantine: QuarantineReport;
  readonly incarnation: RegisteredIncarnation;
}

/**
 * How long each step of a start waits for a store or a broker that does not answer yet, before the service ends and is
 * started again.
 */
const startPatienceMs = 30_000;

function storePatience(log: Log): Patience {
  const mayPass = (error: unknown): boolean =>
    error instanceof StoreUnavailableError || error instanceof IncarnationNotWrittenError;
  return { dependency: 'the document store', forMs: startPatienceMs, mayPass, log };
}

/**
 * A broker that is busy, or whose servers have no leader yet, answers late. What it lacks and what it refuses are
 * answers.
 */
function brokerPatience(log: Log): Patience {
  const mayPass = (error: unknown): boolean =>
    !(error instanceof TopologyError) && (error as Error).name !== 'PermissionViolationError';
  return { dependency: 'the broker', forMs: startPatienceMs, mayPass, log };
}

/** The store with its indexes, and the one clock by which all records are stamped and judged: the database's. */
export async function openStore(
  { service, config, clock: local, ids, log, tracing, executor, metrics, open }: ServiceContext<ConnectionConfig>,
  { collections, schemaSteps }: StoreDeclaration,
): Promise<OpenedStore> {
  const clock = createDatabaseClock(local);
  const quarantine = createQuarantineReport({ service, clock, log, metrics });
  const connecting = connectStore({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    schemaSteps,
    clock,
    ids,
    log,
    tracing,
    appName: executor.instance,
    startPatienceMs,
    onQuarantined: (record) => quarantine.note(record),
  });
  const store = await open('document store', connecting, (opened) => opened.close());
  for (const declaration of collections) store.collection(declaration);
  const records = store.collection(incarnationsCollection);
  await store.ensureIndexes();
  const readClock = () => store.now();
  const patience = storePatience(log);
  await withPatience(patience, () => clock.measure(readClock));
  await open("the database's clock", keepMeasuring(clock, readClock, log), (measuring) => measuring.close());
  const registering = withPatience(patience, () => registerIncarnation({ records, executor, clock }));
  const incarnation = await open('incarnation', registering, (registered) => registered.stop());
  return { store, clock, quarantine, incarnation };
}

/** The broker with its topology checked; the process ends when the connection has ended permanently. */
export async function openBroker(context: ServiceContext<ConnectionConfig>): Promise<Messaging> {
  const { config, log, tracing, service, open, stop } = context;
  const { NATS_USER: user, NATS_PASSWORD: password } = config;
  let closing = false;
  const connecting = connectMessaging({
    url: config.NATS_URL,
    name: service,
    topology: platformTopology(),
    ca: config.NATS_CA,
    log,
    tracing,
    ...(user !== undefined && password !== undefined && { credentials: { user, password } }),
  });
  const messaging = await open('broker', connecting, (opened) => {
    closing = true;
    return opened.close();
  });
  void messaging.closed.then((error) => {
    if (!closing) stop('the connection to the broker has ended for good', error);
  });
  await assertTopology(messaging, log);
  return messaging;
}

/** Throws {@link TopologyError} when streams, durables or buckets are missing or differ. */
export function assertTopology(messaging: Pick<Messaging, 'assertTopology'>, log: Log): Promise<void> {
  return withPatience(brokerPatience(log), () => messaging.assertTopology());
}

/** Part of the connections that reads may take beside operations: what people look at holds up nothing that is done. */
const shareOfReads = 1 / 4;

/**
 * The payment provider; nothing is sent to it before the first call. One that is opened for reads has connections of its
 * own, and fewer.
 */
export function openProvider(
  { config, log, tracing, open }: ServiceContext<ProviderConfig>,
  use: 'operations' | 'reads' = 'operations',
): Promise<PaymentProvider> {
  const most = config.STRIPE_CONNECTIONS;
  const provider = createStripeProvider({
    secretKey: config.STRIPE_SECRET_KEY,
    ...(config.STRIPE_API_BASE && { apiBase: config.STRIPE_API_BASE }),
    timeoutMs: config.STRIPE_TIMEOUT_MS,
    connections: use === 'reads' ? Math.ceil(most * shareOfReads) : most,
    log,
    tracing,
  });
  return open(`payment provider for ${use}`, provider, (opened) => opened.close());
}
