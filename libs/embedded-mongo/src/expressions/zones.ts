/**
 * Time zones: the offset at an instant and the instant of a local time. Offsets come from Intl and are cached per block
 * of time in which no zone changes twice.
 */
import { refuse } from '../errors';
import { ZONE_NAMES } from './zone-names';

export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC to get local time at the instant. */
  offsetAt(instant: number): number;
}

export const UTC: Zone = { name: 'UTC', offsetAt: () => 0 };

const QUARTER_HOUR = 15 * 60_000;
const MINUTE = 60_000;
/** Before these dates some zones changed at odd seconds (Liberia, 1972) and odd minutes (Newfoundland, until 2011). */
const FIRST_MINUTES = Date.UTC(1975, 0, 1);
const FIRST_QUARTERS = Date.UTC(2012, 0, 1);
const MAX_CACHED = 50_000;
/** Two days inside what a Date can hold, so that local time fits too. */
const INTL_LIMIT = 8.64e15 - 2 * 86_400_000;
const zones = new Map<string, Zone>([
  ['UTC', UTC],
  ['GMT', UTC],
  ['Etc/UTC', UTC],
]);

/** The zone of a name or an offset like "+05:30". Throws code 40485 for an unknown one. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const zone = fixedZone(name) ?? namedZone(name) ?? refuse(40485, `unrecognized time zone identifier: "${name}"`);
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
  if (!ZONE_NAMES.has(name)) return undefined;
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
  const cache = new Map<number, number>();
  return {
    name,
    offsetAt: (instant) => {
      if (instant < FIRST_MINUTES) return readOffset(format, instant);
      const step = instant < FIRST_QUARTERS ? MINUTE : QUARTER_HOUR;
      const block = Math.floor(instant / step) * step;
      let offset = cache.get(block);
      if (offset === undefined) {
        if (cache.size > MAX_CACHED) cache.clear();
        offset = readOffset(format, block);
        cache.set(block, offset);
      }
      return offset;
    },
  };
}

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const clamped = Math.max(-INTL_LIMIT, Math.min(INTL_LIMIT, instant));
  const whole = Math.floor(clamped / 1000) * 1000;
  // "11/28/2 BC, 00:09:21": the text has one fixed order, and reading it costs a third of reading the named parts.
  const text = format.format(whole);
  const [month = NaN, day, year = NaN, hour = NaN, minute, second] = text.split(/\D+/).map(Number);
  const local = new Date(0);
  local.setUTCFullYear(text.includes('BC') ? 1 - year : year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  return local.getTime() - whole;
}

/**
 * The instant of a local time given as milliseconds "as if UTC". A skipped local time is read with the offset before the
 * transition; one that exists twice means the second instant east of Greenwich and the first west of it, as the server.
 */
export function instantOf(zone: Zone, local: number): number {
  const guess = zone.offsetAt(local);
  const after = zone.offsetAt(local - guess);
  if (guess === after) return local - after;
  const candidate = local - after;
  const before = candidate < local - guess && zone.offsetAt(candidate) !== after;
  return before ? local - guess : candidate;
}
