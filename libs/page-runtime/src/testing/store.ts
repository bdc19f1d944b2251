/**
 * Row access to the store of a test run: the same pipelines as in production, one command each, counted. For tests
 * only.
 */
import { openTestDatabase, storedValues, type Document } from '@platform/mongo/test-database';
import { createRowAccess, type RowAccessOptions } from '../row-access';

export interface TestStore {
  /** Names of the commands since the last call. */
  commands(): string[];
  access(options?: Partial<RowAccessOptions>): ReturnType<typeof createRowAccess>;
  insert(table: string, rows: readonly Document[]): Promise<void>;
  aggregate(table: string, pipeline: readonly Document[]): Promise<Document[]>;
  close(): Promise<void>;
}

export async function openTestStore(name: string): Promise<TestStore> {
  const { raw, insert, commands, drop } = await openTestDatabase(name);
  const aggregate = (table: string, pipeline: readonly Document[]) =>
    raw
      .collection(table)
      .aggregate(
        pipeline.map((stage) => storedValues(stage) as Document),
        { batchSize: 2_000 },
      )
      .toArray();
  return {
    commands,
    access: (options = {}) =>
      createRowAccess({ aggregate: (table, pipeline) => aggregate(table, pipeline as Document[]), ...options }),
    insert,
    aggregate,
    close: drop,
  };
}
