/**
 * The servers that the conformance suite runs against: the embedded store always, and the real MongoDB that `MONGODB_URL`
 * names when it is set. What the suite says must hold on each of them.
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

/** The real server's address, when the environment gives one. */
export const realUrl = (): string | undefined => process.env['MONGODB_URL'] || undefined;

/** Opens the embedded store in a folder of its own, or the server that `MONGODB_URL` names. */
export async function openTarget(kind: 'embedded' | 'real'): Promise<Target> {
  if (kind === 'real') return connectTarget(realUrl() as string, false, async () => undefined);
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

/** Declares the same tests for every server that is there. */
export function onEveryServer(subject: string, declare: (target: () => Target) => void): void {
  const kinds = realUrl() === undefined ? (['embedded'] as const) : (['embedded', 'real'] as const);
  describe.each(kinds)(`${subject} (%s)`, (kind) => {
    let target: Target | undefined;
    beforeAll(async () => {
      target = await openTarget(kind);
    });
    afterAll(() => target?.close());
    declare(() => target as Target);
  });
}
