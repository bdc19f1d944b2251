/** find, getMore and killCursors. */
import { failCommand } from '../errors';
import { isNumeric } from '../bson/numbers';
import { compareValues } from '../bson/compare';
import type { Doc, Value } from '../bson/values';
import { docOf, EncodedDoc } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { Filter } from '../query/predicate';
import type { Projection } from '../query/projection';
import { compileProjection } from '../query/projection';
import type { SortField } from '../query/sort';
import { createSorter, parseSort } from '../query/sort';
import { Scope } from '../expressions/scope';
import type { Pause } from '../storage/pause';
import { pauseMark } from '../storage/pause';
import type { Plan } from '../storage/planner';
import { choosePlan } from '../storage/planner';
import type { Match } from '../storage/read-plan';
import { readPaced } from '../storage/read-plan';
import { findCollection, namespaceName } from '../storage/store';
import type { Collection } from '../storage/catalog';
import type { Command, CommandContext } from './context';
import type { Result } from './cursors';
import {
  checkArguments,
  maxTimeOf,
  optionalBoolean,
  optionalCount,
  requiredArray,
  requiredString,
  strictDoc,
  wrongType,
} from './fields';
import { scopeOf } from './variables';

const findArguments = [
  'filter',
  'sort',
  'projection',
  'hint',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'comment',
  'max',
  'min',
  'returnKey',
  'showRecordId',
  'tailable',
  'oplogReplay',
  'noCursorTimeout',
  'awaitData',
  'allowPartialResults',
  'collation',
  'allowDiskUse',
  'let',
];

export interface ReadRequest {
  filter: Filter;
  sort: SortField[] | undefined;
  plan: Plan | undefined;
  collection: Collection | undefined;
  skip: number;
  limit: number;
  projection: Projection | undefined;
}

/** Refuses options that would change the answer and are not supported. */
export function assertOffered(command: Doc, names: readonly string[]): void {
  for (const name of names) {
    const value = command.get(name);
    if (name === 'collation' && value !== undefined && value !== null && !(value instanceof Map))
      throw wrongType(name, value, 'object');
    if (value === undefined || value === false || value === null) continue;
    if (value instanceof Map && (value.size === 0 || (name === 'collation' && value.get('locale') === 'simple')))
      continue;
    failCommand(238, `The option '${name}' is not offered by this store`);
  }
}

/** Reads sort, where `{$natural: ±1}` is a direction of the scan. */
export function readSort(sort: Doc | undefined): { fields: SortField[] | undefined; natural: Value | undefined } {
  if (!sort || sort.size === 0) return { fields: undefined, natural: undefined };
  if (sort.has('$natural')) {
    const direction = sort.get('$natural') as Value;
    if (sort.size > 1) failCommand(2, '$natural sort cannot be set to a value other than -1 or 1.');
    if (!isNumeric(direction) || compareValues(direction, 0) === 0)
      failCommand(2, '$natural sort cannot be set to a value other than -1 or 1.');
    return { fields: undefined, natural: sort };
  }
  return { fields: parseSort(sort), natural: undefined };
}

/** Parses a find command and plans it. */
export function prepareFind(command: Doc, context: CommandContext): ReadRequest {
  checkArguments(command, 'find', findArguments);
  const name = namespaceName(context.database, command.get('find'));
  assertNotTailable(command);
  for (const flag of [
    'returnKey',
    'showRecordId',
    'allowDiskUse',
    'allowPartialResults',
    'oplogReplay',
    'noCursorTimeout',
    'singleBatch',
  ]) {
    optionalBoolean(command, flag, false);
  }
  assertOffered(command, ['collation', 'min', 'max', 'returnKey', 'showRecordId']);
  const scope = scopeOf(command);
  const filter = parseFilter(strictDoc(command, 'filter') ?? new Map(), { scope });
  const { fields, natural } = readSort(strictDoc(command, 'sort'));
  const projection = strictDoc(command, 'projection');
  const limit = optionalCount(command, 'limit') ?? 0;
  const collection = findCollection(context.store, context.database, name);
  return {
    filter,
    sort: fields,
    collection,
    plan:
      collection && choosePlan(collection, { filter, sort: fields, hint: natural ?? readHint(command.get('hint')) }),
    skip: optionalCount(command, 'skip') ?? 0,
    limit: limit === 0 ? Infinity : limit,
    projection: projection && compileProjection(projection, true, new Scope(scope)),
  };
}

