/**
 * Canonical Extended JSON v2 with ordered maps: JavaScript's JSON moves integer-like keys to the front and cannot
 * distinguish `{"$regex": …}` the query operator from a regular expression, so golden vectors need a separate reader.
 */
import { Decimal } from '../bson/decimal';
import type { Doc, Value } from '../bson/values';
import {
  Binary,
  BsonDate,
  BsonSymbol,
  Code,
  DbPointer,
  Int32,
  maxKey,
  minKey,
  ObjectId,
  Regex,
  Timestamp,
  undefinedValue,
} from '../bson/values';

/** Reads one JSON text. Throws SyntaxError for malformed input. */
export function parseExtendedJson(text: string): Value {
  return new Parser(text).run();
}

const stringPattern = /"(?:[^"\\]|\\.)*"/sy;

/** The whitespace of JSON: blank, line feed, carriage return, tab. */
const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  run(): Value {
    const value = this.value();
    this.space();
    if (this.at !== this.text.length) throw new SyntaxError(`unexpected text at ${this.at}`);
    return value;
  }

  private space(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at += 1;
  }

  private expect(token: string): void {
    if (!this.text.startsWith(token, this.at)) throw new SyntaxError(`expected ${token} at ${this.at}`);
    this.at += token.length;
  }

  private value(): Value {
    this.space();
    const next = this.text[this.at];
    if (next === '{') return typedValue(this.object());
    if (next === '[') return this.array();
    if (next === '"') return this.string();
    for (const [token, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(token, this.at)) {
        this.at += token.length;
        return value;
      }
    }
    const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(this.text.slice(this.at, this.at + 40));
    if (!number) throw new SyntaxError(`unexpected text at ${this.at}`);
    this.at += number[0].length;
    return Number(number[0]);
  }

  private string(): string {
    stringPattern.lastIndex = this.at;
    if (!stringPattern.test(this.text)) throw new SyntaxError(`unterminated string at ${this.at}`);
    const quoted = this.text.slice(this.at, stringPattern.lastIndex);
    this.at = stringPattern.lastIndex;
    return JSON.parse(quoted) as string;
  }

  private array(): Value[] {
    const result: Value[] = [];
    this.expect('[');
    this.space();
    if (this.text[this.at] === ']') {
      this.at += 1;
      return result;
    }
    for (;;) {
      result.push(this.value());
      this.space();
      if (this.text[this.at] === ']') break;
      this.expect(',');
    }
    this.at += 1;
    return result;
  }

  private object(): Doc {
    const result: Doc = new Map();
    this.expect('{');
    this.space();
    if (this.text[this.at] === '}') {
      this.at += 1;
      return result;
    }
    for (;;) {
      this.space();
      const name = this.string();
      this.space();
      this.expect(':');
      result.set(name, this.value());
      this.space();
      if (this.text[this.at] === '}') break;
      this.expect(',');
    }
    this.at += 1;
    return result;
  }
}

const hasFields = (object: Doc, ...names: string[]): boolean =>
  object.size === names.length && names.every((name) => object.has(name));

/** The typed value of an object in exactly the canonical form; other objects are documents. */
function typedValue(object: Doc): Value {
  const [name] = object.keys();
  if (!name?.startsWith('$')) return object;
  const inner = object.get(name) as Value;
  if (object.size === 1) return singleField(object, name, inner);
  if (hasFields(object, '$code', '$scope') && typeof inner === 'string')
    return new Code(inner, object.get('$scope') as Doc);
  return object;
}

function singleField(object: Doc, name: string, inner: Value): Value {
  if (typeof inner === 'string') return textForm(object, name, inner);
  if (name === '$date' && typeof inner === 'bigint') return new BsonDate(inner);
  if (name === '$minKey' && inner === 1) return minKey;
  if (name === '$maxKey' && inner === 1) return maxKey;
  if (name === '$undefined' && inner === true) return undefinedValue;
  return inner instanceof Map ? nestedForm(object, name, inner) : object;
}

function textForm(object: Doc, name: string, text: string): Value {
  switch (name) {
    case '$numberInt':
      return new Int32(Number(text));
    case '$numberLong':
      return BigInt(text);
    case '$numberDouble':
      return Number(text);
    case '$numberDecimal':
      return Decimal.parse(text) ?? object;
    case '$oid':
      return new ObjectId(text);
    case '$symbol':
      return new BsonSymbol(text);
    case '$code':
      return new Code(text);
    default:
      return object;
  }
}

function nestedForm(object: Doc, name: string, inner: Doc): Value {
  const text = (field: string): string => inner.get(field) as string;
  if (name === '$binary' && hasFields(inner, 'base64', 'subType')) {
    return new Binary(Number.parseInt(text('subType'), 16), Buffer.from(text('base64'), 'base64'));
  }
  if (name === '$timestamp' && hasFields(inner, 't', 'i')) {
    return new Timestamp((BigInt(inner.get('t') as number) << 32n) | BigInt(inner.get('i') as number));
  }
  if (name === '$regularExpression' && hasFields(inner, 'pattern', 'options'))
    return new Regex(text('pattern'), text('options'));
  if (name === '$dbPointer' && hasFields(inner, '$ref', '$id'))
    return new DbPointer(text('$ref'), inner.get('$id') as ObjectId);
  return object;
}

/** Writes a value as canonical Extended JSON text. */
export function stringifyExtendedJson(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return `{"$numberDouble":"${doubleText(value)}"}`;
  if (typeof value === 'bigint') return `{"$numberLong":"${value}"}`;
  if (value instanceof Int32) return `{"$numberInt":"${value.value}"}`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, field]) => `${JSON.stringify(name)}:${stringifyExtendedJson(field)}`).join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(stringifyExtendedJson).join(',')}]`;
  return stringifyRare(value);
}

const doubleText = (value: number): string => {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : String(value);
};

function stringifyRare(
  value: Exclude<Value, null | boolean | string | number | bigint | Int32 | Doc | Value[]>,
): string {
  if (value instanceof Decimal) return `{"$numberDecimal":"${value.toString()}"}`;
  if (value instanceof ObjectId) return `{"$oid":"${value.hex}"}`;
  if (value instanceof BsonDate) return `{"$date":{"$numberLong":"${value.ms}"}}`;
  if (value instanceof Regex) {
    return `{"$regularExpression":{"pattern":${JSON.stringify(value.pattern)},"options":${JSON.stringify(value.options)}}}`;
  }
  if (value instanceof Binary) {
    const subType = value.subtype.toString(16).padStart(2, '0');
    return `{"$binary":{"base64":"${value.bytes.toString('base64')}","subType":"${subType}"}}`;
  }
  if (value instanceof Timestamp) return `{"$timestamp":{"t":${value.bits >> 32n},"i":${value.bits & 0xffffffffn}}}`;
  if (value instanceof BsonSymbol) return `{"$symbol":${JSON.stringify(value.text)}}`;
  if (value instanceof Code) {
    const scope = value.scope ? `,"$scope":${stringifyExtendedJson(value.scope)}` : '';
    return `{"$code":${JSON.stringify(value.code)}${scope}}`;
  }
  if (value instanceof DbPointer)
    return `{"$dbPointer":{"$ref":${JSON.stringify(value.namespace)},"$id":${stringifyExtendedJson(value.id)}}}`;
  return value === minKey ? '{"$minKey":1}' : value === maxKey ? '{"$maxKey":1}' : '{"$undefined":true}';
}
