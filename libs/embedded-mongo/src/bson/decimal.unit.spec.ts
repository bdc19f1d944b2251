import fc from 'fast-check';
import { Decimal } from './decimal';
import {
  addDecimals,
  divideDecimals,
  multiplyDecimals,
  quantize,
  remainderOfDecimals,
  subtractDecimals,
} from './decimal-arithmetic';

const decimal = (text: string): Decimal => Decimal.parse(text) as Decimal;
const any = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
  .map(([negative, digits, exponent]) => Decimal.finite(negative, digits, exponent));

describe('decimal128', () => {
  it('reads back its own text and its own bytes', () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(Decimal.parse(value.toString())).toEqual(value);
        const bytes = Buffer.alloc(16);
        value.writeTo(bytes, 0);
        expect(Decimal.fromBytes(bytes, 0)).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['1.0', '2.00', '3.00'],
    ['1E+3', '1', '1001'],
    ['9999999999999999999999999999999999', '1', '1.000000000000000000000000000000000E+34'],
    ['1', '-1.000', '0.000'],
    ['1E+6000', '1E-6000', '1.000000000000000000000000000000000E+6000'],
    ['Infinity', '-Infinity', 'NaN'],
  ])('adds %s and %s to %s', (a, b, sum) => {
    expect(addDecimals(decimal(a), decimal(b)).toString()).toBe(sum);
    expect(addDecimals(decimal(b), decimal(a)).toString()).toBe(sum);
    expect(subtractDecimals(decimal(a), decimal(b).negate()).toString()).toBe(sum);
  });

  it.each([
    ['1', '3', '0.3333333333333333333333333333333333'],
    ['10', '4', '2.5'],
    ['1.00', '1', '1.00'],
    ['2', '3', '0.6666666666666666666666666666666667'],
    ['1', '0', 'Infinity'],
    ['0', '0', 'NaN'],
  ])('divides %s by %s to %s', (a, b, quotient) => {
    expect(divideDecimals(decimal(a), decimal(b)).toString()).toBe(quotient);
  });

  it('multiplies, rounds to even and takes remainders with the sign of the dividend', () => {
    expect(multiplyDecimals(decimal('1.20'), decimal('0.5')).toString()).toBe('0.600');
    expect(quantize(decimal('2.5'), 0, 'halfEven').toString()).toBe('2');
    expect(quantize(decimal('3.5'), 0, 'halfEven').toString()).toBe('4');
    expect(quantize(decimal('-2.5'), 0, 'floor').toString()).toBe('-3');
    expect(quantize(decimal('1234'), -2, 'down').toString()).toBe('1.2E+3');
    expect(remainderOfDecimals(decimal('-7.5'), decimal('2')).toString()).toBe('-1.5');
  });

  it('keeps the exact value of doubles, or fifteen digits where the server reads so many', () => {
    expect(Decimal.fromDoubleExact(0.1).toString()).toBe('0.1000000000000000055511151231257827');
    expect(Decimal.fromDouble15(0.1).toString()).toBe('0.100000000000000');
    expect(Decimal.fromDoubleExact(2.5).toString()).toBe('2.5');
  });
});
