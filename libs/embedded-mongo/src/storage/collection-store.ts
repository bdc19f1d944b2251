/**
 * Documents and their index entries. A change is prepared completely (sizes, keys, unique checks) before the first byte
 * is put, because the engine does not undo puts of a refused change.
 */
import { failCommand } from '../errors';
import { decodeDoc } from '../bson/decode';
import { encodeDoc, maxStoredNesting } from '../bson/encode';
import type { ReadRow } from '../bson/row-reader';
import type { Doc } from '../bson/values';
import type { Collection, Index } from './catalog';
import { saveCollection } from './catalog';
import type { Engine } from './engine';
import type { IndexListing } from './index-entries';
import {
  checkUnique,
  duplicateKey,
  idBytes,
  indexPrefix,
  listingOf,
  readRecord,
  withRecord,
  writeRecord,
} from './index-entries';
import type { Interval } from './ranges';

/** Size in bytes of the largest document that MongoDB stores. */
const maxDocumentBytes = 16 * 1024 * 1024;

export interface StoredDoc {
  record: number;
  document: Doc;
  /** The document in its stored form. */
  bytes: Buffer;
}

const chunkSize = 256;
/** Visited records are not kept, so more of them share a cursor's positioning; they take about a millisecond. */
const visitedAtOnce = 1_024;
const maxRecord = 0xffffffffffff;

function recordKey(collection: Collection, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + idBytes);
  key.writeUInt32BE(collection.id);
  writeRecord(key, 4, record);
  return key;
}

