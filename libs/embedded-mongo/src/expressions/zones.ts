/**
 * Time zones: the offset at an instant and the instant of a local time. Offsets come from Intl and are cached per block
 * of time in which no zone changes twice; a run of hours without a change is one block.
 */
import { failCommand } from '../errors';
import { zoneNames } from './zone-names';

export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC to get local time at the instant. */
  offsetAt(instant: number): number;
}

export const utc: Zone = { name: 'UTC', offsetAt: () => 0 };

const quarterHourMs = 15 * 60_000;
const minuteMs = 60_000;
const fewHoursMs = 6 * 3_600_000;
/** Before these dates some zones changed at unusual seconds (Liberia, 1972) and minutes (Newfoundland, until 2011). */
const firstMinutes = Date.UTC(1975, 0, 1);
const firstQuarters = Date.UTC(2012, 0, 1);
const maxCached = 50_000;
/** Two days inside the range of Date, so that local time fits too. */
const intlLimit = 8.64e15 - 2 * 86_400_000;
const zones = new Map<string, Zone>([
  ['UTC', utc],
  ['GMT', utc],
  ['Etc/UTC', utc],
]);

/** The zone of a name or an offset like "+05:30". Throws code 40485 for an unknown one. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const zone = fixedZone(name) ?? namedZone(name) ?? failCommand(40485, `unrecognized time zone identifier: "${name}"`);
  if (zones.size < 2000) zones.set(name, zone);
  return zone;
}

function fixedZone(name: string): Zone | undefined {
  const match = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name);
  if (!match) return undefined;
  const offset = (Number(match[2]) * 60 + Number(match[3] ?? '0')) * 60_000 * (match[1] === '-' ? -1 : 1);
  return { name, offsetAt: () => offset };
}

function namedZone(name: string): Zone | undefined {
  if (!zoneNames.has(name)) return undefined;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const exact = cachedBy(minuteMs, (start) => readOffset(format, start));
  const ofQuarter = cachedBy(quarterHourMs, (start) => readOffset(format, start));
  // When both ends of a few hours have the same offset, no zone has had another one between them.
  const ofHours = cachedBy(fewHoursMs, (start) => {
    const offset = ofQuarter(start);
    return offset === ofQuarter(start + fewHoursMs) ? offset : undefined;
  });
  return {
    name,
    offsetAt: (instant) => {
      if (instant < firstMinutes) return readOffset(format, instant);
      if (instant < firstQuarters) return exact(instant);
      return ofHours(instant) ?? ofQuarter(instant);
    },
  };
}

/** A fact about a block of time, computed once per block. */
function cachedBy<T>(blockMs: number, compute: (start: number) => T): (instant: number) => T {
  const known = new Map<number, T>();
  return (instant) => {
    const block = Math.floor(instant / blockMs);
    const before = known.get(block);
    if (before !== undefined || known.has(block)) return before as T;
    if (known.size > maxCached) known.clear();
    const found = compute(block * blockMs);
    known.set(block, found);
    return found;
  };
}

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const clamped = Math.max(-intlLimit, Math.min(intlLimit, instant));
  const whole = Math.floor(clamped / 1000) * 1000;
  // "11/28/2 BC, 00:09:21": the text has one fixed order, and reading it takes a third of the time for the named parts.
  const text = format.format(whole);
  const [month = NaN, day, year = NaN, hour = NaN, minute, second] = text.split(/\D+/).map(Number);
  const local = new Date(0);
  local.setUTCFullYear(text.includes('BC') ? 1 - year : year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  return local.getTime() - whole;
}

/**
 * The instant of a local time given as milliseconds "as if UTC". A skipped local time is read with the offset before
 * the transition. As on the server, one that exists twice means the second instant east of Greenwich and the first west
 * of it.
 */
export function instantOf(zone: Zone, local: number): number {
  const guess = zone.offsetAt(local);
  const after = zone.offsetAt(local - guess);
  if (guess === after) return local - after;
  const candidate = local - after;
  const before = candidate < local - guess && zone.offsetAt(candidate) !== after;
  return before ? local - guess : candidate;
}
