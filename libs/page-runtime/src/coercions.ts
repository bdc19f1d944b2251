/**
 * Turns the text of a request into a value, or into a refusal. The rules are narrow on purpose: texts that `Number` or
 * `Date` would accept by guessing (`0x10`, ` 7 `, `1e999`, `Friday`) are errors and must not become a figure on a
 * chart.
 */
import { isLostNumber, keptNumbers } from '@platform/kernel/numbers';

/** How a request value is read: `text` is the unchanged text, `id` the 24 digits of an ObjectId. */
export type ValueRole = 'text' | 'id' | 'select' | 'number' | 'date' | 'boolean';

const objectId = /^[0-9a-f]{24}$/i;

/** Whether a text is an ObjectId in digits. */
export function isObjectIdText(text: string): boolean {
  return objectId.test(text);
}

/** A request value that is not valid for the field; the page host answers 400 and names the parameter. */
export class BadValueError extends Error {
  override name = 'BadValueError';
  constructor(
    readonly text: string,
    readonly expected: string,
    readonly role: ValueRole,
    /** The values that a `select` accepts. */
    readonly options?: readonly string[],
  ) {
    super(`a value is not ${expected}`);
  }
}

/**
 * A calendar day without a zone. As a Date it is the day's start in UTC; the host moves it to the start of the day in
 * the query's zone, which only the chain knows.
 */
export class CalendarDay extends Date {
  constructor(readonly day: string) {
    super(`${day}T00:00:00.000Z`);
  }
}

const decimal = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/;
const calendarDay = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A finite decimal number. Throws BadValueError. */
export function asNumber(text: string): number {
  const value = typeof text === 'string' && decimal.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new BadValueError(String(text), 'a finite decimal number', 'number');
  if (isLostNumber(text)) throw new BadValueError(text, `a number that keeps its digits: ${keptNumbers}`, 'number');
  return value;
}

/** `true` or `false`. Throws BadValueError. */
export function asBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new BadValueError(String(text), 'true or false', 'boolean');
  return text === 'true';
}

/** An existing day (`2026-03-29`) or an instant with its offset (`2026-03-29T00:00:00Z`). Throws BadValueError. */
export function asDate(text: string): Date {
  if (isDateText(text)) return calendarDay.test(text) ? new CalendarDay(text) : new Date(text);
  throw new BadValueError(String(text), 'a day like 2026-03-29 or an instant like 2026-03-29T00:00:00Z', 'date');
}

/** Whether `asDate` accepts the text. The day must exist: `2026-02-30` does not. */
export function isDateText(text: unknown): text is string {
  if (typeof text !== 'string' || !(calendarDay.test(text) || instant.test(text))) return false;
  const day = text.slice(0, 10);
  const start = new Date(`${day}T00:00:00.000Z`);
  return (
    !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day) && !Number.isNaN(new Date(text).getTime())
  );
}
