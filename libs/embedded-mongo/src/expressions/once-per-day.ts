/**
 * Keys of days, months and years: a `$let` over the parts of a date whose body uses only year, month and day. Such a
 * key is the same for all instants of a local day, so it is computed once per day and not once per document.
 */
import type { Doc, Value } from '../bson/values';
import { BsonDate, Int32 } from '../bson/values';
import { dayMs } from './civil';
import { instantFrom } from './date-arguments';
import type { Expression, Scope } from './scope';
import type { Zone } from './zones';
import { utc, zoneOf } from './zones';

const maxDays = 100_000;

/** Returns the same values as `evaluate`, which computes the whole `$let`; undefined for any other form of `$let`. */
export function oncePerDay(variables: Doc, body: Value, scope: Scope, evaluate: Expression): Expression | undefined {
  const [binding, second] = [...variables];
  if (!binding || second) return undefined;
  const [name, source] = binding;
  const parts = source instanceof Map && source.size === 1 ? source.get('$dateToParts') : undefined;
  if (!(parts instanceof Map) || !isOfDay(body, name)) return undefined;
  if ([...parts.keys()].some((each) => each !== 'date' && each !== 'timezone')) return undefined;
  const timezone = parts.get('timezone');
  if (timezone !== undefined && (typeof timezone !== 'string' || timezone.startsWith('$'))) return undefined;
  const date = scope.compile(parts.get('date') as Value);
  const days = new Map<number, Value>();
  let zone: Zone | undefined;
  return (environment) => {
    const value = date(environment);
    if (!(value instanceof BsonDate)) return evaluate(environment);
    const instant = instantFrom(value);
    // As without this optimisation, an unknown zone is refused only when there is a date.
    zone ??= timezone === undefined ? utc : zoneOf(timezone);
    const day = Math.floor((instant + zone.offsetAt(instant)) / dayMs);
    const known = days.get(day);
    if (known !== undefined) return known;
    const key = evaluate(environment);
    if (days.size >= maxDays) days.clear();
    if (typeof key !== 'object' || key instanceof Int32) if (key !== undefined) days.set(day, key);
    return key;
  };
}

const bindsAgain: ReadonlySet<string> = new Set(['$let', '$map', '$filter', '$reduce']);

/** Whether an expression uses only year, month and day of the variable. */
function isOfDay(body: Value, variable: string): boolean {
  if (typeof body === 'string')
    return !body.startsWith('$') || ['year', 'month', 'day'].some((part) => body === `$$${variable}.${part}`);
  if (Array.isArray(body)) return body.every((each) => isOfDay(each, variable));
  if (!(body instanceof Map)) return true;
  return [...body].every(([name, value]) => !bindsAgain.has(name) && isOfDay(value, variable));
}
