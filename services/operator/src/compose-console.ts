/** The part of the composition that serves the operator console: its work queue, its cases, its live changes and its page. */
import { join } from 'node:path';
import { workChangesStream, type WorkKind } from '@platform/contracts-operator';
import { providerEventStreams, workspaceStream } from '@platform/contracts-provisioning';
import type { StartedService } from '@platform/durable/boot';
import { staticPageRoutes, type Route } from '@platform/http-server';
import type { Handle } from '@platform/messaging';
import type { Gateway } from './compose-gateway';
import type { Config } from './config';
import { caseReader, caseRoutes } from './cases/http/case-routes';
import { caseWorkRoutes } from './casework/http/case-work-routes';
import { casePinsCollection, caseWorkCollection } from './casework/store/case-work';
import { caseKey } from './casework/workflows/work-on-case';
import { createLiveStreams, liveRoutes, type LiveStreams } from './work-queue/http/live-routes';
import { workQueueRoutes } from './work-queue/http/work-queue-routes';
import { onEndedCreation, onSettledWork } from './work-queue/messages/on-settled-work';
import { onAlert, onProviderOutcome } from './work-queue/messages/on-unresolved-work';
import { onWorkChanged } from './work-queue/messages/on-work-changed';
import { contradictionsCollection } from './contradictions/store/contradictions';
import { deadLettersCollection } from './dead-letters/store/dead-letters';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';
import { planMigrationsCollection } from './migrations/store/plan-migrations';
import { proposalsCollection } from './proposals/store/proposals';
import { providerEventAdmissionsCollection } from './provider-events/store/provider-event-admissions';
import { differencesCollection } from './reconciliation/store/differences';
import { workItemsCollection } from './work-queue/store/work-items';
import { readCase, type CasePorts } from './cases/workflows/read-case';
import { createCounters } from './work-queue/workflows/count-work';
import { createKnownWeights } from './work-queue/workflows/known-weights';
import { createQueueKeeper } from './work-queue/workflows/keep-queue';
import { createAnnouncer, createLiveFeed } from './work-queue/workflows/live-feed';
import { attemptOwner, deletionOwner, deliveryOwner, eventOwner } from './work-queue/workflows/asked-owners';
import {
  deadLetterOwner,
  differenceOwner,
  migrationItemOwner,
  migrationOwner,
  operationOwner,
} from './work-queue/workflows/owners';
import { withContradictions } from './work-queue/workflows/contradicted-work';
import { createPrices } from './work-queue/workflows/prices';
import { isUnavailable, type WorkQueuePorts } from './work-queue/workflows/ports';
import { refreshItem } from './work-queue/workflows/refresh-item';
import { searchWork } from './work-queue/workflows/search-work';

const lookingConcurrency = 8;
const roundEveryMs = 1_000;
const walkPauseMs = 15_000;
const ownDurableEveryMs = 5_000;
const queueDurable = 'operator-work-queue';

export interface ConsoleComposition {
  readonly routes: readonly Route[];
  readonly streams: LiveStreams;
  /** Refreshes the queue's row of an operation that this process has just answered about; never throws. */
  readonly look: (operationId: string) => Promise<void>;
}

export const consoleCollections = [workItemsCollection, caseWorkCollection, casePinsCollection];

/** Where the console's files are, relative to the bundle: in an image, and in `dist`. */
const besideTheBundle = ['operator-console', '../../libs/operator-console'].map((place) => join(__dirname, place));

export async function composeConsole({ service, provider, ports, reads }: Gateway): Promise<ConsoleComposition> {
  const { clock, config, store, messaging } = service;
  const owned = {
    ...reads,
    subscriptions: ports.subscriptions,
    plans: ports.plans,
    migrations: store.collection(planMigrationsCollection),
    migrationItems: store.collection(planMigrationItemsCollection),
    messaging,
  };
  const letters = store.collection(deadLettersCollection);
  const contradictions = store.collection(contradictionsCollection);
  const differences = store.collection(differencesCollection);
  const prices = createPrices(owned, clock);
  const items = store.collection(workItemsCollection);
  const owners = [
    withContradictions(operationOwner(owned, prices), contradictions, prices),
    migrationOwner(owned, prices),
    withContradictions(migrationItemOwner(owned, prices), contradictions, prices),
    withContradictions(eventOwner(owned, prices), contradictions, prices),
    withContradictions(attemptOwner(owned, prices), contradictions, prices),
    deletionOwner(owned),
    deliveryOwner(owned, prices),
    deadLetterOwner(letters),
    differenceOwner(differences),
  ];
  const read = { letters, messaging };
  const { streams, weights, counters, keeper, look, announce } = await openWorkQueue(service, items, owners);
  const admissions = store.collection(providerEventAdmissionsCollection);
  const cases: CasePorts = { ...owned, provider, clock, prices, admissions, letters: read, differences };
  const reading = {
    readCase: (kind: WorkKind, itemId: string) => readCase(cases, kind, itemId),
    opsCommand: config.OPS_COMMAND,
  };
  return {
    streams,
    look,
    routes: [
      ...workQueueRoutes({
        ...workOf(service),
        items,
        weights,
        count: () => counters.read(),
        sources: () => keeper.sources(),
        search: (text) => searchWork({ ...owned, items }, text),
      }),
      ...caseRoutes({ ...reading, clock, signingKey: config.CASE_SIGNING_KEY }),
      ...workRoutes(service, items, caseReader(reading), announce),
      ...liveRoutes(streams),
      ...staticPageRoutes({
        base: '/console',
        title: 'The operator console',
        folders: config.CONSOLE_DIR === undefined ? besideTheBundle : [config.CONSOLE_DIR],
      }),
    ],
  };
}

