/** The part of the composition that serves the operator console: its work queue, its cases, its live changes and its page. */
import { join } from 'node:path';
import { WORK_CHANGES_STREAM, type WorkKind } from '@platform/contracts-operator';
import { PROVIDER_EVENT_STREAMS, WORKSPACE_STREAM } from '@platform/contracts-provisioning';
import type { Route } from '@platform/http-server';
import type { Handle, Messaging } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { startPeriodic, type ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { caseRoutes } from './http/case-routes';
import { consoleRoutes } from './http/console-routes';
import { createLiveStreams, liveRoutes, type LiveStreams } from './http/live-routes';
import { workQueueRoutes } from './http/work-queue-routes';
import { onEndedCreation, onSettledWork } from './messages/on-settled-work';
import { onAlert, onProviderOutcome } from './messages/on-unresolved-work';
import { onWorkChanged } from './messages/on-work-changed';
import { planMigrationItemsCollection } from './store/plan-migration-items';
import { planMigrationsCollection } from './store/plan-migrations';
import { providerEventAdmissionsCollection } from './store/provider-event-admissions';
import { workItemsCollection } from './store/work-items';
import { readCase, type CasePorts } from './workflows/cases/read-case';
import type { OperatorPorts } from './workflows/ports';
import type { ReadPorts } from './workflows/read-operation';
import { createCounters } from './workflows/work-queue/count-work';
import { createKnownWeights } from './workflows/work-queue/known-weights';
import { createQueueKeeper } from './workflows/work-queue/keep-queue';
import { createAnnouncer, createLiveFeed } from './workflows/work-queue/live-feed';
import {
  attemptOwner,
  deliveryOwner,
  eventOwner,
  migrationItemOwner,
  migrationOwner,
  operationOwner,
} from './workflows/work-queue/owners';
import { createPrices } from './workflows/work-queue/prices';
import { isUnavailable, type WorkQueuePorts } from './workflows/work-queue/ports';
import { refreshItem } from './workflows/work-queue/refresh-item';
import { searchWork } from './workflows/work-queue/search-work';

const lookingConcurrency = 8;
const turnEveryMs = 1_000;
const walkPauseMs = 15_000;
const queueDurable = 'operator-work-queue';

export interface ConsoleParts {
  readonly store: Store;
  readonly messaging: Messaging;
  readonly provider: PaymentProvider;
  readonly ports: OperatorPorts;
  readonly reads: ReadPorts;
}

export interface ConsoleComposition {
  readonly routes: readonly Route[];
  readonly streams: LiveStreams;
  /** Looks at an operation that this process has just answered about; never throws. */
  readonly look: (operationId: string) => Promise<void>;
}

/** Declares the collection; before the indexes are ensured. */
export function declareConsoleCollections(store: Store): void {
  store.collection(workItemsCollection);
}

/** Where the console's files lie beside the bundle: in an image, and in `dist`. */
const besideTheBundle = ['operator-console', '../../libs/operator-console'].map((place) => join(__dirname, place));

export async function composeConsole(
  context: ServiceContext<Config>,
  { store, messaging, provider, ports, reads }: ConsoleParts,
): Promise<ConsoleComposition> {
  const { clock, config } = context;
  const owned = {
    ...reads,
    subscriptions: ports.subscriptions,
    plans: ports.plans,
    migrations: store.collection(planMigrationsCollection),
    migrationItems: store.collection(planMigrationItemsCollection),
    messaging,
  };
  const prices = createPrices(owned, clock);
  const items = store.collection(workItemsCollection);
  const owners = [
    operationOwner(owned, prices),
    migrationOwner(owned, prices),
    migrationItemOwner(owned, prices),
    eventOwner(owned, prices),
    attemptOwner(owned, prices),
    deliveryOwner(owned, prices),
  ];
  const { streams, weights, counters, keeper, look } = await openWorkQueue(context, messaging, items, owners);
  const admissions = store.collection(providerEventAdmissionsCollection);
  const cases: CasePorts = { ...owned, provider, clock, prices, admissions };
  return {
    streams,
    look,
    routes: [
      ...workQueueRoutes({
        items,
        weights,
        clock,
        count: () => counters.read(),
        sources: () => keeper.sources(),
        search: (text) => searchWork({ ...owned, items }, text),
      }),
      ...caseRoutes({
        readCase: (kind, itemId) => readCase(cases, kind, itemId),
        clock,
        signingKey: config.CASE_SIGNING_KEY,
      }),
      ...liveRoutes(streams),
      ...consoleRoutes(config.CONSOLE_DIR === undefined ? besideTheBundle : [config.CONSOLE_DIR]),
    ],
  };
}

/** Keeps the queue from what its owners say and what the broker announces, and tells browsers of each change. */
async function openWorkQueue(
  { open, clock, log, ids, executor, metrics }: ServiceContext<Config>,
  messaging: Messaging,
  items: WorkQueuePorts['items'],
  owners: WorkQueuePorts['owners'],
) {
  const feed = createLiveFeed();
  const weights = createKnownWeights(items, clock);
  const counters = createCounters(items, weights, clock);
  const streams = createLiveStreams(feed);
  feed.listen(() => {
    weights.forget();
    counters.forget();
  });
  const announcer = await open(
    'announcements of the work queue',
    createAnnouncer({ publish: (message) => messaging.publish(message), ids }),
    (opened) => opened.close(),
  );
  const queue: WorkQueuePorts = { items, owners, clock, log, announce: (change) => announcer.announce(change) };
  const keeper = createQueueKeeper(queue, walkPauseMs);
  const refresh = (kind: WorkKind, itemId: string) => refreshItem(queue, kind, itemId);
  await listenForWork({ open, messaging, instance: executor.instance }, refresh, onWorkChanged(feed));
  await open(
    'work queue',
    startPeriodic({ name: 'work queue', everyMs: turnEveryMs, log, work: (stopping) => keeper.turn(stopping) }),
    (opened) => opened.close(),
  );
  metrics.observedGauge(
    { name: 'live_streams_open', help: 'Browsers that listen for changes of the work queue.' },
    () => streams.count(),
  );
  const look = async (operationId: string): Promise<void> => {
    const refreshed = await refresh('operation', operationId).catch((error: unknown) => ({
      unavailable: String(error),
    }));
    if (isUnavailable(refreshed))
      log.debug({ operationId, problem: refreshed.unavailable }, 'the work queue will look again');
  };
  return { streams, weights, counters, keeper, look };
}

async function listenForWork(
  { open, messaging, instance }: { open: ServiceContext<Config>['open']; messaging: Messaging; instance: string },
  refresh: Parameters<typeof onAlert>[0],
  tellBrowsers: Handle,
): Promise<void> {
  const listen = async (name: string, stream: string, durable: string, handle: Handle) => {
    await open(name, messaging.consume({ stream, durable, concurrency: lookingConcurrency }, handle), (subscription) =>
      subscription.close(),
    );
  };
  await listen('alerts', 'ALERTS', queueDurable, onAlert(refresh));
  await listen(
    'outcomes of provider events',
    PROVIDER_EVENT_STREAMS.outcomes,
    queueDurable,
    onProviderOutcome(refresh),
  );
  await listen('settlements of the work queue', 'LIFECYCLE_SETTLED', queueDurable, onSettledWork(refresh));
  await listen('creations of the work queue', WORKSPACE_STREAM, queueDurable, onEndedCreation(refresh));
  const durable = instance.replaceAll('.', '_');
  const declared = { stream: WORK_CHANGES_STREAM, durable, filterSubjects: [], ackWaitMs: 10_000, maxAckPending: 256 };
  await open('changes of all replicas', messaging.ensureDurable(declared), () =>
    messaging.removeDurable(WORK_CHANGES_STREAM, durable).catch(() => undefined),
  );
  await listen('browsers', WORK_CHANGES_STREAM, durable, tellBrowsers);
}
