/** Names, numbers and the comparison order of BSON types, as `$type` and MongoDB's ordering use them. */
import { Decimal } from './decimal';
import type { Value } from './values';
import {
  Binary,
  BsonDate,
  BsonSymbol,
  Code,
  DbPointer,
  Int32,
  minKey,
  ObjectId,
  Regex,
  Timestamp,
  undefinedValue,
} from './values';

/** Number of each type on the wire, by the alias that `$type` understands. */
export const typeNumbers: Readonly<Record<string, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};

/** The alias of the value's type; `missing` for an absent value. */
export function typeName(value: Value | undefined): string {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'string':
      return 'string';
    case 'number':
      return 'double';
    case 'bigint':
      return 'long';
    case 'boolean':
      return 'bool';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'null';
  if (value instanceof Int32) return 'int';
  if (value instanceof Map) return 'object';
  if (Array.isArray(value)) return 'array';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof BsonDate) return 'date';
  if (value instanceof Decimal) return 'decimal';
  if (value instanceof Binary) return 'binData';
  if (value instanceof Regex) return 'regex';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Code) return value.scope ? 'javascriptWithScope' : 'javascript';
  if (value instanceof BsonSymbol) return 'symbol';
  if (value instanceof DbPointer) return 'dbPointer';
  return value === undefinedValue ? 'undefined' : value === minKey ? 'minKey' : 'maxKey';
}

/** Types with one rank compare by value; the ranks themselves order different types. */
export const typeRank = {
  minKey: 1,
  undefined: 2,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
} as const;

/** The rank of a value's type in the BSON order. Callers that rank a missing value as null pass null. */
export function rankOf(value: Value): number {
  switch (typeof value) {
    case 'string':
      return typeRank.string;
    case 'number':
    case 'bigint':
      return typeRank.number;
    case 'boolean':
      return typeRank.bool;
    default:
      break;
  }
  if (value === null) return typeRank.null;
  if (value instanceof Int32 || value instanceof Decimal) return typeRank.number;
  if (value instanceof Map) return typeRank.object;
  if (Array.isArray(value)) return typeRank.array;
  if (value instanceof ObjectId) return typeRank.objectId;
  if (value instanceof BsonDate) return typeRank.date;
  const name = typeName(value);
  return name === 'symbol' ? typeRank.string : typeRank[name as keyof typeof typeRank];
}
