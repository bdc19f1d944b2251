/**
 * The catalog: databases, collections, their indexes, and the numbers under which the engine stores their bytes. It is
 * kept in memory, and written as one BSON document per collection in the same transaction as the change that it
 * describes.
 */
import { randomBytes } from 'node:crypto';
import { decodeDoc } from '../bson/decode';
import { encodeDoc } from '../bson/encode';
import type { Doc, Value } from '../bson/values';
import { Binary, docOf, int, Int32 } from '../bson/values';
import type { Engine } from './engine';

interface IndexField {
  path: string[];
  name: string;
  descending: boolean;
}

export interface Index {
  id: number;
  name: string;
  fields: IndexField[];
  /** The description as listIndexes shows it: v, key, name and options. */
  spec: Doc;
  unique: boolean;
  sparse: boolean;
  partial: Doc | undefined;
  expireAfterSeconds: number | undefined;
  hidden: boolean;
  /** Components that some document filled from an array. */
  multikey: boolean[];
  /** False until the commit that filled the index; before that, readers must not use it. */
  ready: boolean;
  /** Set when the index is dropped, so that open cursors notice. */
  dropped: boolean;
  /** True once a key was too long for the engine and was shortened; then the index's order is no longer usable. */
  shortened: boolean;
}

export interface Collection {
  id: number;
  database: string;
  name: string;
  uuid: Binary;
  indexes: Index[];
  nextRecord: number;
  /** Set when the collection is dropped, so that open cursors notice. */
  dropped: boolean;
}

export interface Catalog {
  collections: Map<string, Map<string, Collection>>;
  nextId: number;
}

const nextIdKey = Buffer.from([0]);
const collectionKey = (id: number): Buffer => {
  const key = Buffer.alloc(5, 1);
  key.writeUInt32BE(id, 1);
  return key;
};

/** Reads the catalog; called once at start. */
export function loadCatalog(engine: Engine): Catalog {
  const catalog: Catalog = { collections: new Map(), nextId: 1 };
  const next = engine.catalog.get(nextIdKey);
  if (next) catalog.nextId = next.readUInt32BE(0);
  for (const { value } of engine.catalog.getRange({ start: Buffer.from([1]) })) {
    const collection = readCollection(decodeDoc(Buffer.from(value)));
    databaseOf(catalog, collection.database).set(collection.name, collection);
  }
  return catalog;
}

/** The collections of a database, by name; an empty map is created for a new database. */
function databaseOf(catalog: Catalog, database: string): Map<string, Collection> {
  let collections = catalog.collections.get(database);
  if (!collections) {
    collections = new Map();
    catalog.collections.set(database, collections);
  }
  return collections;
}

/** Creates a collection with its `_id` index; inside a write. */
export function addCollection(engine: Engine, catalog: Catalog, database: string, name: string): Collection {
  const uuid = randomBytes(16);
  uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40;
  uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80;
  const collection: Collection = {
    id: takeId(engine, catalog),
    database,
    name,
    uuid: new Binary(4, uuid),
    indexes: [],
    nextRecord: 1,
    dropped: false,
  };
  const spec = docOf({ v: int(2), key: docOf({ _id: int(1) }), name: '_id_' });
  collection.indexes.push(readIndex(takeId(engine, catalog), spec));
  databaseOf(catalog, database).set(name, collection);
  saveCollection(engine, collection);
  return collection;
}

export function takeId(engine: Engine, catalog: Catalog): number {
  const id = catalog.nextId;
  catalog.nextId += 1;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(catalog.nextId);
  engine.catalog.put(nextIdKey, bytes);
  return id;
}

/** Writes the collection's description; inside a write. */
export function saveCollection(engine: Engine, collection: Collection): void {
  const description = docOf({
    id: collection.id,
    database: collection.database,
    name: collection.name,
    uuid: collection.uuid,
    indexes: collection.indexes.map((index) =>
      docOf({ id: index.id, spec: index.spec, multikey: index.multikey, shortened: index.shortened }),
    ),
  });
  engine.catalog.put(collectionKey(collection.id), encodeDoc(description));
}

export function removeCollection(engine: Engine, catalog: Catalog, collection: Collection): void {
  engine.catalog.remove(collectionKey(collection.id));
  const collections = databaseOf(catalog, collection.database);
  collections.delete(collection.name);
  if (collections.size === 0) catalog.collections.delete(collection.database);
  collection.dropped = true;
}

function readCollection(description: Doc): Collection {
  const indexes = (description.get('indexes') as Doc[]).map((entry) => ({
    ...readIndex(entry.get('id') as number, entry.get('spec') as Doc),
    multikey: entry.get('multikey') as boolean[],
    shortened: entry.get('shortened') as boolean,
  }));
  return {
    id: description.get('id') as number,
    database: description.get('database') as string,
    name: description.get('name') as string,
    uuid: description.get('uuid') as Binary,
    indexes,
    nextRecord: 0,
    dropped: false,
  };
}

const numberOf = (value: Value | undefined): number | undefined =>
  value instanceof Int32
    ? value.value
    : typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : undefined;

/** The index for a validated description. */
export function readIndex(id: number, spec: Doc): Index {
  const fields = [...(spec.get('key') as Doc)].map(([name, direction]) => ({
    name,
    path: name.split('.'),
    descending: (numberOf(direction) ?? 1) < 0,
  }));
  return {
    id,
    name: spec.get('name') as string,
    fields,
    spec,
    unique: spec.get('unique') === true || spec.get('name') === '_id_',
    sparse: spec.get('sparse') === true,
    partial: spec.get('partialFilterExpression') as Doc | undefined,
    expireAfterSeconds: numberOf(spec.get('expireAfterSeconds')),
    hidden: spec.get('hidden') === true,
    multikey: fields.map(() => false),
    ready: true,
    dropped: false,
    shortened: false,
  };
}
