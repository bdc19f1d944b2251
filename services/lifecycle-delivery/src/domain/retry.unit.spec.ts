/** When a delivery is published again, and when the broker still holds it. */
import { isDue, isFresh, leavesUpTo, nextAttemptAfter, repeatIsFree, retryLimits } from './retry';
import { at } from '../testing/delivery-records';

describe('the retry of a delivery', () => {
  it('is due after five minutes and up to a tenth more', () => {
    expect(nextAttemptAfter(at(0), () => 0)).toEqual(at(5));
    expect(nextAttemptAfter(at(0), () => 0.5)).toEqual(new Date(at(5).getTime() + 15_000));
    expect(nextAttemptAfter(at(0), () => 0.999).getTime() - at(0).getTime()).toBeLessThan(retryLimits.intervalMs * 1.1);
  });

  it('is no matter of a repeated message, unless the broker still knows the id of the last publication', () => {
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 99_999))).toBe(true);
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 100_000))).toBe(false);
  });

  it('leaves alone what was accepted since the round began, unless a clock has jumped', () => {
    expect(isFresh({ createdAt: at(0) }, at(0))).toBe(false);
    expect(isFresh({ createdAt: at(1) }, at(0))).toBe(true);
    expect(isFresh({ createdAt: at(9) }, at(0))).toBe(true);
    expect(isFresh({ createdAt: at(10) }, at(0))).toBe(false);
  });

  it('trusts the broker with what may still be among the messages that it holds', () => {
    const holding = (outstanding: number, oldest: number | null) => ({
      outstanding,
      oldestAt: oldest === null ? null : at(oldest),
    });
    expect(leavesUpTo(null, at(6))).toBeNull();
    expect(leavesUpTo(holding(0, null), at(6))).toBeNull();
    for (const oldest of [1, 2, null])
      expect(leavesUpTo(holding(3, oldest), at(8))!.getTime()).toBeLessThan(at(2).getTime());
  });

  it('sends again what is older than everything that the broker holds, and anything after an hour', () => {
    expect(leavesUpTo({ outstanding: 3, oldestAt: at(1) }, at(6))).toEqual(
      new Date(at(1).getTime() - retryLimits.clocksApartMs - 1),
    );
    expect(leavesUpTo({ outstanding: 3, oldestAt: at(0) }, at(59))!.getTime()).toBeLessThan(at(0).getTime());
    expect(leavesUpTo({ outstanding: 3, oldestAt: at(0) }, at(60))).toEqual(at(0));
  });

  it('trusts it without end while the consumer has acknowledged nothing since the attempt', () => {
    const upTo = (lastAckAt: Date | null) =>
      leavesUpTo({ outstanding: 3, oldestAt: at(0), lastAckAt }, at(5_000))!.getTime();
    expect(upTo(null)).toBeLessThan(at(0).getTime());
    expect(upTo(at(100))).toBeGreaterThan(at(100).getTime());
    expect(upTo(at(100))).toBeLessThan(at(101).getTime());
    expect(upTo(at(5_000))).toBe(at(4_940).getTime());
  });

  it('waits for the due time of an attempt, unless that time comes from a clock that jumped', () => {
    expect(isDue({ nextAttemptAt: at(5) }, at(5))).toBe(true);
    expect(isDue({ nextAttemptAt: at(6) }, at(5))).toBe(false);
    expect(isDue({ nextAttemptAt: at(15) }, at(5))).toBe(false);
    expect(isDue({ nextAttemptAt: at(16) }, at(5))).toBe(true);
  });
});
