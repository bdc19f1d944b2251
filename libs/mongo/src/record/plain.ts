/**
 * The allowed content of a record: plain values that the store returns exactly as they were given. Everything else
 * (undefined, class instances, numbers that are not finite) is dropped or refused here, for fake and adapter alike,
 * because a value that the store changes would make a later comparison of `current` and `next` wrong.
 */
import { InvariantError } from '@platform/kernel';

export type Plain = string | number | boolean | Date | null | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainRecord = { readonly [key: string]: Plain };

function plainNumber(value: number, path: string): number {
  if (!Number.isFinite(value)) throw new InvariantError(`${path}: a number that is not finite cannot be stored`);
  return value === 0 ? 0 : value;
}

function plainDate(value: Date, path: string): Date {
  if (Number.isNaN(value.getTime())) throw new InvariantError(`${path}: an invalid date cannot be stored`);
  return new Date(value.getTime());
}

function requirePlainObject(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return;
  // Also compared by name: test runners and worker realms have their own Object.
  if ((prototype as object).constructor?.name !== 'Object')
    throw new InvariantError(`${path}: only plain objects can be stored`);
}

function plainObject(value: object, path: string): PlainRecord {
  requirePlainObject(value, path);
  const members: Record<string, Plain> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (key.includes('\0')) throw new InvariantError(`${path}: a key with a NUL character cannot be stored`);
    if (member === undefined) continue;
    // Every record passes here in both directions, so the path is built only when an error needs it.
    const plain = isSimple(member) ? member : toPlain(member, `${path}.${key}`);
    if (key === '__proto__') defineMember(members, key, plain);
    else members[key] = plain;
  }
  return members;
}

/** Adds a member even when an assignment to its name would set the prototype. */
function defineMember(members: Record<string, Plain>, key: string, value: Plain): void {
  Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
}

function isSimple(value: unknown): value is string | boolean | null {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

/** A deep copy that holds only storable values; undefined members are left out. Throws InvariantError with the path. */
export function toPlain(value: unknown, path: string): Plain {
  if (isSimple(value)) return value;
  if (typeof value === 'number') return plainNumber(value, path);
  if (isDate(value)) return plainDate(value, path);
  if (Array.isArray(value))
    return value.map((member: unknown, index) => (isSimple(member) ? member : toPlain(member, `${path}.${index}`)));
  if (typeof value === 'object') return plainObject(value, path);
  throw new InvariantError(`${path}: a value of type ${typeof value} cannot be stored`);
}

/** A copy of a value that {@link toPlain} has checked: the fake copies everything that it returns. */
export function copyPlain<T extends Plain>(value: T): T;
export function copyPlain(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member: Plain) => copyPlain(member));
  if (isDate(value)) return new Date(value.getTime());
  // The engine copies a whole object faster than its members one by one; most members are no objects.
  const members: Record<string, Plain> = { ...(value as PlainRecord) };
  for (const key of Object.keys(members)) {
    const member = members[key]!;
    if (typeof member !== 'object' || member === null) continue;
    if (key === '__proto__') defineMember(members, key, copyPlain(member));
    else members[key] = copyPlain(member);
  }
  return members;
}

/** Refuses a top-level name that an update could read as a path or an operator, or that cannot be stored. */
export function requireFieldName(name: string, subject: string): void {
  if (name.startsWith('$') || name.includes('.') || name.includes('\0'))
    throw new InvariantError(`${subject}: a field cannot be called ${JSON.stringify(name)}`);
}

/** The members of a record, each name checked by {@link requireFieldName}. */
export function toPlainRecord(record: object, subject: string): PlainRecord {
  for (const name of Object.keys(record)) requireFieldName(name, subject);
  return plainObject(record, subject);
}

/**
 * A copy that shares no plain value with the original; values of other types, which only foreign programs store, are
 * kept.
 */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (isDate(value)) return new Date(value.getTime()) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf<unknown>(member)])) as T;
}

/** Also compared by tag: test runners and worker realms have their own Date. */
export function isDate(value: unknown): value is Date {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === Object.prototype) return false;
  return value instanceof Date || Object.prototype.toString.call(value) === '[object Date]';
}

/** Equality as the store defines it, except that the order of keys does not count. */
export function samePlain(a: Plain | undefined, b: Plain | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (isDate(a) || isDate(b)) return isDate(a) && isDate(b) && a.getTime() === b.getTime();
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((member: Plain, index) => samePlain(member, b[index] as Plain))
    );
  }
  const left = a as PlainRecord;
  const right = b as PlainRecord;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && samePlain(left[key], right[key]))
  );
}