function assertNotTailable(command: Doc): void {
  if (optionalBoolean(command, 'tailable', false))
    failCommand(2, 'error processing query: tailable cursor requested on non capped collection');
  if (optionalBoolean(command, 'awaitData', false)) failCommand(9, 'Cannot set awaitData without tailable');
}

export function readHint(hint: Value | undefined): Value | undefined {
  if (hint === undefined || (hint instanceof Map && hint.size === 0)) return undefined;
  if (typeof hint !== 'string' && !(hint instanceof Map)) failCommand(9, 'Hint must be a string or an object');
  return hint;
}

/** The matches of a request in their final order, before skip and limit. */
function* orderedMatches(request: ReadRequest, context: CommandContext): Generator<Match | Pause> {
  const { collection, plan } = request;
  if (!collection || !plan) return;
  const found = readPaced(context.store.engine, collection, plan, request.filter, () => context.tick());
  if (!request.sort || (plan.sorted && plan.kind === 'index')) {
    yield* found;
    return;
  }
  const sorter = createSorter<Match>(request.sort, request.skip + request.limit);
  for (const match of found) {
    if (match === pauseMark) yield pauseMark;
    else sorter.add(match, match.document);
  }
  yield* sorter.result();
}

/** The matches without pauses, for a read and a write that must not be interrupted. */
export function* orderedInOnePiece(request: ReadRequest, context: CommandContext): Generator<Match> {
  for (const match of orderedMatches(request, context)) if (match !== pauseMark) yield match;
}

function* results(request: ReadRequest, context: CommandContext): Generator<Result | Pause> {
  let position = 0;
  if (request.limit + request.skip === 0) return;
  for (const match of orderedMatches(request, context)) {
    if (match === pauseMark) {
      yield pauseMark;
      continue;
    }
    if (position >= request.skip)
      yield request.projection ? request.projection(match.document, match.details) : new EncodedDoc(match.bytes);
    position += 1;
    if (position >= request.skip + request.limit) return;
  }
}

const find: Command = (command, context) => {
  const request = prepareFind(command, context);
  const batchSize = optionalCount(command, 'batchSize');
  const name = command.get('find') as string;
  return context.cursors.open(
    `${context.database}.${name}`,
    results(request, context),
    {
      batchSize,
      singleBatch: optionalBoolean(command, 'singleBatch', false),
      noTimeout: optionalBoolean(command, 'noCursorTimeout', false),
      ...(request.limit === Infinity ? {} : { limit: request.limit }),
    },
    context.pause,
  );
};

const getMore: Command = (command, context) => {
  checkArguments(command, 'getMore', ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime']);
  const id = command.get('getMore');
  if (typeof id !== 'bigint') throw wrongType('getMore.getMore', id ?? null, 'long');
  const name = namespaceName(context.database, requiredString(command, 'collection'));
  const batchSize = optionalCount(command, 'batchSize') ?? 0;
  if (maxTimeOf(command) > 0) failCommand(2, 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  return context.cursors.more(
    id,
    `${context.database}.${name}`,
    batchSize === 0 ? undefined : batchSize,
    context.pause,
  );
};

const killCursors: Command = (command, context) => {
  checkArguments(command, 'killCursors', ['cursors']);
  namespaceName(context.database, command.get('killCursors'));
  const killed: Value[] = [];
  const unknown: Value[] = [];
  for (const id of requiredArray(command, 'cursors')) {
    if (typeof id !== 'bigint') throw wrongType('killCursors.cursors.0', id, 'long');
    (context.cursors.kill(id) ? killed : unknown).push(id);
  }
  return docOf({ cursorsKilled: killed, cursorsNotFound: unknown, cursorsAlive: [], cursorsUnknown: [] });
};

export const findCommands: Record<string, Command> = { find, getMore, killCursors };
