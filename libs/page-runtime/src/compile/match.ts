/** The rows of a calculation as one `$match` of plain predicates: an index can serve it and no value can become an operator. */
import type { Calculation } from '../chain';
import { MissingTenantError } from '../chain';
import { tenantField, type Resource } from '../resource';
import type { FilterOp } from '../vocabulary';
import { conditionValue } from './condition-value';

const operators = { eq: '$eq', ne: '$ne', gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const satisfies Record<
  FilterOp,
  string
>;

type Value = string | number | boolean | Date;
type Predicate = Readonly<Record<string, Readonly<Record<string, Value>>>>;
export type Match = Predicate | { readonly $and: readonly Predicate[] } | Readonly<Record<string, never>>;

/**
 * Tenant first, then the conditions in their order; `$and` as soon as one field stands twice, so that no condition
 * replaces another. Throws MissingTenantError, ChainError, BadValueError.
 */
export function compileMatch(resource: Resource, { where, tenantId }: Calculation, zone: string): Match {
  if (resource.tenantScoped && tenantId === undefined) throw new MissingTenantError(resource.name);
  const tenant: readonly (readonly [string, string, Value])[] = resource.tenantScoped
    ? [[tenantField, '$eq', tenantId!]]
    : [];
  const conditions = where.map(
    (condition) => [condition.field, operators[condition.op], conditionValue(resource, condition, zone)] as const,
  );
  const predicates = [...tenant, ...conditions].map(([field, operator, value]): Predicate => ({
    [field]: { [operator]: value },
  }));
  const fields = new Set(predicates.map((predicate) => Object.keys(predicate)[0]!));
  return fields.size === predicates.length ? Object.assign({}, ...predicates) : { $and: predicates };
}
