/** The attempts of a delivery: how many stay on record, and to which one an answer belongs. */
import { at } from '../testing/delivery-records';
import { attemptLimits, attemptsShown, viewOfAttempts, withAnswer, withAttempt, type Attempt } from './attempts';

const attemptOf = (number: number): Attempt => ({ number, startedAt: at(number), failures: 0 });
const many = (count: number) => Array.from({ length: count }, (_, index) => attemptOf(index + 1));
const receipt = { kind: 'receipt' as const, at: at(9) };
const failed = { kind: 'run_failed' as const, at: at(9), error: 'no disk' };

describe('the attempts of a delivery', () => {
  it('are kept up to a number, the oldest left out first', () => {
    expect(withAttempt(undefined, 1, at(1))).toEqual([attemptOf(1)]);
    expect(withAttempt(many(20), 21, at(21))).toEqual(many(21).slice(1));
  });

  it('have an answer at the last one, which counts what is no receipt', () => {
    const record = { attemptCount: 2, attemptedAt: at(2), attempts: many(2) };
    expect(withAnswer(record, failed)).toStrictEqual([attemptOf(1), { ...attemptOf(2), failures: 1, answer: failed }]);
    expect(withAnswer(record, receipt)).toStrictEqual([attemptOf(1), { ...attemptOf(2), answer: receipt }]);
  });

  it('have the text of an answer cut to its length', () => {
    const record = { attemptCount: 1, attemptedAt: at(1), attempts: many(1) };
    const [last] = withAnswer(record, { ...failed, error: 'e'.repeat(500) });
    expect(last?.answer?.error).toBe('e'.repeat(attemptLimits.errorCharacters));
  });

  it('of a record without them are known by its count; a report before the first attempt answers none', () => {
    const answered = { number: 3, startedAt: at(3), failures: 0, answer: receipt };
    expect(withAnswer({ attemptCount: 3, attemptedAt: at(3) }, receipt)).toEqual([answered]);
    expect(withAnswer({ attemptCount: 3, attemptedAt: at(3), attempts: [] }, receipt)).toEqual([answered]);
    expect(withAnswer({ attemptCount: 0, attemptedAt: at(0) }, receipt)).toEqual([]);
  });

  it.each([
    [0, 20],
    [1, 20],
    [25, 20],
    [26, 19],
    [250, 2],
    [900, 1],
  ])('share one answer: of %i deliveries, %i each are shown', (deliveries, shown) => {
    expect(attemptsShown(deliveries)).toBe(shown);
  });

  it('are shown from the last ones, with the message that each sent', () => {
    expect(viewOfAttempts({ _id: 'd-1' }, 2)).toEqual([]);
    const attempts = [...many(2), { ...attemptOf(3), failures: 1, answer: failed }];
    const view = { failures: 0, number: 2, messageId: 'delivery:d-1:2', startedAt: at(2).toISOString() };
    const answer = { ...failed, at: at(9).toISOString() };
    expect(viewOfAttempts({ _id: 'd-1', attempts }, 2)).toStrictEqual([
      view,
      { ...view, number: 3, messageId: 'delivery:d-1:3', startedAt: at(3).toISOString(), failures: 1, answer },
    ]);
  });
});
