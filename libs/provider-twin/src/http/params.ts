/**
 * Declared parameters of an endpoint: each name with a reader that turns form text into a value or refuses it with the
 * provider's documented code, param and message. An undeclared parameter is unknown.
 */
import { errors } from './errors';
import type { FormMap, FormValue } from './form';

export interface Param<T, R extends boolean = false> {
  read(value: FormValue, name: string): T;
  required: R;
  /** Names a parameter that is known and always refused. */
  refused?: true;
}

export type Shape = Record<string, Param<unknown, boolean>>;
export type Read<S extends Shape> = {
  [K in keyof S as S[K] extends Param<unknown, true> ? K : never]: S[K] extends Param<infer T, boolean> ? T : never;
} & {
  [K in keyof S as S[K] extends Param<unknown, true> ? never : K]?: S[K] extends Param<infer T, boolean> ? T : never;
};

const param = <T>(read: (value: FormValue, name: string) => T): Param<T> => ({ read, required: false });

function scalar(value: FormValue, name: string): string {
  if (typeof value !== 'string') throw errors.invalid(`Invalid string: ${JSON.stringify(value)}`, name);
  return value;
}

/** Text up to the provider's general limit of 5,000 characters; empty text is refused. */
export const text = (maxCharacters = 5_000): Param<string> =>
  param((value, name) => {
    const read = scalar(value, name);
    if (read === '') throw errors.empty(name);
    if (read.length > maxCharacters)
      throw errors.invalid(
        `Invalid string: ${read.slice(0, 12)}...; must be at most ${maxCharacters} characters`,
        name,
      );
    return read;
  });

/** An integer within the range that a JavaScript number holds exactly. */
export const integer = (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Param<number> =>
  param((value, name) => {
    const read = scalar(value, name);
    if (!/^[+-]?\d{1,16}$/.test(read) || !Number.isSafeInteger(Number(read)))
      throw errors.invalid(`Invalid integer: ${read.slice(0, 40)}`, name, 'parameter_invalid_integer');
    const number = Number(read);
    if (number < min)
      throw errors.invalid(`This value must be greater than or equal to ${min}.`, name, 'parameter_invalid_integer');
    if (number > max)
      throw errors.invalid(`This value must be less than or equal to ${max}.`, name, 'parameter_invalid_integer');
    return number;
  });

export const flag: Param<boolean> = param((value, name) => {
  const read = scalar(value, name);
  if (read !== 'true' && read !== 'false') throw errors.invalid(`Invalid boolean: ${read.slice(0, 40)}`, name);
  return read === 'true';
});

/** A moment in seconds since 1970. */
export const timestamp: Param<number> = param((value, name) => {
  const read = scalar(value, name);
  if (!/^\d{1,11}$/.test(read))
    throw errors.invalid(`Invalid timestamp: must be an integer Unix timestamp, got '${read.slice(0, 40)}'`, name);
  return Number(read);
});

export const oneOf = <const T extends string>(...values: T[]): Param<T> =>
  param((value, name) => {
    const read = scalar(value, name);
    const found = values.find((each) => each === read);
    if (found !== undefined) return found;
    const list = values.length > 1 ? `${values.slice(0, -1).join(', ')}, or ${values.at(-1)}` : values[0];
    throw errors.invalid(`Invalid ${name}: must be ${values.length > 1 ? 'one of ' : ''}${list}`, name);
  });

/** A three-letter currency code in lower case. The twin settles in US dollars and euros, like a European account. */
export const currency: Param<string> = param((value, name) => {
  const read = scalar(value, name).toLowerCase();
  if (!/^[a-z]{3}$/.test(read))
    throw errors.invalid(`Invalid currency: ${read.slice(0, 20)}. Must be a three-letter ISO code.`, name);
  return read;
});

/** The first reader that accepts the value; the last one's refusal when none does. */
export const either = <A, B>(first: Param<A>, second: Param<B>): Param<A | B> =>
  param<A | B>((value, name) => {
    try {
      return first.read(value, name);
    } catch {
      return second.read(value, name);
    }
  });

/** Empty text unsets the value. */
export const unsettable = <T>(inner: Param<T>): Param<T | null> =>
  param((value, name) => (value === '' ? null : inner.read(value, name)));

export const required = <T>(inner: Param<T>): Param<T, true> => ({ ...inner, required: true });

/** A list, in the order of its numbered keys. */
export const list = <T>(inner: Param<T>, maxItems = 500): Param<T[]> =>
  param((value, name) => {
    if (value === '') return [];
    if (typeof value === 'string' || Object.keys(value).some((key) => !/^\d{1,6}$/.test(key)))
      throw errors.invalid('Invalid array', name);
    const keys = Object.keys(value).sort((a, b) => Number(a) - Number(b));
    if (keys.length > maxItems) throw errors.invalid(`Array too long: at most ${maxItems} items`, name);
    return keys.map((key) => inner.read(value[key] ?? '', `${name}[${key}]`));
  });

function readShape<S extends Shape>(shape: S, given: FormMap, prefix: string): Read<S> {
  const named = (name: string): string => (prefix ? `${prefix}[${name}]` : name);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape, name));
  if (unknown.length > 0) throw errors.unknownParameters(unknown.map(named));
  const read: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(shape)) {
    const value = given[name];
    if (value !== undefined) read[name] = declared.read(value, named(name));
    else if (declared.required) throw errors.missing(named(name));
  }
  return read as Read<S>;
}

/** A nested hash with its own declared names. */
export const hash = <S extends Shape>(shape: S): Param<Read<S>> =>
  param((value, name) => {
    if (typeof value === 'string') throw errors.invalid('Invalid object', name);
    return readShape(shape, value, name);
  });

/** A parameter of the provider that the twin refuses by name. */
export const notOffered = (what: string): Param<never> => ({
  read(_value, name) {
    throw errors.notOffered(what, name);
  },
  required: false,
  refused: true,
});

/** Accepted when it requests what the twin does anyway, otherwise refused. */
export const only = <T>(inner: Param<T>, allowed: (value: T) => boolean, what: string): Param<T> =>
  param((value, name) => {
    const read = inner.read(value, name);
    if (!allowed(read)) throw errors.notOffered(what, name);
    return read;
  });

/** Metadata changes: text sets a key, empty text removes it, and an empty value for the whole removes all. */
export type MetadataChange = Record<string, string> | null;

export const metadata: Param<MetadataChange> = param((value, name) => {
  if (value === '') return null;
  if (typeof value === 'string') throw errors.invalid('Metadata must be a hash.', name);
  const keys = Object.keys(value);
  if (keys.length > 50) throw errors.invalid('Metadata can have at most 50 keys.', name);
  return Object.fromEntries(
    keys.map((key): [string, string] => {
      const text = value[key];
      if (typeof text !== 'string') throw errors.invalid('Metadata values must be strings.', `${name}[${key}]`);
      if (key.length > 40)
        throw errors.invalid(`Metadata keys can have up to 40 characters: ${key.slice(0, 40)}...`, name);
      if (text.length > 500)
        throw errors.invalid(
          `Metadata values can have up to 500 characters, but you passed in a value of ${text.length} characters.`,
          `${name}[${key}]`,
        );
      return [key, text];
    }),
  );
});

/** Reads all parameters of a request. */
export const readParams = <S extends Shape>(shape: S, given: FormMap): Read<S> => readShape(shape, given, '');

/** The metadata after a change. */
export function changedMetadata(
  before: Record<string, string> | null,
  change: MetadataChange | undefined,
): Record<string, string> {
  if (change === null) return {};
  const merged = { ...before, ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''));
}
