/** Commands about collections and databases as a whole: create, drop, list. */
import { failCommand } from '../errors';
import { isNumeric, toDouble } from '../bson/numbers';
import type { Doc } from '../bson/values';
import { docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import { matches } from '../query/predicate';
import { collectionsOf, dropCollection, ensureCollection, findCollection, namespaceName } from '../storage/store';
import type { Command, CommandContext } from './context';
import { checkArguments, optionalBoolean, optionalCount, optionalDoc, wrongType } from './fields';
import { checkWriteConcern } from './write-results';

const unofferedOptions = [
  'capped',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'timeseries',
  'expireAfterSeconds',
  'collation',
  'storageEngine',
  'indexOptionDefaults',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
];

const create: Command = async (command, context) => {
  checkArguments(command, 'create', [...unofferedOptions, 'autoIndexId', 'idIndex']);
  const name = namespaceName(context.database, command.get('create'));
  checkWriteConcern(command);
  for (const option of unofferedOptions) {
    if (command.has(option) && command.get(option) !== false)
      failCommand(238, `The option '${option}' is not offered by this store`);
  }
  return context.store.engine.write(() => {
    if (findCollection(context.store, context.database, name)) {
      failCommand(48, `Collection already exists. NS: ${context.database}.${name}`);
    }
    ensureCollection(context.store, context.database, name);
    return docOf({});
  });
};

const drop: Command = async (command, context) => {
  checkArguments(command, 'drop', []);
  const name = namespaceName(context.database, command.get('drop'));
  checkWriteConcern(command);
  if (!findCollection(context.store, context.database, name)) failCommand(26, 'ns not found');
  return context.store.engine.write(() => {
    const collection = findCollection(context.store, context.database, name);
    if (!collection) return failCommand(26, 'ns not found');
    dropCollection(context.store, collection);
    return docOf({ nIndexesWas: int(collection.indexes.length), ns: `${context.database}.${name}` });
  });
};

const dropDatabase: Command = async (command, context) => {
  checkArguments(command, 'dropDatabase', []);
  const value = command.get('dropDatabase');
  if (!isNumeric(value)) throw wrongType('dropDatabase', value ?? null, 'int');
  if (toDouble(value) !== 1) failCommand(5255100, 'Have to pass 1 as db parameter');
  checkWriteConcern(command);
  return context.store.engine.write(() => {
    for (const collection of collectionsOf(context.store, context.database)) dropCollection(context.store, collection);
    return docOf({});
  });
};

const listCollections: Command = (command, context) => {
  checkArguments(command, 'listCollections', ['filter', 'nameOnly', 'authorizedCollections', 'cursor']);
  const nameOnly = optionalBoolean(command, 'nameOnly', false, true);
  const filter = parseFilter(optionalDoc(command, 'filter') ?? new Map());
  const batchSize = optionalCount(optionalDoc(command, 'cursor') ?? new Map(), 'batchSize');
  const found = collectionsOf(context.store, context.database).map((collection) =>
    docOf({
      name: collection.name,
      type: 'collection',
      options: docOf({}),
      info: docOf({ readOnly: false, uuid: collection.uuid }),
      idIndex: collection.indexes[0]?.spec,
    }),
  );
  const shown = found.filter((entry) => matches(filter, entry)).map((entry) => (nameOnly ? onlyName(entry) : entry));
  return context.cursors.open(`${context.database}.$cmd.listCollections`, shown, { batchSize }, context.pause);
};

const onlyName = (entry: Doc): Doc => docOf({ name: entry.get('name'), type: entry.get('type') });

const listDatabases: Command = (command, context) => {
  checkArguments(command, 'listDatabases', ['filter', 'nameOnly', 'authorizedDatabases']);
  const filterDoc = command.get('filter');
  if (filterDoc !== undefined && !(filterDoc instanceof Map))
    throw wrongType('listDatabases.filter', filterDoc, 'object');
  const nameOnly = optionalBoolean(command, 'nameOnly', false, true);
  const filter = parseFilter(filterDoc ?? new Map());
  const databases = [...context.store.catalog.collections.keys()]
    .filter((name) => context.session.mayRead(name))
    .sort()
    .map((name) =>
      nameOnly ? docOf({ name }) : docOf({ name, sizeOnDisk: 0n, empty: isEmptyDatabase(name, context) }),
    )
    .filter((entry) => matches(filter, entry));
  if (nameOnly) return docOf({ databases });
  return docOf({ databases, totalSize: 0n, totalSizeMb: 0n });
};

const isEmptyDatabase = (name: string, context: CommandContext): boolean =>
  collectionsOf(context.store, name).length === 0;

export const collectionCommands: Record<string, Command> = {
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
};
