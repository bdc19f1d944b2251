/**
 * The start of a service, the same everywhere: store, database clock, incarnation, broker, then the service's own work.
 * A composition root gets ports and helpers from here and contains only workflows and routes.
 */
import { inDeployment, refused, type OutboxEntry } from '@platform/kernel';
import { createHttpServer, problem, type HttpServerOptions, type Problem } from '@platform/http-server';
import type { ConsumeOptions, Endpoint, Handle, Messaging } from '@platform/messaging';
import { StoreUnavailableError, UnreadableRecordError, type Store } from '@platform/mongo';
import { createOutboxRelay, type OutboxRelay, type OutboxSource, type Publish, type Received } from '@platform/outbox';
import { startPeriodic, type ServiceContext } from '@platform/service-host';
import { openBroker, openStore, type ConnectionConfig, type StoreDeclaration } from './connections';
import {
  backlogEndpoint,
  createAskExecutors,
  createInterruptedWatch,
  createIsUnderWay,
  interruptionNoticesCollection,
  type AskExecutors,
  type IsUnderWay,
  type RunningWork,
  type WorkRegister,
} from '../executors';
import { executorStateIn, incarnationsCollection, type ExecutorStateOf } from './incarnations';
import { openWork } from './open-work';
import { certificatesLookedAtEveryMs, observeCertificates, watchCertificates } from './certificates';
import { countUnacknowledged, observeDependencies } from './observe-dependencies';
import { readinessOf, streamsLookedAtEveryMs, watchStreams, type StreamWatch } from './readiness';

export interface ServiceDeclaration extends StoreDeclaration {
  /** The streams that the service reads or writes, besides alerts and dead letters; readiness names missing ones. */
  readonly streams: readonly string[];
  /** The buckets that the service writes. */
  readonly buckets?: readonly string[];
}

/** The HTTP server options that a service chooses. Dependencies and their checks are not among them. */
export type HttpDeclaration = Omit<
  HttpServerOptions,
  'name' | 'version' | 'readiness' | 'metrics' | 'log' | 'tracing' | 'mapError' | 'rateLimit'
> & {
  /** Requests per caller and address; 0 or absent: no limit. */
  readonly ratePerMinute?: number;
};

export interface StartedService<C> extends ServiceContext<C> {
  readonly store: Store;
  readonly messaging: Messaging;
  /** The state of a boot in the register; `askExecutors` also asks the processes. */
  readonly executorState: ExecutorStateOf;
  readonly askExecutors: AskExecutors;
  readonly isUnderWay: IsUnderWay;
  /** The work of this process; other processes may query it. */
  readonly work: WorkRegister;
  /** Alerts people of running work whose executor does not answer; the service declares the collection of notices. */
  watchInterrupted(figure: 'operations' | 'creations', running: () => Promise<readonly RunningWork[]>): Promise<void>;
  /** The outboxes of this service by their collections; any requester gets their backlog. */
  readonly outboxes: Map<string, Pick<OutboxSource, 'backlog'>>;
  /** The relay of these outboxes; the caller starts it after handling what earlier boots left. */
  openRelay<S extends string>(
    name: string,
    sources: Readonly<Record<S, OutboxSource>>,
    /**
     * Where entries are published, by default to the streams of their subjects; and how to learn that a receiver has
     * one.
     */
    ways?: { readonly publish?: Publish; readonly received?: Received },
  ): Promise<OutboxRelay<S>>;
  consume(name: string, options: ConsumeOptions, handle: Handle): Promise<void>;
  /** Calls back when streams of this service were recreated: what they held must be sent again from the records. */
  onStreamsRecreated: StreamWatch['onRecreated'];
  /** Answers requests under the service's own name. */
  answer(description: string, endpoints: readonly Endpoint[]): Promise<void>;
  /** Work that repeats until the service ends; `everyMs` is the pause after a round. */
  repeat(name: string, everyMs: number, work: (stopping: () => boolean) => Promise<unknown>): Promise<void>;
  /** Adds people's decisions to the audit trails every half minute. */
  audit(...keep: readonly ((stopping: () => boolean) => Promise<unknown>)[]): Promise<void>;
  /**
   * The only way to open an HTTP server, with readiness, metrics and the answer to a store that is unreachable. It
   * serves at once.
   */
  listen(http: HttpDeclaration): Promise<{ readonly url: string }>;
}

