import { playedText, proofSize } from '@platform/testing';
import fc from 'fast-check';
import { compareValues } from './compare';
import { Decimal } from './decimal';
import { decodeDoc } from './decode';
import { encodeDoc } from './encode';
import { encodeValue, identityOf, KeyWriter } from './key-encoding';
import type { Value } from './values';
import {
  Binary,
  BsonDate,
  BsonSymbol,
  Code,
  Int32,
  maxKey,
  minKey,
  ObjectId,
  Regex,
  Timestamp,
  undefinedValue,
} from './values';

const decimalText = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }), fc.integer({ min: -60, max: 60 }))
  .map(([negative, digits, exponent]) => Decimal.finite(negative, digits, exponent));
const longs = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const near = longs.chain((long) => fc.constantFrom<Value>(long, Number(long), Decimal.fromBigInt(long)));
const numbers: fc.Arbitrary<Value> = fc.oneof(
  fc.integer().map((n) => new Int32(n)),
  fc.double(),
  longs,
  decimalText,
  near,
  fc.constantFrom<Value>(
    0,
    -0,
    0n,
    NaN,
    Infinity,
    -Infinity,
    Decimal.NAN,
    Decimal.INFINITY,
    Decimal.ZERO,
    Decimal.fromDoubleExact(0.1),
    Decimal.fromDouble15(0.1),
    0.1,
  ),
);
const scalars: fc.Arbitrary<Value> = fc.oneof(
  numbers,
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ maxLength: 4 }).map((text) => new BsonSymbol(text)),
  fc.boolean(),
  fc.constantFrom<Value>(null, minKey, maxKey, undefinedValue, '', '\0', 'a\0b', '\uff5e', '\u{1f600}'),
  longs.map((ms) => new BsonDate(ms)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => new Timestamp(bits)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(Buffer.from(bytes).toString('hex'))),
  fc
    .tuple(fc.nat(255), fc.uint8Array({ maxLength: 5 }))
    .map(([subtype, bytes]) => new Binary(subtype, Buffer.from(bytes))),
  fc.constantFrom<Value>(new Regex('a', 'i'), new Regex('a', ''), new Code('x'), new Code('x', new Map())),
);
const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '0', '1', ''), tie('value')), { maxLength: 3 })
      .map((fields) => new Map(fields)),
  ),
})).value;

const sizes = { lean: 1_000, full: 3_000 };
const runs = { numRuns: proofSize(sizes) };
afterAll(() => process.stdout.write(`index keys: ${playedText(runs.numRuns, sizes, 'values of each property')}\n`));
/** The sign; never negative zero. */
const sign = (order: number): number => Math.sign(order) + 0;

describe('the encoding of index keys', () => {
  it('orders bytes as MongoDB orders values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(sign(compareValues(a, b)));
      }),
      runs,
    );
  });

  it('keeps the exact order of numbers across int, long, double and decimal', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(sign(compareValues(a, b)));
      }),
      runs,
    );
  });

  it('never makes one encoded value the beginning of another', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [left, right] = [encodeValue(a), encodeValue(b)];
        if (compareValues(a, b) !== 0) expect(right.subarray(0, left.length).equals(left)).toBe(false);
      }),
      runs,
    );
  });

  it('reverses the order of descending components and keeps later components apart', () => {
    fc.assert(
      fc.property(fc.tuple(values, values), fc.tuple(values, values), (a, b) => {
        const key = ([first, second]: [Value, Value]): Buffer =>
          new KeyWriter().component(first, true).component(second).result();
        const wanted = -sign(compareValues(a[0], b[0])) || sign(compareValues(a[1], b[1]));
        expect(sign(Buffer.compare(key(a), key(b)))).toBe(sign(wanted));
      }),
      runs,
    );
  });

  it('gives equal identities exactly to values that compare as equal', () => {
    fc.assert(
      fc.property(values, values, (a, b) => expect(identityOf(a) === identityOf(b)).toBe(compareValues(a, b) === 0)),
      runs,
    );
  });
});

describe('the BSON codec', () => {
  it('reads back what it writes, with types and field order', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encodeDoc(
          new Map([
            ['v', value],
            ['1', null],
            ['0', null],
          ]),
        );
        const read = decodeDoc(bytes);
        expect([...read.keys()]).toEqual(['v', '1', '0']);
        expect(encodeDoc(read).equals(bytes)).toBe(true);
      }),
      runs,
    );
  });

  it('refuses damaged bytes with code 22 or reads them, and never fails otherwise', () => {
    fc.assert(
      fc.property(
        values,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (value, damages) => {
          const bytes = encodeDoc(new Map([['v', value]]));
          for (const [position, byte] of damages) bytes[position % bytes.length] = byte;
          try {
            decodeDoc(bytes);
          } catch (error) {
            expect(error).toMatchObject({ name: 'CommandError' });
          }
        },
      ),
      runs,
    );
  });
});

describe('documents that JavaScript would change', () => {
  const withField = (name: Buffer, text: Buffer): Buffer => {
    const element = Buffer.concat([Buffer.from([2]), name, Buffer.from([0]), Buffer.alloc(4), text, Buffer.from([0])]);
    element.writeInt32LE(text.length + 1, 2 + name.length);
    return element;
  };
  const documentOf = (...elements: Buffer[]): Buffer => {
    const body = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.from([0])]);
    body.writeInt32LE(body.length, 0);
    return body;
  };

  it('are refused when a field comes twice', () => {
    const field = withField(Buffer.from('a'), Buffer.from('x'));
    expect(() => decodeDoc(documentOf(field, field))).toThrow(expect.objectContaining({ code: 238 }));
  });

  it('are refused when text is not UTF-8, and kept when it holds the replacement character', () => {
    expect(() => decodeDoc(documentOf(withField(Buffer.from('a'), Buffer.from([0xff]))))).toThrow(
      expect.objectContaining({ code: 22 }),
    );
    expect(decodeDoc(documentOf(withField(Buffer.from('a'), Buffer.from('\ufffd')))).get('a')).toBe('\ufffd');
  });
});
