/** What the figures of an answer do not show, in words. */
import { cutWords, keptOf, leftOutWords } from '.';

it('says which points of a cut series are shown, where that is known', () => {
  expect(cutWords({ shown: 500, total: 1_010 }, keptOf({ bucket: 'day', orderBy: 'group' }))).toBe(
    'The newest 500 of 1,010 points are shown',
  );
  expect(cutWords({ shown: 2, total: 3 }, keptOf({ bucket: 'day', orderBy: 'measure' }))).toBe(
    'The first 2 of 3 points are shown',
  );
  expect(cutWords({ shown: 2, total: 3 }, keptOf({ orderBy: 'group' }))).toContain('The first');
  expect(cutWords({ shown: 2, total: 3 })).toBe('2 of 3 points are shown');
  expect(cutWords(undefined, 'first')).toBe('Not all points are shown');
});

it('counts the rows that are left out by what they lack', () => {
  expect(leftOutWords({ withoutDate: 1_000, withoutNumber: 2 })).toBe(
    'Rows left out: 1,000 without a date, 2 without a number in the measured field',
  );
  expect([undefined, null, {}, { withoutDate: 'x' }].map(leftOutWords)).toEqual(Array(4).fill(undefined));
});
