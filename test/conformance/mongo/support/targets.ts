/**
 * The servers that the conformance suite runs against: always the embedded store, and a real MongoDB when the run has
 * one (`MONGODB_URL` or a container). Every statement of the suite must hold on each of them.
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

/** The real server of this run, set by `test/support/real-servers.ts`. */
const realUrl = (): string | undefined => process.env['TEST_REAL_MONGODB_URL'];
/** Whether this run includes a real server. */
export const realIsThere = (): boolean => realUrl() !== undefined;

/** Opens the embedded store in its own folder, or the real server. Rejects when that server cannot be reached. */
export async function openTarget(kind: 'embedded' | 'real'): Promise<Target> {
  if (kind === 'real') {
    const url = realUrl();
    if (url === undefined) throw new Error('This run has no real MongoDB');
    return connectTarget(url, false, async () => undefined);
  }
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const faults: unknown[] = [];
  const store = await startDocumentStore({ port: 0, dataDir: folder, onFault: (error: unknown) => faults.push(error) });
  return connectTarget(store.url, true, async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
    if (faults.length > 0) throw faults[0];
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

/** Declares the same tests for every available server. */
export function onEveryServer(subject: string, declare: (target: () => Target) => void): void {
  const kinds = realIsThere() ? (['embedded', 'real'] as const) : (['embedded'] as const);
  describe.each(kinds)(`${subject} (%s)`, (kind) => {
    let target: Target | undefined;
    beforeAll(async () => {
      target = await openTarget(kind);
    });
    afterAll(() => target?.close());
    declare(() => target as Target);
  });
}
