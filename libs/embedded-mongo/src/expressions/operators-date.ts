/**
 * `$dateTrunc`, `$dateAdd`, `$dateSubtract`, `$dateDiff`. Days and longer units follow the local calendar; hours and
 * shorter ones are elapsed time. Where a server deviates from the calendar (listed in the README), these operators
 * follow the calendar.
 */
import { failCommand } from '../errors';
import { isNumeric, longMin, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { civilFromDays, dayMs, daysFromCivil, daysInMonth, isoDayOfWeek } from './civil';
import { dateOf, instantFrom, namedArguments, zoneReader } from './date-arguments';
import { datePartOperators } from './operators-date-parts';
import type { Environment, Expression } from './scope';
import type { Zone } from './zones';
import { instantOf } from './zones';

const spans: Readonly<Record<string, number>> = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000 };
const monthsPerUnit: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
const units = [...Object.keys(spans), 'day', 'week', ...Object.keys(monthsPerUnit)];
const weekDays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const referenceDay = daysFromCivil(2000, 1, 1);
const maxBin = 100_000_000_000n;

function unitOf(value: Value, typeCode: number): string {
  if (typeof value !== 'string')
    return failCommand(typeCode, `the 'unit' parameter must be a string, found ${typeName(value)}`);
  return units.includes(value) ? value : failCommand(5439014, `unknown time unit value: ${value}`);
}

/** 1 (Monday) to 7 (Sunday) of a name or its first three letters. */
function weekStartOf(value: Value): number {
  if (typeof value !== 'string')
    return failCommand(5439015, `the 'startOfWeek' parameter must be a string, found ${typeName(value)}`);
  const name = value.toLowerCase();
  const index = weekDays.findIndex((day) => day === name || day.slice(0, 3) === name);
  return index < 0 ? failCommand(5439016, `unknown day of week value: ${value}`) : index + 1;
}

function binOf(value: Value): bigint {
  const whole = isNumeric(value) ? toInteger(value) : undefined;
  if (whole === undefined)
    return failCommand(
      5439017,
      `the 'binSize' parameter must be coercible to a 64-bit integer, found ${typeName(value)}`,
    );
  if (whole <= 0n) return failCommand(5439018, `the 'binSize' parameter must be greater than 0, found ${whole}`);
  return whole;
}

/** Evaluates an optional argument: the default when the operator has none, null when it is null or missing. */
function evaluated(expression: Expression | undefined, environment: Environment, fallback: Value): Value {
  return expression ? (expression(environment) ?? null) : fallback;
}

const dateTrunc: Builder = (argument, scope, name) => {
  const named = namedArguments(
    argument,
    scope,
    name,
    ['date', 'unit', 'binSize', 'timezone', 'startOfWeek'],
    5439007,
    5439008,
  );
  const date = named.required('date', 5439009);
  const unit = named.required('unit', 5439010);
  const zone = zoneReader(named.optional('timezone'));
  const [bin, week] = [named.optional('binSize'), named.optional('startOfWeek')];
  return (environment) => {
    const value = date(environment);
    const unitValue = unit(environment);
    const binValue = evaluated(bin, environment, 1n);
    const where = zone(environment);
    if (isNullish(value) || isNullish(unitValue) || isNullish(binValue) || !where) return null;
    const instant = instantFrom(value, 5439012);
    const unitName = unitOf(unitValue, 5439013);
    const size = binOf(binValue);
    const start = unitName === 'week' ? evaluated(week, environment, 'sunday') : 'sunday';
    if (start === null) return null;
    return dateOf(truncated(instant, unitName, size, where, weekStartOf(start)));
  };
};

const floorTo = (value: number, origin: number, step: number): number =>
  origin + Math.floor((value - origin) / step) * step;

function truncated(instant: number, unit: string, bin: bigint, zone: Zone, weekStart: number): number {
  const span = spans[unit];
  const size = Number(bin);
  if (bin > maxBin) return failCommand(5439002, "the 'binSize' parameter is too large");
  if (span !== undefined) {
    if (size * span > 2 ** 62) failCommand(5439002, "the 'binSize' parameter is too large");
    return floorTo(instant, instantOf(zone, referenceDay * dayMs), size * span);
  }
  const days = Math.floor((instant + zone.offsetAt(instant)) / dayMs);
  return firstMidnight(zone, truncatedDay(days, unit, size, weekStart), instant);
}

function truncatedDay(days: number, unit: string, size: number, weekStart: number): number {
  if (unit === 'day') return floorTo(days, referenceDay, size);
  if (unit === 'week') {
    const firstWeek = referenceDay + ((weekStart - isoDayOfWeek(referenceDay) + 7) % 7);
    return floorTo(days, firstWeek, 7 * size);
  }
  const { year, month } = civilFromDays(days);
  const months = floorTo(year * 12 + month - 1, 24_000, size * (monthsPerUnit[unit] as number));
  return daysFromCivil(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1);
}

/** The instant of a local midnight; where two exist, the one that is not after the truncated instant. */
function firstMidnight(zone: Zone, day: number, instant: number): number {
  const midnight = instantOf(zone, day * dayMs);
  if (midnight <= instant) return midnight;
  const earlier = day * dayMs - zone.offsetAt(instant);
  return earlier <= instant && zone.offsetAt(earlier) === zone.offsetAt(instant) ? earlier : midnight;
}

