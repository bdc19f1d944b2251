/**
 * The servers that the conformance suite runs against: the embedded store always, and a real MongoDB, either the one that
 * `MONGODB_URL` names or, with `MONGO_CONTAINER=1`, a container per suite. A container is started only when asked for,
 * because its image may be downloaded. What the suite says must hold on each of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { RawClient } from '@platform/embedded-mongo';
import { connectRaw, startDocumentStore } from '@platform/embedded-mongo';

export interface Target {
  url: string;
  embedded: boolean;
  client: MongoClient;
  raw: RawClient;
  close(): Promise<void>;
}

/** The version that the golden vectors were recorded from. */
const IMAGE = 'mongo:5.0';
const REAL_START_MILLISECONDS = 180_000;

/** Whether this run is to include a real server. */
export const realIsAsked = (): boolean => Boolean(process.env['MONGODB_URL']) || process.env['MONGO_CONTAINER'] === '1';

/** Opens the embedded store in a folder of its own, or the real server; rejects when that one cannot be had. */
export async function openTarget(kind: 'embedded' | 'real'): Promise<Target> {
  if (kind === 'real') return openReal();
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const faults: unknown[] = [];
  const store = await startDocumentStore({ port: 0, dataDir: folder, onFault: (error: unknown) => faults.push(error) });
  return connectTarget(store.url, true, async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
    if (faults.length > 0) throw faults[0];
  });
}

async function openReal(): Promise<Target> {
  const given = process.env['MONGODB_URL'];
  if (given) return connectTarget(given, false, async () => undefined);
  // Loaded here only: it takes longer than most suites.
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  await getContainerRuntimeClient().catch((error: Error) => {
    throw new Error(`MONGO_CONTAINER=1 needs a container runtime: ${error.message}`);
  });
  const container = await new MongoDBContainer(IMAGE).start();
  const stop = async (): Promise<void> => void (await container.stop());
  // Its replica set names the container's own host, which is not reachable by that name from here.
  return connectTarget(`${container.getConnectionString()}/?directConnection=true`, false, stop).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
}

async function connectTarget(url: string, embedded: boolean, release: () => Promise<void>): Promise<Target> {
  const client = new MongoClient(url, { retryWrites: false, w: 'majority', journal: true });
  const raw = await connectRaw(url);
  return {
    url,
    embedded,
    client,
    raw,
    close: async () => {
      raw.close();
      await client.close();
      await release();
    },
  };
}

/** Declares the same tests for every server that is there. */
export function onEveryServer(subject: string, declare: (target: () => Target) => void): void {
  const kinds = realIsAsked() ? (['embedded', 'real'] as const) : (['embedded'] as const);
  describe.each(kinds)(`${subject} (%s)`, (kind) => {
    let target: Target | undefined;
    beforeAll(async () => {
      target = await openTarget(kind);
    }, REAL_START_MILLISECONDS);
    afterAll(() => target?.close());
    declare(() => target as Target);
  });
}
