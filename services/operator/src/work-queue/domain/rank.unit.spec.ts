import fc from 'fast-check';
import { compareRanked, startIn, type Ranked, type WeightStart } from './rank';

const asOf = new Date('2026-03-01T00:00:00.000Z');
const item = fc
  .record({
    _id: fc.uuid(),
    weight: fc.constantFrom(0, 1, 19, 50, 4_900, 5_000, 100_000),
    ageMs: fc.integer({ min: -5, max: 400 }),
  })
  .map(({ ageMs, ...rest }): Ranked => ({ ...rest, since: new Date(asOf.getTime() - ageMs) }));

function admits(start: WeightStart, candidate: Ranked): boolean {
  switch (start.kind) {
    case 'start':
      return true;
    case 'done':
      return false;
    case 'from':
      return candidate.since >= start.since;
    case 'after':
      return (
        candidate.since > start.since ||
        (candidate.since.getTime() === start.since.getTime() && candidate._id > start._id)
      );
  }
}

describe('the order of the work queue', () => {
  it('puts more money × age first, whichever of the two makes it', () => {
    const old = { _id: 'old', weight: 500, since: new Date(asOf.getTime() - 100_000) };
    const large = { _id: 'large', weight: 9_900, since: new Date(asOf.getTime() - 4_000) };
    const free = { _id: 'free', weight: 0, since: new Date(0) };
    expect([free, large, old].sort((a, b) => compareRanked(a, b, asOf)).map(({ _id }) => _id)).toEqual([
      'old',
      'large',
      'free',
    ]);
    const later = new Date(asOf.getTime() + 10_000);
    expect([free, old, large].sort((a, b) => compareRanked(a, b, later)).map(({ _id }) => _id)).toEqual([
      'large',
      'old',
      'free',
    ]);
  });

  it('goes on in every weight exactly where a page ended', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(item, { minLength: 1, maxLength: 40, selector: ({ _id }) => _id }),
        fc.nat(),
        (items, at) => {
          const last = items[at % items.length]!;
          for (const candidate of items)
            expect(admits(startIn(candidate.weight, { asOf, last }), candidate)).toBe(
              compareRanked(candidate, last, asOf) > 0,
            );
        },
      ),
      { numRuns: 500 },
    );
  });
});
