/** `$year` and its like, `$dateToParts`, `$dateToString`, `$dateFromString`, `$dateFromParts`. */
import { CommandError, failCommand } from '../errors';
import { isNumeric, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Doc, Int32, Value } from '../bson/values';
import { docOf, int, isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { civilFromDays, dayMs, daysFromCivil, isoWeekOf, isoYearStart, localTimeOf, sundayWeekOf } from './civil';
import type { LocalTime } from './civil';
import { dateOf, instantFrom, namedArguments, zoneReader } from './date-arguments';
import { checkFormat, formatDate, parseByFormat, parseDateText } from './date-text';
import type { Expression, Scope } from './scope';
import { instantOf, utc } from './zones';

/** The date and zone of `$year` and its like: an expression, a one-element list or named arguments. */
function datePart(
  argument: Value,
  scope: Scope,
  name: string,
): { date: Expression; zone: ReturnType<typeof zoneReader> } {
  if (Array.isArray(argument)) {
    if (argument.length !== 1)
      return failCommand(
        40536,
        `${name} accepts exactly one argument if given an array, but was given ${argument.length}`,
      );
    return { date: scope.compile(argument[0] as Value), zone: () => utc };
  }
  const first = argument instanceof Map ? argument.keys().next().value : undefined;
  if (!(argument instanceof Map) || first?.startsWith('$')) return { date: scope.compile(argument), zone: () => utc };
  const named = namedArguments(argument, scope, name, ['date', 'timezone'], 40535, 40535);
  return { date: named.required('date', 40539), zone: zoneReader(named.optional('timezone'), 40533) };
}

function part(read: (time: LocalTime) => Value): Builder {
  return (argument, scope, name) => {
    const { date, zone } = datePart(argument, scope, name);
    return (environment) => {
      const value = date(environment);
      if (isNullish(value)) return null;
      const where = zone(environment);
      if (!where) return null;
      const instant = instantFrom(value);
      return read(localTimeOf(instant + where.offsetAt(instant)));
    };
  };
}

const dateToParts: Builder = (argument, scope, name) => {
  const named = namedArguments(argument, scope, name, ['date', 'timezone', 'iso8601'], 40524, 40520);
  const date = named.required('date', 40522);
  const zone = zoneReader(named.optional('timezone'));
  const iso = named.optional('iso8601');
  return (environment) => {
    const value = date(environment);
    const where = zone(environment);
    const form = iso ? iso(environment) : false;
    if (!where || isNullish(value) || isNullish(form)) return null;
    if (typeof form !== 'boolean')
      return failCommand(40521, `iso8601 must evaluate to a bool, found ${typeName(form)}`);
    const instant = instantFrom(value);
    const local = instant + where.offsetAt(instant);
    return form ? isoPartsOf(localTimeOf(local)) : calendarPartsOf(local);
  };
};

/** Caches the last day and common ints, because this is called once per row of a chart. */
let lastDays = Number.NaN;
let lastDay = { year: int(0), month: int(0), day: int(0) };
const smallInts = Array.from({ length: 1_000 }, (_unused, value) => int(value));
const small = (value: number): Int32 => smallInts[value]!;

function calendarPartsOf(local: number): Doc {
  const days = Math.floor(local / dayMs);
  const rest = local - days * dayMs;
  if (days !== lastDays) {
    const { year, month, day } = civilFromDays(days);
    lastDay = { year: int(year), month: small(month), day: small(day) };
    lastDays = days;
  }
  const parts: Doc = new Map<string, Value>();
  parts.set('year', lastDay.year);
  parts.set('month', lastDay.month);
  parts.set('day', lastDay.day);
  parts.set('hour', small(Math.floor(rest / 3_600_000)));
  parts.set('minute', small(Math.floor(rest / 60_000) % 60));
  parts.set('second', small(Math.floor(rest / 1_000) % 60));
  parts.set('millisecond', small(rest % 1_000));
  return parts;
}

function isoPartsOf(time: LocalTime): Doc {
  const { year, week } = isoWeekOf(time.days);
  return docOf({
    isoWeekYear: int(year),
    isoWeek: int(week),
    isoDayOfWeek: int(time.isoDayOfWeek),
    hour: int(time.hour),
    minute: int(time.minute),
    second: int(time.second),
    millisecond: int(time.millisecond),
  });
}

const dateToString: Builder = (argument, scope, name) => {
  const named = namedArguments(argument, scope, name, ['date', 'format', 'timezone', 'onNull'], 18629, 18534);
  const date = named.required('date', 18628);
  const zone = zoneReader(named.optional('timezone'));
  const [format, onNull] = [named.optional('format'), named.optional('onNull')];
  return (environment) => {
    const value = date(environment);
    const pattern = format ? format(environment) : undefined;
    if (format && isNullish(pattern)) return null;
    if (format && typeof pattern !== 'string')
      return failCommand(18533, `$dateToString requires that 'format' be a string, found: ${typeName(pattern)}`);
    const where = zone(environment);
    if (typeof pattern === 'string') checkFormat(pattern);
    if (isNullish(value)) return onNull ? onNull(environment) : null;
    if (!where) return null;
    return formatDate(instantFrom(value), where, typeof pattern === 'string' ? pattern : defaultFormat);
  };
};

/** As on the server, the Z is written in every zone. */
const defaultFormat = '%Y-%m-%dT%H:%M:%S.%LZ';

const dateFromString: Builder = (argument, scope, name) => {
  const named = namedArguments(
    argument,
    scope,
    name,
    ['dateString', 'format', 'timezone', 'onNull', 'onError'],
    40540,
    40541,
  );
  const source = named.required('dateString', 40542);
  const hasZone = named.optional('timezone') !== undefined;
  const zone = zoneReader(named.optional('timezone'));
  const [format, onNull, onError] = [named.optional('format'), named.optional('onNull'), named.optional('onError')];
  return (environment) => {
    const text = source(environment);
    const where = zone(environment);
    const pattern = format ? format(environment) : undefined;
    if (format && !isNullish(pattern) && typeof pattern !== 'string')
      return failCommand(40684, `$dateFromString requires that 'format' be a string, found: ${typeName(pattern)}`);
    if (isNullish(text)) return onNull ? onNull(environment) : null;
    if (!where || (format && isNullish(pattern))) return null;
    try {
      if (typeof text !== 'string')
        return failCommand(241, `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`);
      return typeof pattern === 'string'
        ? parseByFormat(text, pattern, hasZone ? where : undefined)
        : parseDateText(text, hasZone ? where : undefined);
    } catch (error) {
      if (onError && error instanceof CommandError && error.code === 241) return onError(environment);
      throw error;
    }
  };
};

const clockParts = ['hour', 'minute', 'second', 'millisecond'];
const calendarParts = ['year', 'month', 'day'];
const isoCalendarParts = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'];

const dateFromParts: Builder = (argument, scope, name) => {
  const named = namedArguments(
    argument,
    scope,
    name,
    [...calendarParts, ...isoCalendarParts, ...clockParts, 'timezone'],
    40519,
    40518,
  );
  const iso = named.optional('isoWeekYear') !== undefined;
  const mixed = (iso ? calendarParts : isoCalendarParts).some((field) => named.optional(field));
  if (mixed && (iso || named.optional('year')))
    failCommand(40489, '$dateFromParts does not allow mixing natural dates with ISO dates');
  if (!iso && !named.optional('year'))
    failCommand(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  const zone = zoneReader(named.optional('timezone'));
  const fields = [...(iso ? isoCalendarParts : calendarParts), ...clockParts].map((field, index) => ({
    field,
    expression: named.optional(field),
    fallback: index < 3 ? 1 : 0,
  }));
  return (environment) => {
    const values: number[] = [];
    for (const { field, expression, fallback } of fields) {
      const value = expression ? expression(environment) : int(fallback);
      if (isNullish(value)) return null;
      values.push(partNumber(value, field));
    }
    const where = zone(environment);
    if (!where) return null;
    const [year, second, third, hour, minute, seconds, millisecond] = values as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const days = iso ? isoYearStart(year) + (second - 1) * 7 + third - 1 : daysFromCivil(year, second, 1) + third - 1;
    return dateOf(instantOf(where, days * dayMs + ((hour * 60 + minute) * 60 + seconds) * 1000 + millisecond));
  };
};

function partNumber(value: Value, field: string): number {
  const whole = isNumeric(value) ? toInteger(value) : undefined;
  if (whole === undefined)
    return failCommand(40515, `'${field}' must evaluate to an integer, found ${typeName(value)}`);
  const number = Number(whole);
  if (field === 'year' && (number < 1 || number > 9999))
    failCommand(40523, `'year' must evaluate to an integer in the range 1 to 9999, found ${number}`);
  if (field === 'isoWeekYear' && (number < 1 || number > 9999))
    failCommand(31095, `'isoWeekYear' must evaluate to an integer in the range 1 to 9999, found ${number}`);
  const wide = field === 'second' || field === 'millisecond';
  if (!wide && (number < -32_768 || number > 32_767))
    failCommand(
      31034,
      `'${field}' must evaluate to a value in the range [-32768, 32767]; value ${number} is not in range`,
    );
  return number;
}

export const datePartOperators: Record<string, Builder> = {
  $year: part((time) => int(time.year)),
  $month: part((time) => int(time.month)),
  $dayOfMonth: part((time) => int(time.day)),
  $hour: part((time) => int(time.hour)),
  $minute: part((time) => int(time.minute)),
  $second: part((time) => int(time.second)),
  $millisecond: part((time) => int(time.millisecond)),
  $dayOfWeek: part((time) => int((time.isoDayOfWeek % 7) + 1)),
  $dayOfYear: part((time) => int(time.dayOfYear)),
  $week: part((time) => int(sundayWeekOf(time))),
  $isoWeek: part((time) => int(isoWeekOf(time.days).week)),
  $isoWeekYear: part((time) => BigInt(isoWeekOf(time.days).year)),
  $isoDayOfWeek: part((time) => int(time.isoDayOfWeek)),
  $dateToParts: dateToParts,
  $dateToString: dateToString,
  $dateFromString: dateFromString,
  $dateFromParts: dateFromParts,
};