function dateArithmetic(direction: 1 | -1): Builder {
  return (argument, scope, name) => {
    const named = namedArguments(argument, scope, name, ['startDate', 'unit', 'amount', 'timezone'], 5166400, 5166401);
    const [date, unit, amount] = ['startDate', 'unit', 'amount'].map((field) => named.required(field, 5166402)) as [
      Expression,
      Expression,
      Expression,
    ];
    const zone = zoneReader(named.optional('timezone'));
    return (environment) => {
      const [value, unitValue, amountValue] = [date(environment), unit(environment), amount(environment)];
      const where = zone(environment);
      if (isNullish(value) || isNullish(unitValue) || isNullish(amountValue) || !where) return null;
      const instant = instantFrom(value, 5166403);
      const unitName = unitOf(unitValue, 5166404);
      const whole = isNumeric(amountValue) ? toInteger(amountValue) : undefined;
      if (whole === undefined) return failCommand(5166405, `${name} expects integer amount of time units`);
      if (direction === -1 && whole === longMin)
        failCommand(6045000, `invalid $dateSubtract 'amount' parameter value: ${whole}`);
      return dateOf(moved(instant, unitName, whole * BigInt(direction), where));
    };
  };
}

const maxAmount = 1n << 53n;

function moved(instant: number, unit: string, amount: bigint, zone: Zone): number {
  const span = spans[unit];
  if (span !== undefined) {
    const total = BigInt(instant) + amount * BigInt(span);
    if (total > maxAmount || total < -maxAmount) failCommand(5166406, 'the date is out of range after the addition');
    return Number(total);
  }
  const months = monthsPerUnit[unit];
  const limit = months === undefined ? 40_000_000_000n : 4_000_000_000n;
  if (amount > limit || amount < -limit)
    return failCommand(5976500, `invalid 'amount' parameter value: ${amount} ${unit}`);
  const count = Number(amount);
  const local = instant + zone.offsetAt(instant);
  const days = Math.floor(local / dayMs);
  const target = months === undefined ? days + count * (unit === 'week' ? 7 : 1) : addMonths(days, count * months);
  if (target === days) return instant;
  return instantOf(zone, target * dayMs + (local - days * dayMs));
}

function addMonths(days: number, count: number): number {
  const { year, month, day } = civilFromDays(days);
  const total = year * 12 + month - 1 + count;
  const [newYear, newMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  return daysFromCivil(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)));
}

const dateDiff: Builder = (argument, scope, name) => {
  const named = namedArguments(
    argument,
    scope,
    name,
    ['startDate', 'endDate', 'unit', 'timezone', 'startOfWeek'],
    5166301,
    5166302,
  );
  const start = named.required('startDate', 5166303);
  const end = named.required('endDate', 5166304);
  const unit = named.required('unit', 5166305);
  const zone = zoneReader(named.optional('timezone'));
  const week = named.optional('startOfWeek');
  return (environment) => {
    const [from, to, unitValue] = [start(environment), end(environment), unit(environment)];
    const where = zone(environment);
    if (isNullish(from) || isNullish(to) || isNullish(unitValue) || !where) return null;
    const [first, last] = [instantFrom(from, 5166307), instantFrom(to, 5166307)];
    const unitName = unitOf(unitValue, 5439013);
    const weekStart = unitName === 'week' ? evaluated(week, environment, 'sunday') : 'sunday';
    if (weekStart === null) return null;
    return BigInt(difference(first, last, unitName, where, weekStartOf(weekStart)));
  };
};

function difference(first: number, last: number, unit: string, zone: Zone, weekStart: number): number {
  const [from, to] = [first + zone.offsetAt(first), last + zone.offsetAt(last)];
  const span = spans[unit];
  if (span !== undefined) return elapsed(first, last, from, to, span);
  const [fromDay, toDay] = [Math.floor(from / dayMs), Math.floor(to / dayMs)];
  if (unit === 'day') return toDay - fromDay;
  if (unit === 'week') {
    const weekOf = (day: number): number => Math.floor((day - (weekStart - 1) + 3) / 7);
    return weekOf(toDay) - weekOf(fromDay);
  }
  const indexOf = (day: number): number => {
    const { year, month } = civilFromDays(day);
    return Math.floor((year * 12 + month - 1) / (monthsPerUnit[unit] as number));
  };
  return indexOf(toDay) - indexOf(fromDay);
}

/**
 * The number of boundaries of the local clock that were crossed; as on the server, only whole hours of an offset change
 * are subtracted.
 */
function elapsed(first: number, last: number, from: number, to: number, span: number): number {
  if (span === 1) return last - first;
  const boundaries = Math.floor(to / span) - Math.floor(from / span);
  const change = Math.trunc((to - last - (from - first)) / 3_600_000) * 3_600_000;
  return boundaries - change / span;
}

export const dateOperators: Record<string, Builder> = {
  ...datePartOperators,
  $dateTrunc: dateTrunc,
  $dateAdd: dateArithmetic(1),
  $dateSubtract: dateArithmetic(-1),
  $dateDiff: dateDiff,
};
