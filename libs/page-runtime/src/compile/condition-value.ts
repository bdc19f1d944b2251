/**
 * The value of a condition as the database compares it. Types say this at compile time; texts of requests arrive
 * untyped, so each value is judged again by its field, before anything is asked of the database.
 */
import type { Condition } from '../chain';
import { BadValueError } from '../coercions';
import { kindOf, type Resource } from '../resource';
import { ChainError } from './chain-error';

export type ConditionValue = string | number | boolean | Date;

const orderings = new Set(['gt', 'ge', 'lt', 'le']);

/** Whether a name can be a field's path and nothing else: `$` and `.` mean something to the database. */
export function isPlainFieldName(name: string): boolean {
  return name !== '' && !name.startsWith('$') && !/[.\0]/.test(name);
}

/**
 * The value to compare with; a `CalendarDay` is a whole day of a zone that only the chain knows. Throws ChainError for a condition that
 * no request can make right, BadValueError for a value of the wrong type.
 */
export function conditionValue(resource: Resource, { field, op, value }: Condition): ConditionValue {
  const kind = isPlainFieldName(field) ? kindOf(resource, field) : undefined;
  if (kind === undefined) throw new ChainError(`${resource.name} has no field ${JSON.stringify(field)}`);
  if (kind === 'opaque')
    throw new ChainError(`the field ${JSON.stringify(field)} of ${resource.name} cannot be compared`);
  if (orderings.has(op) && (kind === 'boolean' || kind === 'select'))
    throw new ChainError(`${op} cannot order the ${kind} field ${JSON.stringify(field)}`);
  const bad = (expected: string, options?: readonly string[]): never => {
    throw new BadValueError(String(value), expected, kind, options);
  };
  switch (kind) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : bad('a finite decimal number');
    case 'boolean':
      return typeof value === 'boolean' ? value : bad('true or false');
    case 'date':
      if (!(value instanceof Date) || Number.isNaN(value.getTime()))
        return bad('a day like 2026-03-29 or an instant like 2026-03-29T00:00:00Z');
      return value;
    case 'text':
      return typeof value === 'string' ? value : bad('a text');
    case 'select': {
      const options = resource.fields[field]?.options;
      if (typeof value !== 'string') return bad('a text', options);
      return options && !options.includes(value) ? bad(`one of ${options.join(', ')}`, options) : value;
    }
  }
}
