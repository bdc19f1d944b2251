/**
 * The value model of the store. Every BSON type keeps its identity, because MongoDB treats int 1, long 1 and double 1.0
 * differently. Documents are ordered maps, since JavaScript objects move integer-like keys to the front. A JavaScript
 * `number` is always a double and a `bigint` always a 64-bit integer; a missing field is `undefined`.
 */
import type { Decimal } from './decimal';

export type Doc = Map<string, Value>;

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Int32
  | Decimal
  | Doc
  | Value[]
  | BsonDate
  | ObjectId
  | Binary
  | Regex
  | Timestamp
  | Code
  | BsonSymbol
  | DbPointer
  | EncodedDoc
  | Singleton;

/** A 32-bit integer. It needs a class because a plain `number` represents a double. */
export class Int32 {
  constructor(readonly value: number) {}
}

/** Milliseconds since 1970 as the signed 64-bit integer of BSON, which exceeds the range of JavaScript dates. */
export class BsonDate {
  constructor(readonly ms: bigint) {}
}

/** Twelve bytes as 24 lower-case hexadecimal digits, which have the same order as the bytes. */
export class ObjectId {
  constructor(readonly hex: string) {}
}

export class Binary {
  constructor(
    readonly subtype: number,
    readonly bytes: Buffer,
  ) {}
}

export class Regex {
  constructor(
    readonly pattern: string,
    readonly options: string,
  ) {}
}

/** Seconds in the upper and a counter in the lower 32 bits, unsigned. */
export class Timestamp {
  constructor(readonly bits: bigint) {}
}

/** JavaScript code, stored and compared but never run; `scope` is present for the type "code with scope". */
export class Code {
  constructor(
    readonly code: string,
    readonly scope?: Doc,
  ) {}
}

export class BsonSymbol {
  constructor(readonly text: string) {}
}

export class DbPointer {
  constructor(
    readonly namespace: string,
    readonly id: ObjectId,
  ) {}
}

/** A document that is copied into a reply in its stored bytes; it is used nowhere else. */
export class EncodedDoc {
  constructor(readonly bytes: Buffer) {}
}

class Singleton {
  constructor(readonly kind: 'minKey' | 'maxKey' | 'undefined') {}
}

export const minKey = new Singleton('minKey');
export const maxKey = new Singleton('maxKey');
export const undefinedValue = new Singleton('undefined');

export const int = (value: number): Int32 => new Int32(value);

/** Builds a document from pairs, in their order. */
export function doc(...fields: [string, Value][]): Doc {
  return new Map(fields);
}

/** Builds a document from an object literal whose keys are not integer-like; `undefined` fields are left out. */
export function docOf(fields: Record<string, Value | undefined>): Doc {
  const result: Doc = new Map();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result.set(name, value);
  return result;
}

/** True for a value that MongoDB treats as null or absent in expressions: null, undefined, missing. */
export const isNullish = (value: Value | undefined): value is null | undefined =>
  value === null || value === undefined || value === undefinedValue;
