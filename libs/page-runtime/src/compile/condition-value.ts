/**
 * The value of a condition in the form in which the database compares it. Types check this at compile time; texts of
 * requests are untyped, so each value is checked again by its field, before anything is sent to the database.
 */
import type { Condition } from '../chain';
import { BadValueError, isObjectIdText } from '../coercions';
import { kindOf, type Resource } from '../resource';
import { ChainError } from './chain-error';

/** A value without a JavaScript type, in MongoDB's extended JSON; the database port converts it in both directions. */
type StoredValue = { readonly $oid: string } | { readonly $numberDecimal: string };

export type ConditionValue = string | number | boolean | Date | StoredValue;

const orderings = new Set(['gt', 'ge', 'lt', 'le']);

/** Whether a name can only be a field's path: `$` and `.` have a meaning for the database. */
export function isPlainFieldName(name: string): boolean {
  return name !== '' && !name.startsWith('$') && !/[.\0]/.test(name);
}

/**
 * The value to compare with; a `CalendarDay` is a whole day in a zone that only the chain knows. Throws ChainError for
 * a condition that no request value can make valid, BadValueError for a value of the wrong type.
 */
export function conditionValue(resource: Resource, { field, op, value }: Condition): ConditionValue {
  const kind = isPlainFieldName(field) ? kindOf(resource, field) : undefined;
  if (kind === undefined) throw new ChainError(`${resource.name} has no field ${JSON.stringify(field)}`);
  if (kind === 'opaque')
    throw new ChainError(`the field ${JSON.stringify(field)} of ${resource.name} cannot be compared`);
  if (orderings.has(op) && (kind === 'boolean' || kind === 'select'))
    throw new ChainError(`${op} cannot order the ${kind} field ${JSON.stringify(field)}`);
  const stored = resource.fields[field]?.stored;
  const bad = (expected: string, options?: readonly string[]): never => {
    throw new BadValueError(String(value), expected, stored === 'objectId' ? 'id' : kind, options);
  };
  switch (kind) {
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return bad('a finite decimal number');
      // A decimal 0.1 differs from the double 0.1; the shortest text of the double is the intended value.
      return stored === 'decimal' ? { $numberDecimal: String(value) } : value;
    case 'boolean':
      return typeof value === 'boolean' ? value : bad('true or false');
    case 'date':
      if (!(value instanceof Date) || Number.isNaN(value.getTime()))
        return bad('a day like 2026-03-29 or an instant like 2026-03-29T00:00:00Z');
      return value;
    case 'text':
      if (stored === 'objectId')
        return typeof value === 'string' && isObjectIdText(value)
          ? { $oid: value.toLowerCase() }
          : bad('an id of 24 hexadecimal digits');
      return typeof value === 'string' ? value : bad('a text');
    case 'select': {
      const options = resource.fields[field]?.options;
      if (typeof value !== 'string') return bad('a text', options);
      return options && !options.includes(value) ? bad(`one of ${options.join(', ')}`, options) : value;
    }
  }
}
