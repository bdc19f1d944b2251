/**
 * Makes the broker what the topology says: for the person or script that runs `infra/nats/apply`, and for tests.
 * Services never call it, so that a typing error in a deployment cannot quietly create a second set of streams.
 */
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { applyDurable, manager, unlessAbsent } from './nats-streams';
import type { Applied } from './nats-streams';
import { hasAtomicBatches } from './nats-batch';
import { bucketConfig, bucketDifferences, fixedDurable, streamConfig, streamDifferences } from './topology-config';
import type { ServerFeatures } from './topology-config';
import { createNamespace } from './topology';
import type { BucketDeclaration, StreamDeclaration, Topology } from './topology';

export interface ApplyOptions {
  readonly url: string;
  readonly credentials?: { readonly user: string; readonly password: string };
  readonly topology: Topology;
  readonly namespace?: string;
  /** 1 on a single server, 3 in production. */
  readonly replicas: 1 | 3 | 5;
}

export interface AppliedTopology {
  readonly serverVersion: string;
  /** One row per stream and durable (`STREAM/durable`), with what was done and, for an update, what differed. */
  readonly rows: readonly {
    readonly name: string;
    readonly action: Applied;
    readonly differences: readonly string[];
  }[];
}

/**
 * Creates what is missing and updates what differs; removes nothing, because a stream that is not declared may hold
 * somebody's messages. Throws when the server cannot be reached or refuses (for example another retention).
 */
export async function applyTopology(options: ApplyOptions): Promise<AppliedTopology> {
  const connection = await connect({
    servers: options.url.split(','),
    name: 'topology-apply',
    ...(options.credentials ? { user: options.credentials.user, pass: options.credentials.password } : {}),
    timeout: 5_000,
  });
  try {
    const jsm = await manager(connection);
    const features = { atomicBatches: hasAtomicBatches(connection.info?.version ?? '0.0.0') };
    const rows: Row[] = [];
    const { streams, buckets } = createNamespace(options.namespace).topology(options.topology);
    for (const declared of streams) {
      rows.push(await applyStream(jsm, declared, options.replicas, features));
      for (const fixed of declared.durables) {
        const action = await applyDurable(jsm, fixedDurable(declared.name, fixed));
        rows.push({ name: `${declared.name}/${fixed.durable}`, action, differences: [] });
      }
    }
    for (const declared of buckets) rows.push(await applyBucket(jsm, declared, options.replicas));
    return { serverVersion: connection.info?.version ?? '0.0.0', rows };
  } finally {
    await connection.close();
  }
}

/** As {@link applyTopology} with one replica: what the local platform and tests call before services start. */
export async function ensureTopology(options: Omit<ApplyOptions, 'replicas'>): Promise<AppliedTopology> {
  return applyTopology({ ...options, replicas: 1 });
}

type Row = AppliedTopology['rows'][number];

async function applyStream(
  jsm: JetStreamManager,
  declared: StreamDeclaration,
  replicas: number,
  features: ServerFeatures,
): Promise<Row> {
  return applyConfig(jsm, streamConfig(declared, replicas, features), (actual) =>
    streamDifferences(declared, actual, replicas, features),
  );
}

function applyBucket(jsm: JetStreamManager, declared: BucketDeclaration, replicas: number): Promise<Row> {
  return applyConfig(jsm, bucketConfig(declared, replicas), (actual) => bucketDifferences(declared, actual, replicas));
}

async function applyConfig(
  jsm: JetStreamManager,
  config: Partial<StreamConfig> & { readonly name: string },
  differencesTo: (actual: StreamConfig) => string[],
): Promise<Row> {
  const { name } = config;
  const existing = await unlessAbsent(jsm.streams.info(name));
  if (!existing) {
    await jsm.streams.add(config);
    return { name, action: 'created', differences: [] };
  }
  const differences = differencesTo(existing.config);
  if (differences.length === 0) return { name, action: 'unchanged', differences };
  await jsm.streams.update(name, config);
  return { name, action: 'updated', differences };
}