const version = '0.1.0';
const auditEveryMs = 30_000;
const quarantineEveryMs = 2_000;
const interruptedEveryMs = 10_000;
/** Every service may raise an alert or set a message aside. */
const everybodysStreams = ['ALERTS', 'DEAD_LETTERS'];
const streamsOf = ({ streams, buckets = [] }: ServiceDeclaration) => ({
  streams: [...new Set([...streams, ...everybodysStreams])],
  buckets,
});

/** Opens what every service needs. Throws when the store or the topology is not what the service needs. */
export async function startService<C extends ConnectionConfig>(
  local: ServiceContext<C>,
  declaration: ServiceDeclaration,
): Promise<StartedService<C>> {
  const { store, clock, quarantine, incarnation } = await openStore(local, declaration);
  const context: ServiceContext<C> = { ...local, clock };
  const broker = countUnacknowledged(await openBroker(context), local.metrics);
  const messaging = forPeople(withProblems(broker), local.config.OPS_COMMAND);
  const { log, open, service } = context;
  const repeat: StartedService<C>['repeat'] = async (name, everyMs, work) => {
    await open(name, startPeriodic({ name, everyMs, log, work }), (opened) => opened.close());
  };
  const streams = await watchBroker(context, store, messaging, streamsOf(declaration), repeat);
  await repeat('alerts of records set aside', quarantineEveryMs, () => quarantine.publish(messaging));
  const work = await openWork(context, messaging, incarnation, repeat);
  const asking = askingOf(context, store, messaging, work);
  const { askExecutors } = asking;
  const outboxes: StartedService<C>['outboxes'] = new Map();
  await answerBacklogs(context, messaging, outboxes);
  const openRelay: StartedService<C>['openRelay'] = (
    name,
    sources,
    { publish = (message: Parameters<Publish>[0]) => messaging.publish(message), received } = {},
  ) => {
    for (const [source, outbox] of Object.entries<OutboxSource>(sources)) outboxes.set(source, outbox);
    const relay = createOutboxRelay({ sources, publish, clock, log, ...(received && { received }) });
    streams.onRecreated(() => relay.streamsRecreated());
    return open(name, relay, (opened) => opened.close());
  };
  return {
    ...context,
    store,
    messaging,
    executorState: executorStateIn(store),
    ...asking,
    work,
    outboxes,
    watchInterrupted: (figure, running) =>
      watchInterrupted({ ...context, store, askExecutors, openRelay, repeat }, figure, running),
    openRelay,
    onStreamsRecreated: (listener) => streams.onRecreated(listener),
    consume: async (name, options, handle) => {
      // Closing waits for running handlers, so writes that cannot succeed are given up first.
      await open(name, messaging.consume(options, handle), (subscription) => (work.end(), subscription.close()));
    },
    answer: async (description, endpoints) => {
      const serving = messaging.serve({ name: service, version, description }, endpoints);
      await open('questions', serving, (opened) => (work.end(), opened.close()));
    },
    repeat,
    audit: (...keep) =>
      repeat('audit trail', auditEveryMs, async (stopping) => {
        for (const trail of keep) await trail(stopping);
      }),
    listen: async (http) => {
      const server = createHttpServer(serverOptions(context, http, readinessOf({ store, messaging, streams })));
      await open('http server', server, (opened) => (work.end(), opened.close()));
      return { url: await server.listen({ host: context.config.HOST, port: context.config.PORT }) };
    },
  };
}

/** The questions to the processes of this service. */
function askingOf(
  { executor, service, clock }: ServiceContext<unknown>,
  store: Store,
  messaging: Messaging,
  register: WorkRegister,
): Pick<StartedService<unknown>, 'askExecutors' | 'isUnderWay'> {
  const boots = store.collection(incarnationsCollection);
  const askExecutors = createAskExecutors({
    messaging,
    boots,
    own: { executor, register },
    now: () => clock.now(),
  });
  return { askExecutors, isUnderWay: createIsUnderWay(boots, service, askExecutors) };
}

