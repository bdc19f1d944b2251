import { startOfDay } from './zoned-day';

describe('the start of a day', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['in UTC', '2026-03-29', 'UTC', '2026-03-29T00:00:00.000Z'],
    ['on the day the clock goes forward', '2026-03-29', 'Europe/Paris', '2026-03-28T23:00:00.000Z'],
    ['after it', '2026-03-30', 'Europe/Paris', '2026-03-29T22:00:00.000Z'],
    ['without a midnight', '2024-04-26', 'Africa/Cairo', '2024-04-25T22:00:00.000Z'],
    ['with two midnights: the first', '2010-11-07', 'America/St_Johns', '2010-11-07T02:30:00.000Z'],
    ['that does not exist: the next one', '2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['after a day that does not exist', '2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['furthest east', '2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
    ['at a quarter of an hour', '2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
  ];
  it.each(cases)('%s', (_name, day, zone, instant) => {
    expect(startOfDay(day, zone).toISOString()).toBe(instant);
  });

  it('refuses a zone that does not exist', () => {
    expect(() => startOfDay('2026-01-01', 'Europe/Nowhere')).toThrow(RangeError);
  });
});
