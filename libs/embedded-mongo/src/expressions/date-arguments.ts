/** What the date operators share: reading dates and zones, and named arguments with each operator's own codes. */
import { failCommand } from '../errors';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { BsonDate, isNullish, ObjectId, Timestamp } from '../bson/values';
import type { Expression, Scope } from './scope';
import type { Zone } from './zones';
import { utc, zoneOf } from './zones';

/** Instants beyond this are refused, because their milliseconds are no longer exact numbers. */
const maxInstant = 2n ** 53n;

/** Milliseconds of a date, timestamp or ObjectId. Throws the given code for other types. */
export function instantFrom(value: Value, code = 16006): number {
  const ms = millisecondsFrom(value);
  if (ms === undefined) return failCommand(code, `can't convert from BSON type ${typeName(value)} to Date`);
  if (ms > maxInstant || ms < -maxInstant) failCommand(238, 'this store does not support dates this far from now');
  return Number(ms);
}

function millisecondsFrom(value: Value): bigint | undefined {
  if (value instanceof BsonDate) return value.ms;
  if (value instanceof Timestamp) return (value.bits >> 32n) * 1000n;
  if (value instanceof ObjectId) return BigInt(Number.parseInt(value.hex.slice(0, 8), 16) | 0) * 1000n;
  return undefined;
}

export function dateOf(instant: number): BsonDate {
  if (!Number.isSafeInteger(instant)) failCommand(238, 'this store does not support dates this far from now');
  return new BsonDate(BigInt(instant));
}

/** Reads the zone argument; null when it is null or missing, UTC when the operator has none. */
export function zoneReader(
  expression: Expression | undefined,
  typeCode = 40517,
): (environment: Parameters<Expression>[0]) => Zone | null {
  if (!expression) return () => utc;
  return (environment) => {
    const value = expression(environment);
    if (isNullish(value)) return null;
    if (typeof value !== 'string')
      return failCommand(typeCode, `timezone must evaluate to a string, found ${typeName(value)}`);
    return zoneOf(value);
  };
}

export interface NamedArguments {
  optional(name: string): Expression | undefined;
  required(name: string, code: number): Expression;
}

/** Named arguments of an operator; the codes are for a wrong shape and an unknown name. */
export function namedArguments(
  argument: Value,
  scope: Scope,
  operator: string,
  known: readonly string[],
  shapeCode: number,
  unknownCode: number,
): NamedArguments {
  if (!(argument instanceof Map)) return failCommand(shapeCode, `${operator} only supports an object as its argument`);
  const fields: Doc = argument;
  for (const name of fields.keys())
    if (!known.includes(name)) failCommand(unknownCode, `Unrecognized argument to ${operator}: ${name}`);
  const compiled = new Map([...fields].map(([name, value]) => [name, scope.compile(value)]));
  return {
    optional: (name) => compiled.get(name),
    required: (name, code) => compiled.get(name) ?? failCommand(code, `Missing '${name}' parameter to ${operator}`),
  };
}
