/** The proleptic Gregorian calendar on plain numbers: days since 1970, parts of a local time, ISO weeks. */

export const dayMs = 86_400_000;

export interface Civil {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

/** Days since 1970-01-01; months and days beyond their range carry over. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const carried = year + Math.floor((month - 1) / 12);
  const m = ((((month - 1) % 12) + 12) % 12) + 1;
  const y = m <= 2 ? carried - 1 : carried;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468 + (day - 1);
}

export function civilFromDays(days: number): Civil {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1,
  };
}

export interface LocalTime extends Civil {
  days: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  /** 1 (Monday) to 7 (Sunday). */
  isoDayOfWeek: number;
  dayOfYear: number;
}

/** The parts of a local time given as milliseconds "as if UTC". */
export function localTimeOf(local: number): LocalTime {
  const days = Math.floor(local / dayMs);
  const rest = local - days * dayMs;
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    days,
    hour: Math.floor(rest / 3_600_000),
    minute: Math.floor(rest / 60_000) % 60,
    second: Math.floor(rest / 1000) % 60,
    millisecond: rest % 1000,
    isoDayOfWeek: isoDayOfWeek(days),
    dayOfYear: days - daysFromCivil(year, 1, 1) + 1,
  };
}

export const isoDayOfWeek = (days: number): number => ((((days + 3) % 7) + 7) % 7) + 1;

/** Year and number of the ISO week of a day. */
export function isoWeekOf(days: number): { year: number; week: number } {
  const thursday = days - isoDayOfWeek(days) + 4;
  const { year } = civilFromDays(thursday);
  return { year, week: Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1 };
}

/** The Monday of the first ISO week of a year, in days since 1970. */
export function isoYearStart(year: number): number {
  const fourth = daysFromCivil(year, 1, 4);
  return fourth - isoDayOfWeek(fourth) + 1;
}

/** Weeks that begin on Sunday, 0 to 53. */
export const sundayWeekOf = (time: LocalTime): number =>
  Math.floor((time.dayOfYear - 1 + 7 - (time.isoDayOfWeek % 7)) / 7);

export const daysInMonth = (year: number, month: number): number =>
  daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1);
