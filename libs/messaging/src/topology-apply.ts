/**
 * Makes the broker what the topology says: for the person or script that runs `infra/nats/apply`, and for tests.
 * Services never call it, so that a typing error in a deployment cannot quietly create a second set of streams.
 */
import type { JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { applyDurable, manager, unlessAbsent } from './nats-streams';
import type { Applied } from './nats-streams';
import { hasAtomicBatches } from './nats-batch';
import { fixedDurable, streamConfig, streamDifferences } from './topology-config';
import type { ServerFeatures } from './topology-config';
import { createNamespace } from './topology';
import type { StreamDeclaration, Topology } from './topology';

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
    const rows: { name: string; action: Applied; differences: string[] }[] = [];
    for (const declared of createNamespace(options.namespace).topology(options.topology).streams) {
      rows.push(await applyStream(jsm, declared, options.replicas, features));
      for (const fixed of declared.durables) {
        const action = await applyDurable(jsm, fixedDurable(declared.name, fixed));
        rows.push({ name: `${declared.name}/${fixed.durable}`, action, differences: [] });
      }
    }
    return { serverVersion: connection.info?.version ?? '0.0.0', rows };
  } finally {
    await connection.close();
  }
}

/** As {@link applyTopology} with one replica: what the local platform and tests call before services start. */
export async function ensureTopology(options: Omit<ApplyOptions, 'replicas'>): Promise<AppliedTopology> {
  return applyTopology({ ...options, replicas: 1 });
}

async function applyStream(
  jsm: JetStreamManager,
  declared: StreamDeclaration,
  replicas: number,
  features: ServerFeatures,
): Promise<{ name: string; action: Applied; differences: string[] }> {
  const existing = await unlessAbsent(jsm.streams.info(declared.name));
  if (!existing) {
    await jsm.streams.add(streamConfig(declared, replicas, features));
    return { name: declared.name, action: 'created', differences: [] };
  }
  const differences = streamDifferences(declared, existing.config, replicas, features);
  if (differences.length === 0) return { name: declared.name, action: 'unchanged', differences };
  await jsm.streams.update(declared.name, streamConfig(declared, replicas, features));
  return { name: declared.name, action: 'updated', differences };
}
