/** String operators. Positions count code points; case changes concern ASCII letters only, as on the server. */
import { refuse } from '../errors';
import { Decimal } from '../bson/decimal';
import { isNumeric, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { BsonDate, BsonSymbol, Code, int, isNullish, Timestamp } from '../bson/values';
import type { Builder } from './arguments';
import { ternary, unary, variadic } from './arguments';
import { doubleToText, isoDate } from './text-forms';

type Operand = Value | undefined;
const MAX_BYTES = 16 * 1024 * 1024;

/** The text of a value where the server coerces to string; throws code 16007 for types without one. */
function coercedText(value: Operand): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number')
    return Math.abs(value) === Infinity ? (value < 0 ? '-inf' : 'inf') : doubleToText(value);
  if (isNumeric(value)) return value instanceof Decimal ? value.toString() : String(toInteger(value));
  if (value instanceof BsonSymbol) return value.text;
  if (value instanceof Code && !value.scope) return value.code;
  if (value instanceof BsonDate) return isoDate(value.ms);
  if (value instanceof Timestamp) return timestampText(value);
  return refuse(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

function timestampText(value: Timestamp): string {
  const seconds = Number(value.bits >> 32n);
  const [, day, month, , time] = new Date(seconds * 1000).toUTCString().split(' ');
  return `${month} ${String(Number(day)).padStart(2, ' ')} ${time}:${value.bits & 0xffffffffn}`;
}

const concat = variadic((values) => {
  const parts: string[] = [];
  let bytes = 0;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (typeof value !== 'string') return refuse(16702, `$concat only supports strings, not ${typeName(value)}`);
    bytes += Buffer.byteLength(value);
    if (bytes > MAX_BYTES) refuse(16493, `Tried to create string longer than ${MAX_BYTES} bytes`);
    parts.push(value);
  }
  return parts.join('');
});

const changeCase = (from: RegExp, change: (text: string) => string): Builder =>
  unary((value) => coercedText(value).replace(from, change));

const indexNumber = (value: Operand, codes: [number, number, number], name: string): number => {
  if (!isNumeric(value))
    return refuse(codes[0], `${name}: argument must be a numeric type (is BSON type ${typeName(value)})`);
  const whole = toInteger(value);
  if (whole === undefined || whole > 0x7fffffffn || whole < -0x80000000n)
    return refuse(codes[1], `${name}: argument cannot be represented as a 32-bit integral value`);
  if (whole < 0n) return refuse(codes[2], `${name}: argument must be a non-negative integer`);
  return Number(whole);
};

const substrCP = ternary((text, start, length) => {
  const characters = [...coercedText(text)];
  const from = indexNumber(start, [34450, 34451, 34455], '$substrCP starting index');
  const count = indexNumber(length, [34452, 34453, 34454], '$substrCP length');
  return characters.slice(from, from + count).join('');
});

const strLen = (code: number, measure: (text: string) => number): Builder =>
  unary((value, name) => {
    if (typeof value !== 'string') return refuse(code, `${name} requires a string argument, found: ${typeName(value)}`);
    return int(measure(value));
  });

const split = variadic(
  ([text, separator]) => {
    if (isNullish(text) || isNullish(separator)) return null;
    if (typeof text !== 'string')
      return refuse(
        40085,
        `$split requires an expression that evaluates to a string as a first argument, found: ${typeName(text)}`,
      );
    if (typeof separator !== 'string')
      return refuse(
        40086,
        `$split requires an expression that evaluates to a string as a second argument, found: ${typeName(separator)}`,
      );
    if (separator === '') return refuse(40087, '$split requires a non-empty separator');
    return text.split(separator);
  },
  2,
  2,
);

const splitExact: Builder = (argument, scope, name) => {
  if (!Array.isArray(argument) || argument.length !== 2) {
    const count = Array.isArray(argument) ? argument.length : 1;
    return refuse(16020, `Expression ${name} takes exactly 2 arguments. ${count} were passed in.`);
  }
  return split(argument, scope, name);
};

const WHITE_SPACE = [
  '\0',
  ' ',
  '\t',
  '\n',
  '\v',
  '\f',
  '\r',
  '\u00a0',
  '\u1680',
  ...[...Array(11).keys()].map((n) => String.fromCharCode(0x2000 + n)),
];

function trim(sides: 'left' | 'right' | 'both'): Builder {
  return (argument, scope, name) => {
    if (!(argument instanceof Map)) return refuse(50696, `${name} only supports an object as an argument`);
    for (const field of argument.keys())
      if (field !== 'input' && field !== 'chars') refuse(50694, `${name} found an unknown argument: ${field}`);
    const source = argument.get('input');
    if (source === undefined) return refuse(50695, `${name} requires an 'input' field`);
    const input = scope.compile(source);
    const chars = argument.has('chars') ? scope.compile(argument.get('chars') as Value) : undefined;
    return (environment) => {
      const text = input(environment);
      if (isNullish(text)) return null;
      if (typeof text !== 'string')
        return refuse(50699, `${name} requires its input to be a string, got ${typeName(text)}`);
      const wanted = chars ? chars(environment) : undefined;
      if (chars && isNullish(wanted)) return null;
      if (chars && typeof wanted !== 'string')
        return refuse(50700, `${name} requires 'chars' to be a string, got ${typeName(wanted)}`);
      return trimmed(text, new Set(typeof wanted === 'string' ? wanted : WHITE_SPACE), sides);
    };
  };
}

function trimmed(text: string, unwanted: Set<string>, sides: 'left' | 'right' | 'both'): string {
  const characters = [...text];
  let start = 0;
  let end = characters.length;
  if (sides !== 'right') while (start < end && unwanted.has(characters[start] as string)) start += 1;
  if (sides !== 'left') while (end > start && unwanted.has(characters[end - 1] as string)) end -= 1;
  return characters.slice(start, end).join('');
}

const indexOfCP = variadic(
  ([text, part, start, end]) => {
    if (isNullish(text)) return null;
    if (typeof text !== 'string')
      return refuse(40093, `$indexOfCP requires a string as the first argument, found: ${typeName(text)}`);
    if (typeof part !== 'string')
      return refuse(40094, `$indexOfCP requires a string as the second argument, found: ${typeName(part)}`);
    const characters = [...text];
    const wanted = [...part];
    const from = start === undefined ? 0 : indexNumber(start, [40096, 40096, 40097], '$indexOfCP');
    const until = Math.min(
      characters.length,
      end === undefined ? characters.length : indexNumber(end, [40096, 40096, 40097], '$indexOfCP'),
    );
    for (let at = from; at + wanted.length <= until; at += 1) {
      if (wanted.every((character, offset) => characters[at + offset] === character)) return int(at);
    }
    return int(-1);
  },
  2,
  4,
);

export const STRING_OPERATORS: Record<string, Builder> = {
  $concat: concat,
  $toLower: changeCase(/[A-Z]+/g, (text) => text.toLowerCase()),
  $toUpper: changeCase(/[a-z]+/g, (text) => text.toUpperCase()),
  $substrCP: substrCP,
  $strLenCP: strLen(34471, (text) => [...text].length),
  $strLenBytes: strLen(34473, (text) => Buffer.byteLength(text)),
  $split: splitExact,
  $trim: trim('both'),
  $ltrim: trim('left'),
  $rtrim: trim('right'),
  $indexOfCP: indexOfCP,
};
