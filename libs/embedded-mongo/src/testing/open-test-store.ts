/** Opens a store in a temporary folder for tests and removes the folder afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { DocumentStore, DocumentStoreOptions } from '../server';
import { startDocumentStore } from '../server';

export interface TestStore {
  store: DocumentStore;
  client: MongoClient;
  folder: string;
  faults: unknown[];
  close(): Promise<void>;
}

export async function openTestStore(options: Partial<DocumentStoreOptions> = {}): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'document-store-'));
  const faults: unknown[] = [];
  const store = await startDocumentStore({
    port: 0,
    dataDir: folder,
    onFault: (error) => faults.push(error),
    ...options,
  });
  const client = new MongoClient(store.url, { retryWrites: false, w: 'majority', journal: true });
  return {
    store,
    client,
    folder,
    faults,
    close: async () => {
      await client.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