/** Composes people's work on cases, and the proposals that show their progress. */
function workOf({ store, clock }: StartedService<Config>) {
  return { work: store.collection(caseWorkCollection), proposals: store.collection(proposalsCollection), clock };
}

function workRoutes(
  service: StartedService<Config>,
  items: WorkQueuePorts['items'],
  read: ReturnType<typeof caseReader>,
  announce: WorkQueuePorts['announce'],
): Route[] {
  const { store, clock } = service;
  return caseWorkRoutes({
    ...workOf(service),
    pins: store.collection(casePinsCollection),
    openCase: (kind, itemId) => items.findById(caseKey(kind, itemId)),
    readCase: read,
    changed: async (kind, itemId) => {
      const row = await items.findById(caseKey(kind, itemId));
      if (row) announce({ kind, id: itemId, tenantId: row.tenantId, state: row.state, at: clock.now().toISOString() });
    },
  });
}

/**
 * Maintains the queue from its owners' answers and the broker's announcements, and notifies browsers of each change.
 */
async function openWorkQueue(
  service: StartedService<Config>,
  items: WorkQueuePorts['items'],
  owners: WorkQueuePorts['owners'],
) {
  const { clock, log, ids, metrics, messaging } = service;
  const feed = createLiveFeed();
  const weights = createKnownWeights(items, clock);
  const counters = createCounters(items, weights, clock);
  const streams = createLiveStreams(feed);
  feed.listen(() => {
    weights.forget();
    counters.forget();
  });
  const announcer = await service.open(
    'announcements of the work queue',
    createAnnouncer({ publish: (message) => messaging.publish(message), ids }),
    (opened) => opened.close(),
  );
  const queue: WorkQueuePorts = { items, owners, clock, log, announce: (change) => announcer.announce(change) };
  const keeper = createQueueKeeper(queue, walkPauseMs);
  const refresh = (kind: WorkKind, itemId: string) => refreshItem(queue, kind, itemId);
  await listenForWork(service, refresh, onWorkChanged(feed));
  await service.repeat('work queue', roundEveryMs, (stopping) => keeper.runRound(stopping));
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
  return { streams, weights, counters, keeper, look, announce: queue.announce };
}

async function listenForWork(
  service: StartedService<Config>,
  refresh: Parameters<typeof onAlert>[0],
  notifyBrowsers: Handle,
): Promise<void> {
  const { messaging, executor } = service;
  const listen = (name: string, stream: string, durable: string, handle: Handle) =>
    service.consume(name, { stream, durable, concurrency: lookingConcurrency }, handle);
  await listen('alerts', 'ALERTS', queueDurable, onAlert(refresh));
  await listen('outcomes of provider events', providerEventStreams.outcomes, queueDurable, onProviderOutcome(refresh));
  await listen('settlements of the work queue', 'LIFECYCLE_SETTLED', queueDurable, onSettledWork(refresh));
  await listen('creations of the work queue', workspaceStream, queueDurable, onEndedCreation(refresh));
  const durable = executor.instance.replaceAll('.', '_');
  const declared = { stream: workChangesStream, durable, filterSubjects: [], ackWaitMs: 10_000, maxAckPending: 256 };
  await service.open('changes of all replicas', messaging.ensureDurable(declared), () =>
    messaging.removeDurable(workChangesStream, durable).catch(() => undefined),
  );
  await listen('browsers', workChangesStream, durable, notifyBrowsers);
  // No topology declares the durable of a replica: after the broker lost its disk, only the replica itself can recreate
  // it.
  await service.repeat('durable of this replica', ownDurableEveryMs, async () => {
    if (messaging.quietConsumers().includes(`${workChangesStream}/${durable}`)) await messaging.ensureDurable(declared);
  });
}
