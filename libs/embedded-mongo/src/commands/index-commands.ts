/** createIndexes, listIndexes and dropIndexes. */
import { failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import type { Doc, Value } from '../bson/values';
import { docOf, int } from '../bson/values';
import { buildIndex, clearIndex } from '../storage/collection-store';
import type { Collection, Index } from '../storage/catalog';
import { readIndex, saveCollection, takeId } from '../storage/catalog';
import { ensureCollection, findCollection, namespaceName } from '../storage/store';
import type { Command, CommandContext } from './context';
import { checkArguments, optionalCount, optionalDoc, requiredArray, requiredValue, wrongType } from './fields';
import { normalisedIndex } from './index-spec';
import { checkWriteConcern } from './write-results';

const maxIndexes = 64;

const createIndexes: Command = async (command, context) => {
  checkArguments(command, 'createIndexes', ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions']);
  const name = namespaceName(context.database, command.get('createIndexes'));
  checkWriteConcern(command);
  const specs = requiredArray(command, 'indexes').map((spec) => {
    if (!(spec instanceof Map)) throw wrongType('createIndexes.indexes', spec, 'object');
    return normalisedIndex(spec);
  });
  if (specs.length === 0) failCommand(2, 'Must specify at least one index to create');
  const built: Index[] = [];
  const reply = await context.store.engine.write(() => {
    const existing = findCollection(context.store, context.database, name);
    const before = existing?.indexes.length ?? 1;
    const wanted = newIndexes(existing?.indexes ?? [], specs);
    const collection = existing ?? ensureCollection(context.store, context.database, name);
    if (collection.indexes.length + wanted.length > maxIndexes)
      failCommand(67, `add index fails, too many indexes for ${name}`);
    const added = wanted.map((spec) => ({
      ...readIndex(takeId(context.store.engine, context.store.catalog), spec),
      ready: false,
    }));
    built.push(...added);
    buildAll(context, collection, added);
    collection.indexes.push(...added);
    if (added.length > 0) saveCollection(context.store.engine, collection);
    return docOf({
      numIndexesBefore: int(before),
      numIndexesAfter: int(collection.indexes.length),
      createdCollectionAutomatically: added.length === 0 && existing ? undefined : !existing,
      note: added.length === 0 ? 'all indexes already exist' : undefined,
    });
  });
  for (const index of built) index.ready = true;
  return reply;
};

/** Fills all indexes or none: when one is refused, the entries of the earlier ones are removed again. */
function buildAll(context: CommandContext, collection: Collection, indexes: readonly Index[]): void {
  try {
    for (const index of indexes) buildIndex(context.store.engine, collection, index);
  } catch (error) {
    for (const index of indexes) clearIndex(context.store.engine, index);
    throw error;
  }
}

/**
 * The indexes of the request that do not exist yet. Throws 85 or 86 when one conflicts with an existing index or with
 * another one of the request.
 */
function newIndexes(existing: readonly Index[], specs: readonly Doc[]): Doc[] {
  const wanted: Doc[] = [];
  for (const spec of specs) {
    if (isIdIndex(spec)) continue;
    const known = existing.map((index) => index.spec).find((other) => isSameIndex(other, spec));
    if (known) continue;
    for (const other of wanted) {
      if (isSameIndex(other, spec)) failCommand(96, 'Identical index already specified');
    }
    wanted.push(spec);
  }
  return wanted;
}

const isIdIndex = (spec: Doc): boolean => compareValues(spec.get('key') as Doc, docOf({ _id: int(1) })) === 0;

/** Unique, sparse and the partial filter are part of an index's identity; expiry and visibility are not. */
function sameIdentity(a: Doc, b: Doc): boolean {
  const sameKey = compareValues(a.get('key') as Doc, b.get('key') as Doc) === 0;
  return (
    sameKey &&
    (a.get('unique') === true) === (b.get('unique') === true) &&
    (a.get('sparse') === true) === (b.get('sparse') === true) &&
    compareValues(a.get('partialFilterExpression') ?? null, b.get('partialFilterExpression') ?? null) === 0
  );
}

function isSameIndex(existing: Doc, spec: Doc): boolean {
  const sameName = existing.get('name') === spec.get('name');
  const identity = sameIdentity(existing, spec);
  if (!sameName && !identity) return false;
  const options = sameOption(existing.get('expireAfterSeconds'), spec.get('expireAfterSeconds'));
  if (sameName && identity) {
    if (options) return true;
    return failCommand(
      85,
      `An equivalent index already exists with the same name but different options: ${spec.get('name') as string}`,
    );
  }
  if (sameName) {
    return failCommand(
      86,
      `An existing index has the same name as the requested index, but another key or options: ${spec.get('name') as string}`,
    );
  }
  return failCommand(85, `Index already exists with a different name: ${existing.get('name') as string}`);
}

const sameOption = (a: Value | undefined, b: Value | undefined): boolean =>
  a === undefined || b === undefined ? a === b : compareValues(a, b) === 0;

const listIndexes: Command = (command, context) => {
  checkArguments(command, 'listIndexes', ['cursor', 'includeBuildUUIDs']);
  const name = namespaceName(context.database, command.get('listIndexes'));
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return failCommand(26, `ns does not exist: ${context.database}.${name}`);
  const batchSize = optionalCount(optionalDoc(command, 'cursor') ?? new Map(), 'batchSize');
  return context.cursors.open(
    `${context.database}.${name}`,
    collection.indexes.map((index) => index.spec),
    { batchSize },
    context.pause,
  );
};

const dropIndexes: Command = async (command, context) => {
  const [first] = command.keys();
  checkArguments(command, 'dropIndexes', ['index']);
  const name = namespaceName(context.database, command.get(first as string));
  checkWriteConcern(command);
  const wanted = requiredValue(command, 'index');
  return context.store.engine.write(() => {
    const collection = findCollection(context.store, context.database, name);
    if (!collection) return failCommand(26, `ns not found ${context.database}.${name}`);
    const before = collection.indexes.length;
    const dropped = indexesToDrop(collection, wanted);
    for (const index of dropped) {
      clearIndex(context.store.engine, index);
      index.dropped = true;
    }
    collection.indexes = collection.indexes.filter((index) => !dropped.includes(index));
    saveCollection(context.store.engine, collection);
    const all = wanted === '*' ? 'non-_id indexes dropped for collection' : undefined;
    return docOf({ nIndexesWas: int(before), msg: all });
  });
};

function indexesToDrop(collection: Collection, wanted: Value): Index[] {
  if (wanted === '*') return collection.indexes.filter((index) => index.name !== '_id_');
  if (Array.isArray(wanted)) {
    return wanted.map((name) => {
      if (typeof name !== 'string') throw wrongType('dropIndexes.index', name, 'string');
      return indexByName(collection, name);
    });
  }
  if (typeof wanted === 'string') return [indexByName(collection, wanted)];
  if (!(wanted instanceof Map)) throw wrongType('dropIndexes.index', wanted, 'string, object or array');
  return [indexByKey(collection, wanted)];
}

function indexByName(collection: Collection, name: string): Index {
  const found = collection.indexes.find((index) => index.name === name);
  if (!found) return failCommand(27, `index not found with name [${name}]`);
  if (found.name === '_id_') failCommand(72, 'cannot drop _id index');
  return found;
}

function indexByKey(collection: Collection, key: Doc): Index {
  const found = collection.indexes.filter((index) => compareValues(index.spec.get('key') as Doc, key) === 0);
  if (found.length === 0) failCommand(27, "can't find index with key");
  if (found.length > 1) failCommand(181, 'several indexes have this key; name the index');
  if (found[0]?.name === '_id_') failCommand(72, 'cannot drop _id index');
  return found[0] as Index;
}

export const indexCommands: Record<string, Command> = {
  createIndexes,
  listIndexes,
  dropIndexes,
  deleteIndexes: dropIndexes,
};
