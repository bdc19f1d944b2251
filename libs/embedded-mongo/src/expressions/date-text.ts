/** Dates as text: ISO forms that are read without a format, and the percent formats in both directions. */
import { failCommand } from '../errors';
import { BsonDate } from '../bson/values';
import { dayMs, daysFromCivil, isoWeekOf, isoYearStart, localTimeOf, sundayWeekOf } from './civil';
import type { Zone } from './zones';
import { instantOf, utc, zoneOf } from './zones';

const unreadable = (text: string): never => failCommand(241, `Error parsing date string '${text.slice(0, 100)}'`);

const isoForm =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/;
const compactForm = /^(\d{4})(\d{2})(\d{2})$/;

/**
 * Reads ISO 8601 text. Throws 241 for text that no server reads. Text that a server might read differently is refused
 * with 238, which `onError` does not catch, so that it never gets a wrong answer.
 */
export function parseDateText(text: string, zone: Zone | undefined): BsonDate {
  const match = isoForm.exec(text) ?? compactForm.exec(text);
  if (!match) return failDateText(text);
  const [, year, month, day = '01', hour = '00', minute = '00', second = '00', fraction = '', offset] = match;
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (
    numbers[1] < 1 ||
    numbers[1] > 12 ||
    numbers[2] < 1 ||
    numbers[2] > 31 ||
    numbers[3] > 24 ||
    numbers[4] > 59 ||
    numbers[5] > 59
  )
    return unreadable(text);
  if (offset && zone)
    return failCommand(
      241,
      `you cannot pass in a date/time string with time zone information ('${offset}') together with a timezone argument`,
    );
  const local =
    daysFromCivil(numbers[0], numbers[1], numbers[2]) * dayMs +
    ((numbers[3] * 60 + numbers[4]) * 60 + numbers[5]) * 1000 +
    Number(fraction.slice(0, 3).padEnd(3, '0'));
  const effective = offset ? (offset === 'Z' ? utc : zoneOf(offset)) : (zone ?? utc);
  return new BsonDate(BigInt(instantOf(effective, local)));
}

/** Whether year, month and day can be read from the text in any form; a server refuses text that lacks one of them. */
function hasDate(text: string): boolean {
  const groups = text.match(/\d+/g) ?? [];
  if (/^\d+$/.test(text)) return [7, 8, 14].includes(text.length);
  const named = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|w\d|@/i.test(text);
  return (
    groups.length >= 3 ||
    (named && groups.length >= 1) ||
    (groups.length === 2 && /^\s*\d{4}[.-]?\d{3}(?!\d)/.test(text))
  );
}

function failDateText(text: string): never {
  const hopeless = !hasDate(text) || /^(?:1[3-9]|[2-9]\d)\/\d{1,2}\/\d{4}$/.test(text);
  const zoneName = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2} [A-Z][A-Za-z_]+\/[A-Z][A-Za-z_]+$/.test(text);
  if (hopeless || zoneName) unreadable(text);
  return failCommand(238, 'this form of a date string is not offered by this store; use ISO 8601 or a format');
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** Checks a format of `$dateToString`. Throws 18535 for a lone percent sign, 18536 for an unknown specifier. */
export function checkFormat(format: string): void {
  for (let at = 0; at < format.length; at += 1) {
    if (format[at] !== '%') continue;
    at += 1;
    if (at >= format.length) failCommand(18535, "Unmatched '%' at end of format string");
    if (!'YmdHMSLjuwUVGzZ%'.includes(format[at] as string))
      failCommand(18536, `Invalid format character '%${format[at]}' in format string`);
  }
}

