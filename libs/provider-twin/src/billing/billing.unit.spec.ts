/**
 * The pure arithmetic of billing: calendar periods, proration, balances, the queue of due things, and the test cards.
 */
import fc from 'fast-check';
import { behaviourOf, cardNamed, cardNumbered, fingerprintOf, testCards } from './cards';
import { createHeap } from './heap';
import { settleBalance } from './invoices';
import { periodAround, periodStart } from './periods';
import { prorated } from './proration';

const at = (text: string): number => Date.parse(text) / 1000;
const text = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);

describe('a billing period', () => {
  const monthly = { interval: 'month', interval_count: 1 };

  it.each([
    ['2026-01-31T10:00:00Z', monthly, 1, '2026-02-28T10:00:00'],
    ['2026-01-31T10:00:00Z', monthly, 2, '2026-03-31T10:00:00'],
    ['2028-01-30T00:00:00Z', monthly, 1, '2028-02-29T00:00:00'],
    ['2028-02-29T12:00:00Z', { interval: 'year', interval_count: 1 }, 1, '2029-02-28T12:00:00'],
    ['2028-02-29T12:00:00Z', { interval: 'year', interval_count: 1 }, 4, '2032-02-29T12:00:00'],
    ['2026-12-15T00:00:00Z', { interval: 'month', interval_count: 3 }, 1, '2027-03-15T00:00:00'],
    ['2026-03-28T23:30:00Z', { interval: 'week', interval_count: 2 }, 1, '2026-04-11T23:30:00'],
    ['2026-03-28T23:30:00Z', { interval: 'day', interval_count: 1 }, -1, '2026-03-27T23:30:00'],
    ['2026-01-31T10:00:00Z', monthly, -11, '2025-02-28T10:00:00'],
  ])('from %s counts from its anchor', (anchor, every, n, expected) => {
    expect(text(periodStart(at(anchor), every, n))).toBe(expected);
  });

  it('always contains the moment, and the next one begins where it ends', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000 });
    const every = fc.record({
      interval: fc.constantFrom('day', 'week', 'month', 'year'),
      interval_count: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(moment, moment, every, (anchor, now, recurrence) => {
        const period = periodAround(anchor, recurrence, now);
        expect(period.start).toBeLessThanOrEqual(now);
        expect(period.end).toBeGreaterThan(now);
        expect(periodAround(anchor, recurrence, period.end).start).toBe(period.end);
      }),
    );
  });
});

describe('proration', () => {
  const period = { start: 0, end: 31 * 86_400 };

  it('is exact at the edges, rounds halves away from zero, and is symmetric', () => {
    expect([
      prorated(3100, period, 0),
      prorated(3100, period, period.end),
      prorated(3100, period, -5),
      prorated(3100, period, period.end + 5),
    ]).toEqual([3100, 0, 3100, 0]);
    expect([
      prorated(1, { start: 0, end: 2 }, 1),
      prorated(-1, { start: 0, end: 2 }, 1),
      prorated(0, period, 5),
    ]).toEqual([1, -1, 0]);
    expect(prorated(100, { start: 5, end: 5 }, 5)).toBe(0);
  });

  it('is the nearest cent for every amount and second', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -99_999_999, max: 99_999_999 }),
        fc.integer({ min: 1, max: 100_000_000 }),
        fc.nat(),
        (amount, length, seed) => {
          const now = seed % (length + 1);
          const share = prorated(amount, { start: 0, end: length }, now);
          const twice = 2n * BigInt(amount) * BigInt(length - now) - 2n * BigInt(share) * BigInt(length);
          expect(twice <= BigInt(length) && -twice <= BigInt(length)).toBe(true);
        },
      ),
    );
  });
});

describe('the customer balance', () => {
  it.each([
    [2000, 0, { due: 2000, ending: 0, small: false }],
    [2000, -800, { due: 1200, ending: 0, small: false }],
    [2000, -2000, { due: 0, ending: 0, small: false }],
    [2000, -5000, { due: 0, ending: -3000, small: false }],
    [-500, 0, { due: 0, ending: -500, small: false }],
    [-500, 700, { due: 200, ending: 0, small: false }],
    [49, 0, { due: 0, ending: 49, small: true }],
    [50, 0, { due: 50, ending: 0, small: false }],
    [0, 0, { due: 0, ending: 0, small: false }],
  ])('settles a total of %i with a balance of %i', (total, balance, expected) => {
    expect(settleBalance(total, balance)).toEqual(expected);
  });
});

describe('the heap', () => {
  it('gives back everything in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        const heap = createHeap<number>((a, b) => a - b);
        values.forEach((each) => heap.push(each));
        const taken: number[] = [];
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) taken.push(next);
        expect(taken).toEqual([...values].sort((a, b) => a - b));
      }),
    );
  });
});

describe('the test cards', () => {
  it('are known by name, token and number, each with a valid check digit and a name of its own', () => {
    expect(cardNamed('pm_card_visa')?.number).toBe('4242424242424242');
    expect(cardNamed('tok_visa')).toBe(cardNamed('pm_card_visa'));
    expect(cardNumbered('4242 4242 4242 4242')).toBe(cardNamed('pm_card_visa'));
    expect([cardNamed('pm_visa'), cardNumbered('4242424242424241'), cardNumbered('12')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(cardNumbered('4111111111111111')).toMatchObject({ brand: 'visa', behaviour: { kind: 'succeeds' } });
    const names = testCards.flatMap((each) => each.names);
    expect(new Set(names).size).toBe(names.length);
  });

  it('behave by their number, unknown ones succeed', () => {
    expect(behaviourOf(fingerprintOf('4000000000009995'))).toMatchObject({
      kind: 'declines',
      declineCode: 'insufficient_funds',
    });
    expect([behaviourOf('other'), behaviourOf(null)]).toEqual([{ kind: 'succeeds' }, { kind: 'succeeds' }]);
  });
});
