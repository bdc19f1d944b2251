import * as fc from 'fast-check';
import { compareScalars } from './order';

const byBytes = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe('the order of texts', () => {
  it('is that of their bytes, also where the order of code units differs', () => {
    expect(compareScalars('\uffee', '😀')).toBeLessThan(0);
    expect('\uffee' < '😀').toBe(false);
    const text = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareScalars(a, b))).toBe(byBytes(a, b));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the order of kinds', () => {
  it('is null, number, text, truth value, time', () => {
    const values = [new Date(0), true, 'a', 7, null];
    expect(values.toSorted(compareScalars)).toEqual([null, 7, 'a', true, new Date(0)]);
  });
});