/** Writes an instant in a zone. Throws 18537 for years outside 0 to 9999. */
export function formatDate(instant: number, zone: Zone, format: string): string {
  const offset = zone.offsetAt(instant);
  const time = localTimeOf(instant + offset);
  if (time.year < 0 || time.year > 9999)
    failCommand(
      18537,
      `Could not convert date to string: date component was outside the supported range of 0-9999: ${time.year}`,
    );
  const minutes = Math.trunc(offset / 60_000);
  return format.replace(/%(.)/gs, (_all, specifier: string) => {
    switch (specifier) {
      case 'Y':
        return pad(time.year, 4);
      case 'm':
        return pad(time.month, 2);
      case 'd':
        return pad(time.day, 2);
      case 'H':
        return pad(time.hour, 2);
      case 'M':
        return pad(time.minute, 2);
      case 'S':
        return pad(time.second, 2);
      case 'L':
        return pad(time.millisecond, 3);
      case 'j':
        return pad(time.dayOfYear, 3);
      case 'u':
        return String(time.isoDayOfWeek);
      case 'w':
        return String((time.isoDayOfWeek % 7) + 1);
      case 'U':
        return pad(sundayWeekOf(time), 2);
      case 'V':
        return pad(isoWeekOf(time.days).week, 2);
      case 'G':
        return pad(isoWeekOf(time.days).year, 4);
      case 'z':
        return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60), 2)}${pad(Math.abs(minutes) % 60, 2)}`;
      case 'Z':
        return String(minutes);
      default:
        return '%';
    }
  });
}

const readers: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  m: '(?<m>\\d{1,2})',
  d: '(?<d>\\d{1,2})',
  H: '(?<H>\\d{1,2})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  L: '(?<L>\\d{1,3})',
  G: '(?<G>\\d{4})',
  V: '(?<V>\\d{1,2})',
  u: '(?<u>[1-7])',
  z: '(?<z>Z|[+-]\\d{2}(?::?\\d{2})?)',
  Z: '(?<Z>[+-]\\d{1,3})',
};

/** Reads text by a format. Throws 241 when it does not match, 18536 for a specifier that cannot be read. */
export function parseByFormat(text: string, format: string, zone: Zone | undefined): BsonDate {
  const pattern = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/]/gs, (all, specifier: string | undefined) => {
    if (specifier === undefined) return `\\${all}`;
    if (specifier === '%') return '%';
    return readers[specifier] ?? failCommand(18536, `Invalid format character '%${specifier}' in format string`);
  });
  const match = new RegExp(`^${pattern}$`, 'u').exec(text);
  if (!match?.groups) return unreadable(text);
  const parts = match.groups;
  const number = (name: string, fallback: number): number =>
    parts[name] === undefined ? fallback : Number(parts[name]);
  const days = daysOf(parts, number, text);
  if (number('H', 0) > 24 || number('M', 0) > 59 || number('S', 0) > 59) return unreadable(text);
  const local =
    days * dayMs +
    ((number('H', 0) * 60 + number('M', 0)) * 60 + number('S', 0)) * 1000 +
    Number((parts['L'] ?? '0').padEnd(3, '0'));
  return new BsonDate(BigInt(instantOf(zoneFor(parts, zone, text), local)));
}

function daysOf(
  parts: Record<string, string>,
  number: (name: string, fallback: number) => number,
  text: string,
): number {
  if (parts['G'] !== undefined) return isoYearStart(number('G', 1970)) + (number('V', 1) - 1) * 7 + number('u', 1) - 1;
  if (parts['Y'] === undefined || parts['m'] === undefined || parts['d'] === undefined) return unreadable(text);
  const [month, day] = [number('m', 1), number('d', 1)];
  if (month < 1 || month > 12 || day < 1 || day > 31) return unreadable(text);
  return daysFromCivil(number('Y', 1970), month, day);
}

function zoneFor(parts: Record<string, string>, zone: Zone | undefined, text: string): Zone {
  const offset = parts['z'];
  const minutes = parts['Z'];
  if (offset === undefined && minutes === undefined) return zone ?? utc;
  if (zone) return unreadable(text);
  if (offset !== undefined) return offset === 'Z' ? utc : zoneOf(offset);
  return { name: 'offset', offsetAt: () => Number(minutes) * 60_000 };
}