/** Watches streams, and certificates where the connection uses them, for metrics and readiness. */
async function watchBroker(
  { config, clock, log, metrics }: ServiceContext<ConnectionConfig>,
  store: Store,
  messaging: Messaging,
  needed: ReturnType<typeof streamsOf>,
  repeat: StartedService<ConnectionConfig>['repeat'],
): Promise<StreamWatch> {
  const streams = watchStreams(messaging, needed, log, config.STREAM_COPIES);
  observeDependencies(metrics, store, messaging, streams);
  if (config.NATS_CA !== undefined) {
    const certificates = watchCertificates(config.NATS_URL, config.NATS_CA);
    observeCertificates(metrics, clock, certificates);
    await repeat('watch over certificates', certificatesLookedAtEveryMs, () => certificates.look());
  }
  await repeat('watch over the streams', streamsLookedAtEveryMs, () => streams.look());
  return streams;
}

async function answerBacklogs(
  { open, service }: ServiceContext<unknown>,
  messaging: Messaging,
  outboxes: StartedService<unknown>['outboxes'],
): Promise<void> {
  const description = 'How many rows of the outboxes wait';
  const serving = messaging.serve({ name: service, version, description }, [backlogEndpoint(service, outboxes)]);
  await open('questions about outboxes', serving, (opened) => opened.close());
}

/** Every few seconds, checks recorded work whose executor does not answer, with its metric and its alerts. */
async function watchInterrupted(
  service: Pick<
    StartedService<unknown>,
    'store' | 'askExecutors' | 'openRelay' | 'repeat' | 'metrics' | 'clock' | 'log' | 'service'
  >,
  figure: string,
  running: () => Promise<readonly RunningWork[]>,
): Promise<void> {
  const notices = service.store.collection(interruptionNoticesCollection);
  const relay = await service.openRelay('outbox relay of notices', { notices: notices.outbox });
  relay.start();
  const publishNow = (id: string, entries: readonly OutboxEntry[]) => void relay.publishNow('notices', id, entries);
  const watch = createInterruptedWatch({ ...service, notices, ask: service.askExecutors, running, publishNow });
  service.metrics.observedGauge(
    {
      name: `${figure}_interrupted`,
      help: 'Work that is recorded as running, and no process says that it executes it.',
    },
    () => watch.interrupted(),
  );
  await service.repeat('watch over running work', interruptedEveryMs, () => watch.look());
}

/** Alerts name the command in the form that works in this deployment. */
function forPeople(messaging: Messaging, opsCommand: string): Messaging {
  return {
    ...messaging,
    publish: (message) => {
      const { run } = message.body;
      return messaging.publish(
        typeof run === 'string'
          ? { ...message, body: { ...message.body, run: inDeployment(run, opsCommand) } }
          : message,
      );
    },
  };
}

function serverOptions(
  { service, metrics, log, tracing }: ServiceContext<unknown>,
  { ratePerMinute: rate = 0, ...http }: HttpDeclaration,
  readiness: HttpServerOptions['readiness'],
): HttpServerOptions {
  return {
    shedsLoad: true,
    ...http,
    name: service,
    version,
    ...(rate > 0 && { rateLimit: { perAddress: rate, perCaller: rate, windowMs: 60_000 } }),
    readiness,
    metrics,
    log,
    tracing,
    mapError: storeProblem,
  };
}

/** The problem for a caller when the store fails; undefined for any other error. */
export function storeProblem(error: unknown): Problem | undefined {
  if (error instanceof StoreUnavailableError) return problem('store_unavailable', { retryAfterSeconds: 2 });
  if (!(error instanceof UnreadableRecordError)) return undefined;
  const { collection, id, why } = error.record;
  return problem('record_unreadable', {
    detail: `${collection}/${id} ${why}. It was set aside; nothing is decided on it until a person has repaired it.`,
    extras: { record: { collection, id } },
  });
}

/** The same over the broker: a request about a record that cannot be read is refused with its code. */
function withProblems(messaging: Messaging): Messaging {
  const answering = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    answer: async (body, subject) => {
      try {
        return await endpoint.answer(body, subject);
      } catch (error) {
        if (!(error instanceof UnreadableRecordError)) throw error;
        return refused({ code: 'record_unreadable', message: error.message });
      }
    },
  });
  return { ...messaging, serve: (service, endpoints) => messaging.serve(service, endpoints.map(answering)) };
}
