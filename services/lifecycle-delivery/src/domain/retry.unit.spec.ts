/** When a delivery leaves again, and when the broker still holds it. */
import { isFresh, leavesAgain, nextAttemptAfter, repeatIsFree, RETRY_LIMITS } from './retry';
import { at } from '../testing/delivery-records';

describe('the retry of a delivery', () => {
  it('is due after five minutes and up to a tenth more', () => {
    expect(nextAttemptAfter(at(0), () => 0)).toEqual(at(5));
    expect(nextAttemptAfter(at(0), () => 0.999).getTime() - at(0).getTime()).toBeLessThan(
      RETRY_LIMITS.intervalMs * 1.1,
    );
  });

  it('is no matter of a repeated message, unless the broker still knows the id of the last publication', () => {
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 99_999))).toBe(true);
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 100_000))).toBe(false);
  });

  it('leaves alone what was accepted since the round began, unless a clock has jumped', () => {
    expect(isFresh({ createdAt: at(0) }, at(0))).toBe(false);
    expect(isFresh({ createdAt: at(1) }, at(0))).toBe(true);
    expect(isFresh({ createdAt: at(16) }, at(0))).toBe(false);
  });

  it('trusts the broker with what may still be among the messages that it holds', () => {
    const holding = (outstanding: number, oldest: number | null) => ({
      outstanding,
      oldestAt: oldest === null ? null : at(oldest),
    });
    expect(leavesAgain({ attemptedAt: at(0) }, null, at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(0) }, holding(0, null), at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, 1), at(8))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, 2), at(8))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, null), at(8))).toBe(false);
  });

  it('sends again what is older than everything that the broker holds, and anything after an hour', () => {
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(1) }, at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(0) }, at(59))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(0) }, at(60))).toBe(true);
  });
});
