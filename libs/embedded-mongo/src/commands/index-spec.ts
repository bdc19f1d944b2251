/** Checks and normalises the description of one index as createIndexes receives it. */
import { failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import { isNumeric, isNaNValue, toDouble } from '../bson/numbers';
import type { Doc, Value } from '../bson/values';
import { docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { Filter } from '../query/predicate';
import { wrongType } from './fields';

const maxFields = 32;
const maxExpirySeconds = 2_147_483_647;
const ignored = ['ns', 'dropDups'];
const unoffered = [
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
  '2dsphereIndexVersion',
  'bits',
  'min',
  'max',
  'bucketSize',
  'collation',
  'wildcardProjection',
  'storageEngine',
];
const known = [
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'hidden',
  'background',
];

/**
 * The description as listIndexes shows it. Throws 67 for a key that cannot be indexed here, and 14, 9 or 2 as MongoDB
 * does.
 */
export function normalisedIndex(spec: Doc): Doc {
  const key = spec.get('key');
  if (key === undefined) failCommand(9, "The 'key' field is a required property of an index specification");
  if (!(key instanceof Map)) throw wrongType('key', key as Value, 'object');
  checkKey(key);
  const name = spec.get('name');
  if (name === undefined) failCommand(9, "The 'name' field is a required property of an index specification");
  if (typeof name !== 'string') throw wrongType('name', name as Value, 'string');
  checkName(name);
  const isId = compareValues(key, docOf({ _id: int(1) })) === 0;
  const result: Doc = new Map<string, Value>([
    ['v', versionOf(spec.get('v'))],
    ['key', key],
    ['name', isId ? '_id_' : name],
  ]);
  if (name === '_id_' && !isId) failCommand(2, "The index name '_id_' is reserved for the _id index");
  for (const [option, value] of spec) {
    if (!['v', 'key', 'name'].includes(option)) readOption(result, option, value, isId);
  }
  if (result.get('sparse') === true && result.has('partialFilterExpression')) {
    failCommand(67, 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  if (result.has('expireAfterSeconds') && key.size > 1)
    failCommand(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  return result;
}

function readOption(result: Doc, option: string, value: Value, isId: boolean): void {
  if (ignored.includes(option)) return;
  if (unoffered.includes(option)) failCommand(67, `The index option '${option}' is not offered by this store`);
  if (!known.includes(option)) failCommand(197, `The field '${option}' is not valid for an index specification`);
  if (isId && option !== 'background')
    failCommand(197, `The field '${option}' is not valid for an _id index specification`);
  switch (option) {
    case 'unique':
      if (truthOf(option, value)) result.set(option, true);
      break;
    case 'sparse':
      result.set(option, truthOf(option, value));
      break;
    case 'hidden':
      if (truthOf(option, value)) result.set(option, true);
      break;
    case 'background':
      result.set(option, value);
      break;
    case 'expireAfterSeconds':
      result.set(option, expiryOf(value));
      break;
    default:
      checkPartial(value);
      result.set(option, value);
  }
}

function truthOf(option: string, value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toDouble(value) !== 0;
  throw wrongType(option, value, 'bool');
}

function expiryOf(value: Value): Value {
  if (!isNumeric(value)) return failCommand(67, "TTL index 'expireAfterSeconds' option must be numeric");
  const seconds = toDouble(value);
  if (!(seconds >= 0 && seconds <= maxExpirySeconds)) {
    failCommand(
      67,
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower number than ${seconds}`,
    );
  }
  return value;
}

function versionOf(version: Value | undefined): Value {
  if (version === undefined) return int(2);
  if (!isNumeric(version)) throw wrongType('v', version, 'number');
  const number = toDouble(version);
  if (number !== 1 && number !== 2)
    failCommand(67, `Invalid index specification; cannot create an index with v=${number}`);
  return int(number);
}

function checkName(name: string): void {
  if (name === '*') failCommand(2, "The index name '*' is not valid.");
  if (name.includes('\0') || name === '') failCommand(67, 'index names cannot be empty or contain NUL');
}

function checkKey(key: Doc): void {
  if (key.size === 0) failCommand(67, 'Index keys cannot be an empty object');
  if (key.size > maxFields) failCommand(13103, 'too many compound keys');
  for (const [field, direction] of key) {
    if (typeof direction === 'string') failCommand(67, `Unknown index plugin '${direction}'`);
    if (!isNumeric(direction) || isNaNValue(direction) || toDouble(direction) === 0) {
      failCommand(67, 'Values in the index key pattern must be numbers other than 0');
    }
    const parts = field.split('.');
    if (parts.includes('')) failCommand(67, 'Index keys cannot contain an empty field.');
    if (parts.some((part) => part.startsWith('$') && !['$ref', '$id', '$db'].includes(part))) {
      failCommand(67, `Index key contains an illegal field name: '${field}'`);
    }
  }
}

function checkPartial(value: Value): void {
  if (!(value instanceof Map)) throw wrongType('partialFilterExpression', value, 'object');
  if (value.has('$expr')) failCommand(224, '$expr is not allowed in a partialFilterExpression');
  checkPartialFilter(parseFilter(value));
}

function checkPartialFilter(filter: Filter): void {
  if (filter.kind === 'and') {
    for (const child of filter.children) checkPartialFilter(child);
    return;
  }
  const allowed = ['eq', 'lt', 'lte', 'gt', 'gte', 'exists', 'type'];
  if (filter.kind !== 'field' || !allowed.includes(filter.leaf.op)) {
    failCommand(67, 'unsupported expression in partial index');
  }
}
