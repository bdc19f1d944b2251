/**
 * The only file that uses the storage engine: three ordered byte maps (catalog, records, index entries) in one LMDB
 * environment. A write runs inside one engine transaction and resolves after the commit is on disk; concurrent writes
 * share commits. Callers check before they change anything, because the engine does not undo earlier puts.
 */
import { join } from 'node:path';
import type { Database, RangeOptions, RootDatabase } from 'lmdb';
import { open } from 'lmdb';
import type { Doc, Value } from '../bson/values';
import { claimDataFolder, dataFile, DataFolderError } from './data-folder';
import { createRoomCheck, freeBytesOf, type FreeBytes } from './free-space';

/** An ordered byte map. Changes belong to the running write transaction; `write` awaits its commit. */
interface Bytes {
  get(key: Buffer): Buffer | undefined;
  getRange(range: RangeOptions): Iterable<{ key: Buffer; value: Buffer }>;
  getKeys(range: RangeOptions): Iterable<Buffer>;
  getKeysCount(range: RangeOptions): number;
  put(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
}

/**
 * Passes each value of a range to `visit` in order, and returns the number at the end of the last key, or -1 for none.
 * The bytes belong to the engine: they are valid until `visit` returns.
 */
type VisitRange = (range: RangeOptions, visit: (bytes: Buffer) => void) => { last: number; count: number };

/** A change of one document by a transaction. */
export interface Change {
  readonly kind: 'inserted' | 'replaced' | 'removed';
  readonly collection: { readonly database: string; readonly name: string };
  readonly id: Value | undefined;
  /** The document after the change; absent when it was removed. */
  readonly document?: Doc;
  /** The filter with which the writer selected the document. */
  readonly asked?: Doc | undefined;
}

export interface Engine {
  /** Called inside the transaction after each change; absent: changes are not recorded. */
  changed?: (change: Change) => void;
  readonly catalog: Bytes;
  readonly records: Bytes;
  /** Reads records in place: copying each record and its key would cost more than reading some of its fields. */
  readonly visitRecords: VisitRange;
  readonly entries: Bytes;
  /** Runs `change` in a write transaction and resolves with its result once the commit is durable; refused on a full disk. */
  write<T>(change: () => T): Promise<T>;
  /** Makes the following reads see every committed write. */
  refresh(): void;
  close(): Promise<void>;
}

/** Opens or creates the store in `folder`. Throws DataFolderError for a folder that is foreign, newer, damaged or in use. */
export function openEngine(folder: string, freeBytes: FreeBytes = freeBytesOf(folder)): Engine {
  const release = claimDataFolder(folder);
  try {
    return openMaps(folder, release, freeBytes);
  } catch (error) {
    release();
    throw new DataFolderError(`the data folder ${folder} cannot be opened: ${(error as Error).message}`);
  }
}

function openMaps(folder: string, release: () => void, freeBytes: FreeBytes): Engine {
  const assertRoom = createRoomCheck(freeBytes);
  const root = open({
    path: join(folder, dataFile),
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    maxDbs: 4,
    noSubdir: true,
  });
  const map = (name: string): Bytes => openMap(root, name);
  let failure: Error | undefined;
  const check = (): void => {
    if (failure) throw new Error(`the store stopped after a failed commit: ${failure.message}`);
  };
  return {
    catalog: map('catalog'),
    records: map('records'),
    entries: map('entries'),
    visitRecords: visitInPlace(root),
    write: async (change) => {
      check();
      await assertRoom();
      const outcome = await runWrite(root, change).catch((error: Error) => {
        // The change in memory was not stored, so it must not answer any more requests.
        failure = error;
        throw error;
      });
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    refresh: () => {
      check();
      root.resetReadTxn();
    },
    close: async () => {
      await root.close();
      release();
    },
  };
}

function openMap(root: RootDatabase, name: string): Bytes {
  const map: Database<Buffer, Buffer> = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
  return {
    get: (key) => map.get(key),
    getRange: (range) => map.getRange(range),
    getKeys: (range) => map.getKeys(range),
    getKeysCount: (range) => map.getKeysCount(range),
    put: (key, value) => void map.put(key, value),
    remove: (key) => void map.remove(key),
  };
}

function visitInPlace(root: RootDatabase): VisitRange {
  let visitor: (bytes: Buffer) => void = () => undefined;
  const encoder = { decode: (bytes: Buffer): unknown => visitor(bytes) };
  const options = { name: 'records', keyEncoder: { writeKey: writeBytes, readKey: readLastBytes }, encoder };
  const map: Database<unknown, Buffer> = root.openDB(options);
  return (range, visit) => {
    visitor = visit;
    const found = { last: -1, count: 0 };
    for (const { key } of map.getRange(range)) {
      found.last = key as unknown as number;
      found.count += 1;
    }
    return found;
  };
}

function writeBytes(key: unknown, target: Buffer, start: number): number {
  const bytes = key as Buffer;
  target.set(bytes, start);
  return start + bytes.length;
}

/** The six-byte number at the end of the key, without a copy of the key. */
function readLastBytes(key: Buffer, _start: number, end: number): number {
  const byte = (from: number): number => key[end - from] as number;
  const low = byte(4) * 0x1000000 + byte(3) * 0x10000 + byte(2) * 0x100 + byte(1);
  return (byte(6) * 0x100 + byte(5)) * 0x100000000 + low;
}

type Outcome<T> = { result: T } | { error: unknown };

/** Runs a change in a transaction; a refusal by the change is a result, and only a failed commit rejects. */
async function runWrite<T>(root: RootDatabase, change: () => T): Promise<Outcome<T>> {
  let outcome: Outcome<T> | undefined;
  await root.transaction(() => {
    try {
      outcome = { result: change() };
    } catch (error) {
      outcome = { error };
    }
  });
  if (!outcome) throw new Error('the write transaction did not run');
  return outcome;
}