function encodeChecked(document: Doc, tooLarge: number): Buffer {
  const bytes = encodeDoc(document, maxStoredNesting);
  if (bytes.length > maxDocumentBytes) {
    failCommand(tooLarge, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`);
  }
  return bytes;
}

function nextRecord(engine: Engine, collection: Collection): number {
  if (collection.nextRecord === 0) {
    const range = { start: recordKey(collection, maxRecord), end: recordKey(collection, 0), reverse: true, limit: 1 };
    const last = [...engine.records.getKeys(range)][0];
    collection.nextRecord = last ? readRecord(last) + 1 : 1;
  }
  return collection.nextRecord;
}

/** Stores a new document at the end of the collection. Throws 11000 when a unique index forbids it. */
export function insertDoc(engine: Engine, collection: Collection, document: Doc): void {
  const bytes = encodeChecked(document, 2);
  const listings = collection.indexes.map((index) => listingOf(index, document));
  for (const listing of listings) checkUnique(engine, collection, listing, undefined);
  const record = nextRecord(engine, collection);
  collection.nextRecord = record + 1;
  engine.records.put(recordKey(collection, record), bytes);
  for (const listing of listings) list(engine, collection, listing, record);
  engine.changed?.({ kind: 'inserted', collection, id: document.get('_id'), document });
}

const emptyBuffer = Buffer.alloc(0);

function list(engine: Engine, collection: Collection, listing: IndexListing, record: number): void {
  for (const key of listing.keys) engine.entries.put(withRecord(key, record), emptyBuffer);
  noteShape(engine, collection, listing);
}

/** Records that an index contains array elements or shortened keys, which limits how the planner may use it. */
function noteShape(engine: Engine, collection: Collection, listing: IndexListing): void {
  const { index } = listing;
  const grown = listing.keys.length > 0 && listing.multikey.some((flag, position) => flag && !index.multikey[position]);
  if (grown) index.multikey = index.multikey.map((flag, position) => flag || (listing.multikey[position] ?? false));
  const shortened = listing.shortened && !index.shortened;
  if (shortened) index.shortened = true;
  if (grown || shortened) saveCollection(engine, collection);
}

/**
 * Replaces a stored document; returns the bytes of the new one. `asked` is the filter that found it. Throws 11000 when
 * a unique index forbids the new one.
 */
export function replaceDoc(
  engine: Engine,
  collection: Collection,
  stored: StoredDoc,
  document: Doc,
  asked?: Doc,
): Buffer {
  const bytes = encodeChecked(document, 17419);
  const touched = collection.indexes.filter((index) => !isUntouched(index, stored.document, document));
  const listings = touched.map((index) => ({
    before: listingOf(index, stored.document),
    after: listingOf(index, document),
  }));
  for (const { after } of listings) checkUnique(engine, collection, after, stored.record);
  engine.records.put(recordKey(collection, stored.record), bytes);
  for (const { before, after } of listings) {
    const kept = new Set(after.keys.map((key) => key.toString('latin1')));
    for (const key of before.keys) {
      if (!kept.delete(key.toString('latin1'))) engine.entries.remove(withRecord(key, stored.record));
    }
    for (const key of after.keys) {
      if (kept.has(key.toString('latin1'))) engine.entries.put(withRecord(key, stored.record), emptyBuffer);
    }
    noteShape(engine, collection, after);
  }
  engine.changed?.({ kind: 'replaced', collection, id: document.get('_id'), document, asked });
  return bytes;
}

/** Whether every indexed field is the identical object, which an update keeps for fields that it does not change. */
function isUntouched(index: Index, before: Doc, after: Doc): boolean {
  return !index.partial && index.fields.every(({ path: [name = ''] }) => before.get(name) === after.get(name));
}

export function removeDoc(engine: Engine, collection: Collection, stored: StoredDoc, asked?: Doc): void {
  engine.records.remove(recordKey(collection, stored.record));
  for (const index of collection.indexes) {
    for (const key of listingOf(index, stored.document).keys) engine.entries.remove(withRecord(key, stored.record));
  }
  engine.changed?.({ kind: 'removed', collection, id: stored.document.get('_id'), asked });
}

/** The document with the given record number, or some of its fields, unless it was removed. */
export function readDoc(
  engine: Engine,
  collection: Collection,
  record: number,
  fields?: ReadRow,
): StoredDoc | undefined {
  const bytes = engine.records.get(recordKey(collection, record));
  return bytes && { record, document: fields ? someOf(bytes, fields) : decodeDoc(bytes), bytes };
}

function someOf(bytes: Buffer, fields: ReadRow): Doc {
  const row: Doc = new Map();
  fields(bytes, row);
  return row;
}

/** All documents in insertion order or its reverse; changes between two steps do no harm. */
export function* scanDocs(engine: Engine, collection: Collection, reverse = false): Generator<StoredDoc> {
  let start: Buffer = recordKey(collection, reverse ? maxRecord : 0);
  const end = recordKey(collection, reverse ? 0 : maxRecord);
  for (;;) {
    const chunk = [...engine.records.getRange({ start, end, reverse, limit: chunkSize, exclusiveStart: true })];
    const last = chunk.at(-1);
    if (last) start = Buffer.from(last.key);
    for (const { key, value } of chunk) yield { record: readRecord(key), document: decodeDoc(value), bytes: value };
    if (chunk.length < chunkSize) return;
  }
}

/** Some fields of all documents, in the same orders. */
export function* scanFields(engine: Engine, collection: Collection, reverse: boolean, fields: ReadRow): Generator<Doc> {
  let rows: Doc[] = [];
  for (const _count of visitDocs(engine, collection, reverse, (bytes) => void rows.push(someOf(bytes, fields)))) {
    yield* rows;
    rows = [];
  }
}

/** Passes the bytes of all documents to `visit`, which must not keep them. Each step yields the number of documents. */
export function* visitDocs(
  engine: Engine,
  collection: Collection,
  reverse: boolean,
  visit: (bytes: Buffer) => void,
): Generator<number> {
  let start = recordKey(collection, reverse ? maxRecord : 0);
  const end = recordKey(collection, reverse ? 0 : maxRecord);
  for (;;) {
    const range = { start, end, reverse, limit: visitedAtOnce, exclusiveStart: true };
    const { last, count } = engine.visitRecords(range, visit);
    yield count;
    if (count < range.limit) return;
    start = recordKey(collection, last);
  }
}

/** Record numbers listed in an index inside the intervals, in index order or its reverse, each once. */
export function* scanIndex(
  engine: Engine,
  index: Index,
  intervals: readonly Interval[],
  reverse = false,
): Generator<number> {
  const seen = index.multikey.includes(true) ? new Set<number>() : undefined;
  for (const interval of reverse ? [...intervals].reverse() : intervals) {
    for (const record of scanInterval(engine, index, interval, reverse)) {
      if (seen?.has(record)) continue;
      seen?.add(record);
      yield record;
    }
  }
}

function* scanInterval(engine: Engine, index: Index, interval: Interval, reverse: boolean): Generator<number> {
  const prefix = indexPrefix(index);
  const low = Buffer.concat([prefix, interval.low]);
  const high = Buffer.concat([prefix, interval.high]);
  let start: Buffer = reverse ? high : low;
  let exclusiveStart = reverse;
  for (;;) {
    const chunk: number[] = [];
    let last: Buffer = start;
    const options = {
      start,
      end: reverse ? low : high,
      inclusiveEnd: reverse,
      reverse,
      limit: chunkSize,
      exclusiveStart,
    };
    for (const key of engine.entries.getKeys(options)) {
      chunk.push(readRecord(key));
      last = key;
    }
    start = Buffer.from(last);
    exclusiveStart = true;
    yield* chunk;
    if (chunk.length < chunkSize) return;
  }
}

/** The number of documents that were ever inserted. It costs nothing, and is never less than the current number. */
export const documentsMade = (engine: Engine, collection: Collection): number => nextRecord(engine, collection) - 1;

/** Whether an index has at least this many entries inside the intervals; the engine counts a million in some 40 ms. */
export function holdsEntries(engine: Engine, index: Index, intervals: readonly Interval[], most: number): boolean {
  const prefix = indexPrefix(index);
  let left = most;
  for (const { low, high } of intervals) {
    const range = { start: Buffer.concat([prefix, low]), end: Buffer.concat([prefix, high]) };
    left -= engine.entries.getKeysCount({ ...range, limit: left });
    if (left <= 0) return true;
  }
  return false;
}

/** How many entries an index lists inside the intervals. */
export function countEntries(engine: Engine, index: Index, intervals: readonly Interval[]): number {
  const prefix = indexPrefix(index);
  return intervals.reduce((sum, { low, high }) => {
    const range = { start: Buffer.concat([prefix, low]), end: Buffer.concat([prefix, high]) };
    return sum + engine.entries.getKeysCount(range);
  }, 0);
}

/** Number of committed documents; the engine counts a million keys in some 40 ms. */
export const countDocs = (engine: Engine, collection: Collection): number =>
  engine.records.getKeysCount({ start: recordKey(collection, 0), end: recordKey(collection, maxRecord) });

/** Fills a new index from the stored documents. Throws before any put when a unique index has duplicates. */
export function buildIndex(engine: Engine, collection: Collection, index: Index): void {
  const seen = new Map<string, number>();
  const listings: { listing: IndexListing; record: number }[] = [];
  for (const { record, document } of scanDocs(engine, collection)) {
    const listing = listingOf(index, document);
    listings.push({ listing, record });
    if (!index.unique) continue;
    listing.keys.forEach((key, position) => {
      const identity = key.toString('latin1');
      if (seen.has(identity)) throw duplicateKey(collection, index, listing.values[position] ?? []);
      seen.set(identity, record);
    });
  }
  for (const { listing, record } of listings) list(engine, collection, listing, record);
}

/** Removes every entry of an index. */
export function clearIndex(engine: Engine, index: Index): void {
  const start = indexPrefix(index);
  const end = Buffer.from(start);
  end.writeUInt32BE(index.id + 1);
  for (const key of [...engine.entries.getKeys({ start, end })]) engine.entries.remove(key);
}

/** Removes every document and index entry of a collection. */
export function clearCollection(engine: Engine, collection: Collection): void {
  for (const index of collection.indexes) clearIndex(engine, index);
  const range = { start: recordKey(collection, 0), end: recordKey(collection, maxRecord) };
  for (const key of [...engine.records.getKeys(range)]) engine.records.remove(key);
}
