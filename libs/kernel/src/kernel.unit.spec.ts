import fc from 'fast-check';
import {
  backoffMs,
  canonicalJson,
  createIds,
  createManualClock,
  createSequentialIds,
  digestOf,
  requireRevision,
} from './index';

describe('canonicalJson', () => {
  it('gives one text for objects that differ only in the order of their keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(digestOf(reversed)).toBe(digestOf(value));
      }),
    );
  });

  it('reads back as the value it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it('leaves out undefined members and refuses what has no JSON form', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
    expect(() => canonicalJson(() => 1)).toThrow(TypeError);
  });
});

describe('identifiers', () => {
  it('are UUIDs of version 7 that sort by the clock', () => {
    const clock = createManualClock();
    const ids = createIds(clock);
    const first = ids.next();
    clock.advance(1);
    const second = ids.next();
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first < second).toBe(true);
  });

  it('repeat for equal seeds and differ for others', () => {
    const take = (seed: number) =>
      Array.from(
        { length: 3 },
        (
          (ids) => () =>
            ids.next()
        )(createSequentialIds(seed)),
      );
    expect(take(7)).toEqual(take(7));
    expect(new Set([...take(7), ...take(8)]).size).toBe(6);
  });
});

describe('a record without a revision', () => {
  it('is refused', () => {
    expect(() => requireRevision({ _id: 'a' })).toThrow('record a carries no revision');
    expect(() => requireRevision({ _id: 'a', revision: 'r' })).not.toThrow();
  });
});

describe('backoffMs', () => {
  it('stays between half and all of the doubled base, and under the cap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, spread) => {
        const full = Math.min(30_000, 100 * 2 ** Math.min(30, attempt - 1));
        const waited = backoffMs(attempt, 100, 30_000, () => spread);
        expect(waited).toBeGreaterThanOrEqual(Math.floor(full / 2));
        expect(waited).toBeLessThanOrEqual(full);
      }),
    );
  });
});
