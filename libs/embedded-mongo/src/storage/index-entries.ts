/** The bytes under which a document is listed in an index, and the check that a unique index allows them. */
import { CommandError } from '../errors';
import type { Doc, Value } from '../bson/values';
import { docOf } from '../bson/values';
import { KeyWriter } from '../bson/key-encoding';
import { compileFilter } from '../query/compile-filter';
import type { Predicate } from '../query/predicate';
import { describeValue } from '../query/describe';
import type { Collection, Index } from './catalog';
import type { Engine } from './engine';
import type { IndexKey } from './index-keys';
import { generateKeys } from './index-keys';
import { storableKey } from './ranges';

export const idBytes = 8;

export interface IndexListing {
  index: Index;
  /** Engine keys without the record number. */
  keys: Buffer[];
  values: IndexKey[];
  multikey: boolean[];
  shortened: boolean;
}

const partialTests = new WeakMap<Doc, Predicate>();

function isListed(index: Index, document: Doc): boolean {
  if (!index.partial) return true;
  let test = partialTests.get(index.partial);
  if (!test) {
    test = compileFilter(index.partial);
    partialTests.set(index.partial, test);
  }
  return test(document);
}

/** Engine key prefix of an index: its number. */
export function indexPrefix(index: Index): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(index.id);
  return prefix;
}

/** The document's entries in the index; several when a field is an array, none when it is left out. */
export function listingOf(index: Index, document: Doc): IndexListing {
  const listing: IndexListing = { index, keys: [], values: [], multikey: index.multikey, shortened: false };
  if (!isListed(index, document)) return listing;
  const generated = generateKeys(
    document,
    index.fields.map((field) => field.path),
  );
  listing.multikey = generated.multikey;
  const seen = new Set<string>();
  for (const values of generated.keys) {
    if (index.sparse && values.every((value) => value === undefined)) continue;
    const { bytes, shortened } = storableKey(encodeKey(index, values));
    const identity = bytes.toString('latin1');
    if (seen.has(identity)) continue;
    seen.add(identity);
    listing.shortened ||= shortened;
    listing.keys.push(Buffer.concat([indexPrefix(index), bytes]));
    listing.values.push(values);
  }
  return listing;
}

function encodeKey(index: Index, values: IndexKey): Buffer {
  const writer = new KeyWriter();
  index.fields.forEach((field, position) => writer.component(values[position] ?? null, field.descending));
  return writer.result();
}

export function withRecord(key: Buffer, record: number): Buffer {
  const bytes = Buffer.allocUnsafe(key.length + idBytes);
  key.copy(bytes);
  writeRecord(bytes, key.length, record);
  return bytes;
}

export function writeRecord(bytes: Buffer, offset: number, record: number): void {
  bytes.writeUInt16BE(0, offset);
  bytes.writeUIntBE(record, offset + 2, 6);
}

export const readRecord = (key: Buffer): number => key.readUIntBE(key.length - 6, 6);

/** Throws code 11000 when another record already has one of the keys of a unique index. */
export function checkUnique(
  engine: Engine,
  collection: Collection,
  listing: IndexListing,
  record: number | undefined,
): void {
  if (!listing.index.unique) return;
  listing.keys.forEach((key, position) => {
    const end = withRecord(key, 0xffffffffffff);
    for (const { key: found } of engine.entries.getRange({ start: key, end, inclusiveEnd: true })) {
      if (found.length === end.length && readRecord(found) !== record) {
        throw duplicateKey(collection, listing.index, listing.values[position] as IndexKey);
      }
    }
  });
}

export function duplicateKey(collection: Collection, index: Index, values: IndexKey): CommandError {
  const keyValue: Doc = new Map(
    index.fields.map((field, position) => [field.name, values[position] ?? null] as [string, Value]),
  );
  const namespace = `${collection.database}.${collection.name}`;
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: ${describeValue(keyValue)}`,
    { keyPattern: index.spec.get('key') ?? docOf({}), keyValue },
  );
}
