/** count and distinct. */
import { failCommand } from '../errors';
import { identityOf } from '../bson/key-encoding';
import { isNumeric, truncateToInteger } from '../bson/numbers';
import type { Doc, Value } from '../bson/values';
import { docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import { anyAtPath } from '../query/path-values';
import { countByIndex } from '../storage/index-count';
import { choosePlan } from '../storage/planner';
import { pauseMark } from '../storage/pause';
import { readPaced } from '../storage/read-plan';
import { findCollection, namespaceName } from '../storage/store';
import type { Command } from './context';
import { checkArguments, optionalCount, optionalDoc, requiredString, wrongType } from './fields';
import { readHint, assertOffered } from './find-command';

/** A limit of count may be negative, which means its absolute value. */
function countLimit(command: Doc): number {
  const value = command.get('limit');
  if (value === undefined) return Infinity;
  if (!isNumeric(value)) throw wrongType('count.limit', value, 'long');
  const whole = Math.abs(Number(truncateToInteger(value) ?? 0n));
  return whole === 0 ? Infinity : whole;
}

const count: Command = async (command, context) => {
  checkArguments(command, 'count', ['query', 'limit', 'skip', 'hint', 'collation', 'fields', 'queryOptions']);
  const name = namespaceName(context.database, command.get('count'), 73);
  assertOffered(command, ['collation']);
  const query = command.get('query') === null ? undefined : optionalDoc(command, 'query');
  const filter = parseFilter(query ?? new Map());
  const limit = countLimit(command);
  const skip = optionalCount(command, 'skip', 9) ?? 0;
  const hint = readHint(command.get('hint'));
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return docOf({ n: int(0) });
  const counted = hint === undefined ? countByIndex(context.store.engine, collection, filter) : undefined;
  if (counted !== undefined) return docOf({ n: int(Math.max(0, Math.min(counted - skip, limit))) });
  const plan = choosePlan(collection, { filter, sort: undefined, hint });
  let found = 0;
  for (const match of readPaced(context.store.engine, collection, plan, filter, context.tick)) {
    if (match === pauseMark) await context.pause();
    else found += 1;
    if (found >= skip + limit) break;
  }
  return docOf({ n: int(Math.max(0, found - skip)) });
};

const distinct: Command = async (command, context) => {
  checkArguments(command, 'distinct', ['key', 'query', 'collation', 'hint']);
  const name = namespaceName(context.database, command.get('distinct'));
  assertOffered(command, ['collation']);
  const key = requiredString(command, 'key');
  checkKey(key);
  const query = command.get('query') === null ? undefined : optionalDoc(command, 'query');
  const filter = parseFilter(query ?? new Map());
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return docOf({ values: [] });
  const plan = choosePlan(collection, { filter, sort: undefined, hint: readHint(command.get('hint')) });
  const values = new Map<string, Value>();
  for (const match of readPaced(context.store.engine, collection, plan, filter, context.tick)) {
    if (match === pauseMark) await context.pause();
    else collectValues(match.document, key.split('.'), values);
  }
  return docOf({ values: [...values.values()] });
};

function checkKey(key: string): void {
  if (key === '') failCommand(40352, 'FieldPath cannot be constructed with empty string');
  if (key.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  for (const part of key.split('.')) {
    if (part === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) failCommand(16410, "FieldPath field names may not start with '$'.");
  }
}

/** Values at the path; an array contributes its elements and not itself. */
function collectValues(document: Doc, parts: string[], values: Map<string, Value>): void {
  const add = (value: Value): void => {
    const identity = identityOf(value);
    if (!values.has(identity)) values.set(identity, value);
  };
  anyAtPath(document, parts, false, (value) => {
    if (Array.isArray(value)) value.forEach(add);
    else if (value !== undefined) add(value);
    return false;
  });
}

export const countCommands: Record<string, Command> = { count, distinct };
