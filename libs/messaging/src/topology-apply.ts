/**
 * Applies the topology to the broker: for the person or script that runs `infra/nats/apply`, and for tests. Services
 * never call it, so a typing error in a deployment cannot quietly create a second set of streams.
 */
import { RetentionPolicy } from '@nats-io/jetstream';
import type { JetStreamManager, StreamConfig, StreamState } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { signOn, type BrokerCredentials } from './nats-context';
import { applyDurable, manager, unlessAbsent } from './nats-streams';
import type { Applied } from './nats-streams';
import { hasAtomicBatches } from './nats-batch';
import { bucketConfig, bucketDifferences, fixedDurable, streamConfig, streamDifferences } from './topology-config';
import type { ServerFeatures } from './topology-config';
import { bucketStream, createNamespace } from './topology';
import type { Topology } from './topology';

export interface ApplyOptions {
  readonly url: string;
  readonly credentials?: BrokerCredentials;
  /** The same option as a service's. */
  readonly ca?: string | undefined;
  readonly topology: Topology;
  readonly namespace?: string;
  /** 1 on a single server, 3 in production; absent: existing streams keep their copies, and new ones get as many. */
  readonly replicas?: 1 | 3 | 5;
  /** The losses to which a person has agreed; any other loss is refused before anything is changed. */
  readonly agreed?: {
    readonly fewerReplicas?: boolean;
    readonly lowerLimits?: boolean;
    /**
     * Streams that may be recreated, empty, where the broker cannot change the difference: their outboxes fill them
     * again.
     */
    readonly recreated?: readonly string[];
  };
}

/** The declared topology would lose copies or messages that the broker has; nothing was changed. */
export class TopologyLossError extends Error {
  constructor(
    readonly copies: readonly string[],
    readonly limits: readonly string[],
    readonly recreated: readonly string[],
  ) {
    super(
      ['The topology would lose what the broker holds; nothing was changed.', ...copies, ...limits, ...recreated].join(
        '\n',
      ),
    );
    this.name = 'TopologyLossError';
  }
}

export interface AppliedTopology {
  readonly serverVersion: string;
  /** Copies of the stream with the fewest. */
  readonly copies: number;
  /** One row per stream and durable (`STREAM/durable`), with what was done and, for an update, what differed. */
  readonly rows: readonly {
    readonly name: string;
    readonly action: Applied;
    readonly differences: readonly string[];
  }[];
}

/**
 * Creates what is missing and updates what differs; removes nothing, because a stream that is not declared may contain
 * messages for a consumer. Throws {@link TopologyLossError} when a change would lose copies or messages and no person
 * has agreed to it; throws when the server cannot be reached or refuses (for example another retention).
 */
export async function applyTopology(options: ApplyOptions): Promise<AppliedTopology> {
  return atBroker(options, async ({ jsm, serverVersion, features, topology: { streams, buckets } }) => {
    const existing = await readExisting(jsm, [
      ...streams.map(({ name }) => name),
      ...buckets.map(({ name }) => bucketStream(name)),
    ]);
    const copiesOf = copiesBy(existing, options.replicas);
    const streamsWanted = streams.map((declared) => streamConfig(declared, copiesOf(declared.name), features));
    const bucketsWanted = buckets.map((declared) => bucketConfig(declared, copiesOf(bucketStream(declared.name))));
    refuseLosses([...streamsWanted, ...bucketsWanted], existing, options.agreed ?? {});
    const rows: Row[] = [];
    for (const [at, declared] of streams.entries()) {
      const copies = copiesOf(declared.name);
      rows.push(
        await applyConfig(jsm, existing, streamsWanted[at], (actual) =>
          streamDifferences(declared, actual, copies, features),
        ),
      );
      for (const fixed of declared.durables) {
        const action = await applyDurable(jsm, fixedDurable(declared.name, fixed));
        rows.push({ name: `${declared.name}/${fixed.durable}`, action, differences: [] });
      }
    }
    for (const [at, declared] of buckets.entries()) {
      const copies = copiesOf(bucketStream(declared.name));
      rows.push(
        await applyConfig(jsm, existing, bucketsWanted[at], (actual) => bucketDifferences(declared, actual, copies)),
      );
    }
    const copies = Math.min(...[...streamsWanted, ...bucketsWanted].map((config) => config.num_replicas ?? 1));
    return { serverVersion, copies, rows };
  });
}

/** A connected broker, and the topology with the broker's names. */
export interface AtBroker {
  readonly jsm: JetStreamManager;
  readonly serverVersion: string;
  readonly features: ServerFeatures;
  readonly topology: Topology;
}

/** Connects, calls the function, closes. Rejects when the server cannot be reached. */
export async function atBroker<T>(
  options: Pick<ApplyOptions, 'url' | 'credentials' | 'ca' | 'topology' | 'namespace'>,
  work: (broker: AtBroker) => Promise<T>,
): Promise<T> {
  const connection = await connect({
    servers: options.url.split(','),
    name: 'topology-apply',
    ...signOn(options.credentials),
    ...(options.ca !== undefined && { tls: { ca: options.ca, handshakeFirst: true } }),
    timeout: 5_000,
  });
  try {
    const serverVersion = connection.info?.version ?? '0.0.0';
    const features = { atomicBatches: hasAtomicBatches(serverVersion) };
    const topology = createNamespace(options.namespace).topology(options.topology);
    return await work({ jsm: await manager(connection), serverVersion, features, topology });
  } finally {
    await connection.close();
  }
}

