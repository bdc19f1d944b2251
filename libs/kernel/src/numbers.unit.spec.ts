import { isLostNumber, lostNumberIn, pathOfLostNumber } from './numbers';

describe('a number', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9.007199254740993e15',
    '90071992547409930e-1',
    '100000000000000000000000',
    '0.12345678901234567890',
    '1e400',
    '-1.7976931348623159e308',
    '1e-400',
    '3e-324',
    `0.${'1'.repeat(120)}`,
  ])('is lost when a double would be another one: %s', (text) => {
    expect(isLostNumber(text)).toBe(true);
  });

  it.each([
    '0.1',
    '-0',
    '0e999',
    '9007199254740992',
    '9007199254740994.0',
    '12.50000000000000000000',
    '0.30000000000000004',
    '0.10000000000000001',
    '0.1000000000000000055511151231257827',
    '1e300',
    '1.7976931348623157e308',
    '5e-324',
    '4.9406564584124654e-324',
  ])('is kept when a double repeats its digits: %s', (text) => {
    expect(isLostNumber(text)).toBe(false);
  });

  // With a pattern for the zeros at its end, each of these zeros costs a walk over the others: an hour, in one turn.
  it('is judged in one walk over its digits, however many zeros are among them', () => {
    const zeros = '0'.repeat(2_000_000);
    expect(isLostNumber(`0.1${zeros}1`)).toBe(true);
    expect(isLostNumber(`0.1${zeros}`)).toBe(false);
  });

  it('is kept in every notation of a double that is no large whole number, with 15 digits or with all', () => {
    const words = new BigUint64Array(1);
    const [double] = [new Float64Array(words.buffer)];
    let seed = 42n;
    const lost: string[] = [];
    let tried = 0;
    for (let round = 0; round < 20_000; round += 1) {
      seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
      words[0] = round < 2_046 ? BigInt(round + 1) << 52n : seed;
      const value = double[0]!;
      if (!Number.isFinite(value) || (Math.abs(value) > 2 ** 53 && Math.abs(value) < 1e22)) continue;
      tried += 1;
      lost.push(...[JSON.stringify(value), value.toPrecision(17), value.toPrecision(15)].filter(isLostNumber));
    }
    expect(lost).toEqual([]);
    expect(tried).toBeGreaterThan(15_000);
  });
});

describe('a JSON text', () => {
  it('names its first lost number, and no digits inside of texts', () => {
    expect(lostNumberIn('{"a":"9007199254740993","b":["\\"1e400",1e401,1e402]}')).toBe('1e401');
    expect(lostNumberIn('{"9007199254740993":"1e400"}')).toBeUndefined();
  });

  it.each([
    ['9007199254740993', []],
    ['[[],{"a":[1]},1e999]', ['2']],
    ['{"a":[1,{"b\\"":"x,[","c/d":[true,null,9007199254740993]},1e400]}', ['a', '1', 'c/d', '2']],
    ['{"a":{"b":1},"\\u0063":1e400}', ['c']],
    ['{"a":1}', undefined],
  ])('says where its lost number is: %s', (json, path) => {
    expect(pathOfLostNumber(json)).toEqual(path);
  });
});
