/**
 * The first instant of a calendar day in a zone. A day need not begin at midnight (Cairo in spring), nor exist (Apia,
 * 2011-12-30), and may have two midnights (St. John's in autumn). The result is always the first instant whose local
 * date is that day or a later one, so a range of days never misses a row.
 */

const hour = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const digits = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    era: 'short',
    hourCycle: 'h23',
    ...digits,
  });
  formats.set(zone, format);
  return format;
}

/** The local date and time of an instant, written as if it were UTC, in whole seconds. Throws RangeError for an unknown zone. */
function localTime(instant: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era')?.startsWith('B') ? 1 - read('year') : read('year');
  const local = new Date(0);
  local.setUTCFullYear(year, read('month') - 1, read('day'));
  local.setUTCHours(read('hour'), read('minute'), read('second'));
  return local.getTime();
}

/** The start of a day (`2026-03-29`) in a zone. Throws RangeError for an unknown zone. */
export function startOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00.000Z`);
  if (zone === 'UTC') return new Date(midnight);
  const reached = (instant: number): boolean => localTime(instant, zone) >= midnight;
  // Local time differs from UTC by at most 26 hours, even while a zone crosses the date line.
  const hours = Array.from({ length: 55 }, (_unused, index) => midnight + (index - 27) * hour);
  const offsets = new Set(hours.map((instant) => localTime(instant, zone) - instant));
  const starts = [...offsets]
    .map((offset) => midnight - offset)
    .filter((instant) => reached(instant) && !reached(instant - 1));
  if (starts.length > 0) return new Date(Math.min(...starts));
  // The clock skips this midnight: the day begins where it jumps.
  let low = hours.findLast((instant) => !reached(instant)) ?? midnight - 27 * hour;
  let high = low + hour;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (reached(middle)) high = middle;
    else low = middle;
  }
  return new Date(high);
}
