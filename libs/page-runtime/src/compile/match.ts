/**
 * Compiles the conditions of a calculation into one `$match` of plain predicates: an index can serve it and no value
 * can become an operator.
 */
import type { Calculation, Condition } from '../chain';
import { MissingTenantError } from '../chain';
import { CalendarDay } from '../coercions';
import { pathOf, tenantPathOf, type Resource } from '../resource';
import type { FilterOp } from '../vocabulary';
import { startOfDay } from '../zoned-day';
import { conditionValue, type ConditionValue } from './condition-value';

const operators = { eq: '$eq', ne: '$ne', gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const satisfies Record<
  FilterOp,
  string
>;

const dayMs = 86_400_000;

type Comparison = Readonly<Record<string, ConditionValue>>;
type Predicate = Readonly<Record<string, Comparison | { readonly $not: Comparison }>>;
export type Match = Predicate | { readonly $and: readonly Predicate[] } | Readonly<Record<string, never>>;

/**
 * Tenant first, then the conditions in their order; `$and` is used as soon as one field occurs twice, so that no
 * condition replaces another. Throws MissingTenantError, ChainError, BadValueError.
 */
export function compileMatch(resource: Resource, { where, tenantId }: Calculation, zone: string): Match {
  if (resource.tenantScoped && tenantId === undefined) throw new MissingTenantError(resource.name);
  const tenant: readonly Predicate[] = resource.tenantScoped ? [{ [tenantPathOf(resource)]: { $eq: tenantId! } }] : [];
  const conditions = where.map((condition): Predicate => {
    const value = conditionValue(resource, condition);
    return {
      [pathOf(resource, condition.field)]:
        value instanceof CalendarDay ? onDay(condition.op, value.day, zone) : { [operators[condition.op]]: value },
    };
  });
  const predicates = [...tenant, ...conditions];
  const fields = new Set(predicates.map((predicate) => Object.keys(predicate)[0]!));
  // Entries keep a path such as `__proto__`, which an assignment would lose together with its condition.
  return fields.size === predicates.length
    ? Object.fromEntries(predicates.flatMap((predicate) => Object.entries(predicate)))
    : { $and: predicates };
}

/**
 * A day without a time is the whole day in the zone, in every comparison: equal means within it, later means after it.
 * So `eq`, `lt` and `gt` on one day cover every row exactly once.
 */
function onDay(op: Condition['op'], day: string, zone: string): Comparison | { readonly $not: Comparison } {
  const start = (): Date => startOfDay(day, zone);
  const end = (): Date => endOfDay(day, zone);
  switch (op) {
    case 'ge':
      return { $gte: start() };
    case 'lt':
      return { $lt: start() };
    case 'gt':
      return { $gte: end() };
    case 'le':
      return { $lt: end() };
    case 'eq':
      return { $gte: start(), $lt: end() };
    case 'ne':
      return { $not: { $gte: start(), $lt: end() } };
  }
}

/** The first instant after a day. The last day that can be written, in the year 9999, has 24 hours in every zone. */
function endOfDay(day: string, zone: string): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString();
  return next.startsWith('+') ? new Date(startOfDay(day, zone).getTime() + dayMs) : startOfDay(next.slice(0, 10), zone);
}
