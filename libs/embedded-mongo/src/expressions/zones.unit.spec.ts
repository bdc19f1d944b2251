import { proofSize } from '@platform/testing';
import fc from 'fast-check';
import { dayMs, daysFromCivil, civilFromDays, isoWeekOf, localTimeOf } from './civil';
import { compileExpression, environmentOf } from './compile';
import { instantOf, zoneOf } from './zones';
import { docOf, BsonDate, int } from '../bson/values';

const testedZones = [
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Santiago',
  'Antarctica/Troll',
  'UTC',
];
const instants = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2037, 11, 31) });
const zones = fc.constantFrom(...testedZones);
const runs = { numRuns: proofSize({ lean: 600, full: 5_000 }) };
const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time that Intl shows at an instant, as milliseconds "as if UTC". */
function intlLocal(zone: string, instant: number): number {
  const options = {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', options);
  formats.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(
    parts['year'] as number,
    (parts['month'] as number) - 1,
    parts['day'],
    parts['hour'],
    parts['minute'],
    parts['second'],
  );
}

const compute = (operator: string, fields: Record<string, unknown>): number =>
  Number((compileExpression(new Map([[operator, docOf(fields as never)]]))(environmentOf(undefined)) as BsonDate).ms);

describe('time zones', () => {
  it('have the offset that Intl shows at every instant', () => {
    fc.assert(
      fc.property(zones, instants, (zone, instant) => {
        const whole = Math.floor(instant / 1000) * 1000;
        expect(whole + zoneOf(zone).offsetAt(whole)).toBe(intlLocal(zone, whole));
      }),
      runs,
    );
  });

  it('lead back from a local time to an instant that shows it, unless the clock skipped it', () => {
    fc.assert(
      fc.property(zones, instants, (name, instant) => {
        const zone = zoneOf(name);
        const local = instant + zone.offsetAt(instant);
        const found = instantOf(zone, local);
        expect(found + zone.offsetAt(found)).toBe(local);
      }),
      runs,
    );
  });

  it('are refused by code 40485 when their name is unknown or in another case', () => {
    for (const name of ['Mars/Olympus', 'europe/paris', 'PST', '+5', '', 'America/Coyhaique']) {
      expect(() => zoneOf(name)).toThrow(expect.objectContaining({ code: 40485 }));
    }
    expect(zoneOf('-03:30').offsetAt(0)).toBe(-12_600_000);
  });
});

describe('date arithmetic', () => {
  it('truncates to the first instant of the same local day that is not after the date', () => {
    fc.assert(
      fc.property(zones, instants, (name, instant) => {
        const zone = zoneOf(name);
        const start = compute('$dateTrunc', { date: new BsonDate(BigInt(instant)), unit: 'day', timezone: name });
        const day = (at: number): number => Math.floor((at + zone.offsetAt(at)) / dayMs);
        expect(start).toBeLessThanOrEqual(instant);
        expect(day(start)).toBe(day(instant));
      }),
      runs,
    );
  });

  it('adds days and months on the local calendar, keeping the time of day where it exists', () => {
    fc.assert(
      fc.property(
        zones,
        instants,
        fc.integer({ min: -800, max: 800 }),
        fc.constantFrom('day', 'month'),
        (name, instant, amount, unit) => {
          const zone = zoneOf(name);
          const moved = compute('$dateAdd', {
            startDate: new BsonDate(BigInt(instant)),
            unit,
            amount: int(amount),
            timezone: name,
          });
          const from = localTimeOf(instant + zone.offsetAt(instant));
          const wantedMonth = daysFromCivil(from.year, from.month + amount, 1);
          const lastDay = daysFromCivil(from.year, from.month + amount + 1, 1) - 1;
          const day = unit === 'day' ? from.days + amount : Math.min(wantedMonth + from.day - 1, lastDay);
          const wanted = day * dayMs + (instant + zone.offsetAt(instant) - from.days * dayMs);
          const shown = moved + zone.offsetAt(moved);
          const skipped = shown !== wanted;
          if (skipped) expect(instantOf(zone, wanted)).toBe(moved);
          expect(Math.abs(shown - wanted)).toBeLessThanOrEqual(skipped ? dayMs : 0);
        },
      ),
      runs,
    );
  });
});

describe('an instant at the end of time', () => {
  it('has an offset in every zone', () => {
    for (const instant of [8.64e15, -8.64e15, Number(2n ** 63n - 1n)])
      expect(zoneOf('Europe/Paris').offsetAt(instant)).not.toBeNaN();
  });
});

describe('the calendar', () => {
  it('converts days to dates and back as JavaScript does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3_000_000, max: 3_000_000 }), (days) => {
        const date = new Date(days * dayMs);
        const civil = civilFromDays(days);
        expect(civil).toEqual({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
        expect(daysFromCivil(civil.year, civil.month, civil.day)).toBe(days);
      }),
      runs,
    );
  });

  it('counts ISO weeks from the one with the first Thursday', () => {
    const week = (year: number, month: number, day: number): unknown => isoWeekOf(daysFromCivil(year, month, day));
    expect(week(2021, 1, 3)).toEqual({ year: 2020, week: 53 });
    expect(week(2021, 1, 4)).toEqual({ year: 2021, week: 1 });
    expect(week(2018, 12, 31)).toEqual({ year: 2019, week: 1 });
  });
});
