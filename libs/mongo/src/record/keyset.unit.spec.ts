import fc from 'fast-check';
import { comparePositions, matches, positionOf } from '../fake/match';
import type { Filter, Scalar } from '../port';
import { strictlyAfter } from './keyset';
import type { PlainRecord } from './plain';
import type { SortKeys } from './query';

function satisfies(record: PlainRecord, predicates: NonNullable<ReturnType<typeof strictlyAfter>>): boolean {
  return predicates.every((predicate) =>
    '$or' in predicate
      ? (predicate.$or as Filter[]).some((branch) => matches(record, branch))
      : matches(record, predicate),
  );
}

describe('the predicate "strictly after a position"', () => {
  const rank = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null });
  const label = fc.option(fc.constantFrom('a', 'b', 'ä'), { nil: null });
  const id = fc.constantFrom('1', '2', '3');
  const record = fc.record({ _id: id, rank, label }, { requiredKeys: ['_id'] }) as fc.Arbitrary<PlainRecord>;
  const direction = fc.constantFrom<1 | -1>(1, -1);

  it('holds for exactly the records that the order puts behind it, with ties, nulls and missing fields', () => {
    fc.assert(
      fc.property(
        record,
        direction,
        direction,
        direction,
        rank,
        label,
        id,
        (row, byRank, byLabel, byId, ...position) => {
          const sort: SortKeys = [
            ['rank', byRank],
            ['label', byLabel],
            ['_id', byId],
          ];
          const predicates = strictlyAfter(sort, position);
          const behind = comparePositions(sort, positionOf(row, sort), position) > 0;
          expect(predicates !== null && satisfies(row, predicates)).toBe(behind);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('bounds the first key, so that a scan of the index starts at the position', () => {
    expect(
      strictlyAfter(
        [
          ['createdAt', -1],
          ['_id', 1],
        ],
        [new Date(5), 'x'],
      )?.[0],
    ).toEqual({ createdAt: { $lte: new Date(5) } });
    expect(
      strictlyAfter(
        [
          ['rank', 1],
          ['_id', 1],
        ],
        [2, 'x'],
      )?.[0],
    ).toEqual({ rank: { $gte: 2 } });
  });

  it('says when nothing can follow', () => {
    expect(strictlyAfter([['rank', -1]], [null])).toBeNull();
  });
});

describe('the position of a record', () => {
  it.each<[string, PlainRecord, 1 | -1, Scalar]>([
    ['the least element of an array when rising', { list: [3, 1, 2] }, 1, 1],
    ['the greatest when falling', { list: [3, 1, 2] }, -1, 3],
    ['null for a missing field', {}, 1, null],
  ])('is %s', (_case, row, by, value) => {
    expect(positionOf(row, [['list', by]])).toEqual([value]);
  });
});
