/**
 * Open cursors: results that did not fit into the first batch, kept until they are read, killed or unused for ten
 * minutes.
 */
import { randomBytes } from 'node:crypto';
import { failCommand } from '../errors';
import { encodeDoc } from '../bson/encode';
import type { Doc } from '../bson/values';
import { doc, docOf, EncodedDoc } from '../bson/values';
import type { Paced, Pause } from '../storage/pause';
import { pauseMark } from '../storage/pause';

const idleMilliseconds = 10 * 60_000;
const maxBatchBytes = 16 * 1024 * 1024;
const firstBatch = 101;
const maxOpenCursors = 10_000;

/** Stored documents that are returned unchanged need not be encoded again. */
export type Result = Doc | EncodedDoc;

interface Cursor {
  namespace: string;
  source: Iterator<Result | Pause>;
  /** Read from the source but not yet sent, because it did not fit into the last batch. */
  waiting: EncodedDoc | undefined;
  remaining: number;
  touched: number;
  noTimeout: boolean;
  /** True while a batch is being built. */
  busy: boolean;
}

interface BatchRequest {
  batchSize: number | undefined;
  /** The most documents that the cursor returns in total. */
  limit?: number;
  singleBatch?: boolean;
  noTimeout?: boolean;
}

export interface Cursors {
  /** The reply of a command that opens a cursor. */
  open(namespace: string, source: Paced<Result>, request: BatchRequest, pause: () => Promise<void>): Promise<Doc>;
  /** Throws code 43 for an unknown cursor, 13 for a cursor of another collection, 12051 for one that is being read. */
  more(id: bigint, namespace: string, batchSize: number | undefined, pause: () => Promise<void>): Promise<Doc>;
  kill(id: bigint): boolean;
  readonly size: number;
  close(): void;
}

export function createCursors(now: () => number = Date.now): Cursors {
  const cursors = new Map<bigint, Cursor>();
  const timer = setInterval(() => dropIdle(cursors, now()), 60_000);
  timer.unref();
  return {
    open: async (namespace, source, request, pause) => {
      const cursor: Cursor = {
        namespace,
        source: source[Symbol.iterator](),
        waiting: undefined,
        remaining: request.limit ?? Infinity,
        touched: now(),
        noTimeout: request.noTimeout ?? false,
        busy: false,
      };
      const { batch, open } = await nextBatch(cursor, request.batchSize ?? firstBatch, pause);
      const keep = open && !request.singleBatch;
      if (keep && cursors.size >= maxOpenCursors) failCommand(1, `too many open cursors (${maxOpenCursors})`);
      const id = keep ? register(cursors, cursor) : 0n;
      return cursorReply('firstBatch', batch, id, namespace);
    },
    more: async (id, namespace, batchSize, pause) => {
      const cursor = cursors.get(id) ?? failCommand(43, `cursor id ${id} not found`);
      if (cursor.namespace !== namespace) {
        failCommand(
          13,
          `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
        );
      }
      if (cursor.busy) failCommand(12051, `cursor id ${id} is already in use`);
      cursor.busy = true;
      try {
        const { batch, open } = await nextBatch(cursor, batchSize ?? Infinity, pause);
        if (!cursors.has(id)) failCommand(237, `cursor id ${id} was killed while it was read`);
        if (!open) cursors.delete(id);
        return cursorReply('nextBatch', batch, open ? id : 0n, namespace);
      } catch (error) {
        cursors.delete(id);
        throw error;
      } finally {
        cursor.busy = false;
        cursor.touched = now();
      }
    },
    kill: (id) => cursors.delete(id),
    get size() {
      return cursors.size;
    },
    close: () => {
      clearInterval(timer);
      cursors.clear();
    },
  };
}

function register(cursors: Map<bigint, Cursor>, cursor: Cursor): bigint {
  for (;;) {
    const id = randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn;
    if (id === 0n || cursors.has(id)) continue;
    cursors.set(id, cursor);
    return id;
  }
}

function dropIdle(cursors: Map<bigint, Cursor>, time: number): void {
  for (const [id, cursor] of cursors) {
    if (!cursor.noTimeout && !cursor.busy && time - cursor.touched > idleMilliseconds) cursors.delete(id);
  }
}

async function nextBatch(
  cursor: Cursor,
  size: number,
  pause: () => Promise<void>,
): Promise<{ batch: EncodedDoc[]; open: boolean }> {
  const batch: EncodedDoc[] = [];
  let bytes = 0;
  while (batch.length < size && cursor.remaining > 0) {
    let document = cursor.waiting;
    cursor.waiting = undefined;
    if (!document) {
      const next = cursor.source.next();
      if (next.done) return { batch, open: false };
      if (next.value === pauseMark) {
        await pause();
        continue;
      }
      document = next.value instanceof EncodedDoc ? next.value : new EncodedDoc(encodeDoc(next.value));
    }
    bytes += document.bytes.length;
    if (bytes > maxBatchBytes && batch.length > 0) {
      cursor.waiting = document;
      break;
    }
    batch.push(document);
    cursor.remaining -= 1;
  }
  return { batch, open: cursor.remaining > 0 };
}

function cursorReply(name: string, batch: EncodedDoc[], id: bigint, namespace: string): Doc {
  return docOf({ cursor: doc([name, batch], ['id', id], ['ns', namespace]) });
}