/**
 * Like {@link applyTopology}, with the existing numbers of copies; the local platform and tests call it before services
 * start.
 */
export async function ensureTopology(options: Omit<ApplyOptions, 'replicas'>): Promise<AppliedTopology> {
  return applyTopology(options);
}

type Row = AppliedTopology['rows'][number];
/** The broker's state of a stream. */
interface Held {
  readonly config: StreamConfig;
  readonly state: StreamState;
}
type Existing = ReadonlyMap<string, Held>;
type Wanted = Partial<StreamConfig> & { readonly name: string };

async function readExisting(jsm: JetStreamManager, names: readonly string[]): Promise<Existing> {
  const found = new Map<string, Held>();
  for (const name of names) {
    const info = await unlessAbsent(jsm.streams.info(name, { subjects_filter: '>' }));
    if (info) found.set(name, info);
  }
  return found;
}

/**
 * The copies of each stream: the given number; otherwise as many as it has, and for a new stream as many as the others
 * have.
 */
export function copiesBy(
  existing: ReadonlyMap<string, Pick<Held, 'config'>>,
  told: number | undefined,
): (name: string) => number {
  const most = Math.max(1, ...[...existing.values()].map(({ config }) => config.num_replicas));
  return (name) => told ?? existing.get(name)?.config.num_replicas ?? most;
}

/** Zero and below mean "no limit". */
const limitFields = ['max_age', 'max_msgs', 'max_bytes', 'max_msgs_per_subject'] as const;
const limitOf = (value: number | undefined): number => (value === undefined || value <= 0 ? Infinity : value);

/** The broker's current amount in the unit of a limit; times in nanoseconds. */
const heldOf: Readonly<Record<(typeof limitFields)[number], (state: StreamState) => number>> = {
  max_age: ({ messages, first_ts: first }) => (messages === 0 ? 0 : (Date.now() - Date.parse(first)) * 1_000_000),
  max_msgs: ({ messages }) => messages,
  max_bytes: ({ bytes }) => bytes,
  max_msgs_per_subject: ({ subjects = {} }) => Math.max(0, ...Object.values(subjects)),
};

/** A lower limit loses only existing messages: a stream that holds less than the new limit is not affected. */
function refuseLosses(
  wanted: readonly Wanted[],
  existing: Existing,
  agreed: NonNullable<ApplyOptions['agreed']>,
): void {
  const pairs = wanted.flatMap((config) => {
    const held = existing.get(config.name);
    return held ? [{ config, actual: held.config, state: held.state }] : [];
  });
  const copies = pairs
    .filter(({ config, actual }) => (config.num_replicas ?? 1) < actual.num_replicas)
    .map(({ config, actual }) => `${config.name}: ${actual.num_replicas} copies, asked for ${config.num_replicas}`);
  const limits = pairs.flatMap(({ config, actual, state }) =>
    limitFields
      .filter(
        (field) => limitOf(config[field]) < limitOf(actual[field]) && heldOf[field](state) > limitOf(config[field]),
      )
      .map((field) => `${config.name}: ${field} is ${actual[field]}, declared ${config[field]}`),
  );
  const recreated = pairs
    .filter(({ config, actual }) => needsRecreation(config, actual) && !agreed.recreated?.includes(config.name))
    .map(({ config, actual }) => `${config.name}: retention is ${actual.retention}, declared ${config.retention}`);
  const refused = [agreed.fewerReplicas ? [] : copies, agreed.lowerLimits ? [] : limits, recreated] as const;
  if (refused.some((losses) => losses.length > 0)) throw new TopologyLossError(...refused);
}

/** A broker cannot change a stream to or from a work queue. */
function needsRecreation(config: Wanted, actual: StreamConfig): boolean {
  return (
    [config.retention, actual.retention].includes(RetentionPolicy.Workqueue) && config.retention !== actual.retention
  );
}

async function applyConfig(
  jsm: JetStreamManager,
  existing: Existing,
  wanted: Wanted | undefined,
  differencesTo: (actual: StreamConfig) => string[],
): Promise<Row> {
  if (!wanted) throw new Error('a stream without its configuration');
  const { name } = wanted;
  const actual = existing.get(name)?.config;
  const recreated = actual !== undefined && needsRecreation(wanted, actual);
  if (recreated) await jsm.streams.delete(name);
  if (!actual || recreated) {
    await jsm.streams.add(wanted);
    return { name, action: 'created', differences: [] };
  }
  const differences = differencesTo(actual);
  if (differences.length === 0) return { name, action: 'unchanged', differences };
  await jsm.streams.update(name, wanted);
  return { name, action: 'updated', differences };
}
