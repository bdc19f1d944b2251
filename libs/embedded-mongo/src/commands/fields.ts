/** Reads the arguments of commands with MongoDB's type checks: 40414 missing, 40415 unknown, 14 wrong type, 51024 out of range. */
import { CommandError, failCommand } from '../errors';
import { isNumeric, toDouble, toInteger, truncateToInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';

/** Arguments that every command takes. */
const generic = new Set([
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'txnNumber',
  'autocommit',
  'startTransaction',
  '$audit',
  '$client',
  'stmtId',
  'stmtIds',
  'maxTimeMSOpOnly',
  'databaseVersion',
  'shardVersion',
  'allowImplicitCollectionCreation',
  '$configServerState',
  'help',
]);

/** Refuses arguments that neither the list nor the generic ones name. */
export function checkArguments(command: Doc, where: string, known: readonly string[]): void {
  const [first] = command.keys();
  for (const name of command.keys()) {
    if (name !== first && !generic.has(name) && !known.includes(name)) {
      failCommand(40415, `BSON field '${where}.${name}' is an unknown field.`);
    }
  }
}

/** Refuses fields of a sub-document that are not in the list. */
export function checkFields(document: Doc, where: string, known: readonly string[]): void {
  for (const name of document.keys()) {
    if (!known.includes(name)) failCommand(40415, `BSON field '${where}.${name}' is an unknown field.`);
  }
}

export function wrongType(name: string, value: Value, expected: string): CommandError {
  return new CommandError(
    14,
    `BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  );
}

const missing = (name: string): CommandError =>
  new CommandError(40414, `BSON field '${name}' is missing but a required field`);

/** A document argument. Null counts as absent, as the server reads most arguments; `strictDoc` is for the others. */
export function optionalDoc(document: Doc, name: string): Doc | undefined {
  return document.get(name) === null ? undefined : strictDoc(document, name);
}

export function strictDoc(document: Doc, name: string): Doc | undefined {
  const value = document.get(name);
  if (value === undefined) return undefined;
  if (!(value instanceof Map)) throw wrongType(name, value, 'object');
  return value;
}

export function requiredDoc(document: Doc, name: string): Doc {
  const value = optionalDoc(document, name);
  if (!value) throw missing(name);
  return value;
}

export function requiredArray(document: Doc, name: string): Value[] {
  const value = document.get(name);
  if (value === undefined || value === null) throw missing(name);
  if (!Array.isArray(value)) throw wrongType(name, value, 'array');
  return value;
}

export function requiredValue(document: Doc, name: string): Value {
  const value = document.get(name);
  if (value === undefined) throw missing(name);
  return value;
}

export function optionalString(document: Doc, name: string): string | undefined {
  const value = document.get(name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(name, value, 'string');
  return value;
}

export function requiredString(document: Doc, name: string): string {
  const value = optionalString(document, name);
  if (value === undefined) throw missing(name);
  return value;
}

/** A boolean argument; where `numbers` allows them, nonzero numbers count as true. */
export function optionalBoolean(document: Doc, name: string, fallback: boolean, numbers = false): boolean {
  const value = document.get(name);
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'boolean') return value;
  if (numbers && isNumeric(value)) return toDouble(value) !== 0;
  throw wrongType(name, value, 'bool');
}

/**
 * A whole number that is not negative; fractions are cut off. Throws code 14 for other types and `code` for negative
 * values.
 */
export function optionalCount(document: Doc, name: string, code = 51024): number | undefined {
  const value = document.get(name);
  if (value === undefined || value === null) return undefined;
  if (!isNumeric(value)) throw wrongType(name, value, 'long');
  const whole = Number(toInteger(value) ?? truncateToInteger(value) ?? 0n);
  if (whole < 0) failCommand(code, `BSON field '${name}' value must be >= 0, actual value '${whole}'`);
  return whole;
}

/** Milliseconds of `maxTimeMS`, 0 for no limit. For other values throws code 2, as MongoDB does. */
export function maxTimeOf(command: Doc): number {
  const value = command.get('maxTimeMS');
  if (value === undefined || value === null) return 0;
  const whole = isNumeric(value)
    ? toInteger(value)
    : failCommand(command.has('aggregate') ? 14 : 2, 'maxTimeMS must be a number');
  if (whole === undefined) return failCommand(2, 'maxTimeMS has non-integral value');
  if (whole < 0n || whole > 2147483647n) failCommand(2, `${whole} value for maxTimeMS is out of range`);
  return Number(whole);
}
