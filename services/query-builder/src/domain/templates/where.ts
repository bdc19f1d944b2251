/**
 * Filters, the part that every template shares. Each filter is emitted as one `.where(field, op, value)`, in their
 * order.
 */
import type { ChainStep, Issue, QueryFilter, QueryParamBinding, StepArgument } from '@platform/builder';
import { keptNumbers, lostNumberIn } from '@platform/kernel';
import {
  filterOps,
  isDateText,
  isObjectIdText,
  kindOf,
  type FilterOp,
  type Resource,
  type ValueKind,
} from '@platform/page-runtime';
import { identifierFrom, nameIssue, upperFirst } from '../names';

export const maxFilters = 50;

const orderingOps: ReadonlySet<FilterOp> = new Set(['gt', 'ge', 'lt', 'le']);
const prefixes: Readonly<Record<FilterOp, string>> = {
  eq: '',
  ne: 'not',
  gt: 'above',
  ge: 'min',
  lt: 'below',
  le: 'max',
};
type Comparable = Exclude<ValueKind, 'opaque'>;

/** The operators that a filter may use on a kind of field; none for fields that cannot be compared. */
export function opsFor(kind: ValueKind): readonly FilterOp[] {
  if (kind === 'opaque') return [];
  return filterOps.filter((op) => !((kind === 'boolean' || kind === 'select') && orderingOps.has(op)));
}

/** Every issue of a template's `where`; `value` is plain data. */
export function whereIssues(value: unknown, resource: Resource, pointer = '/where'): Issue[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [{ pointer, message: 'must be a list of filters' }];
  if (value.length > maxFilters) return [{ pointer, message: `must hold at most ${maxFilters} filters` }];
  const issues = value.flatMap((filter: unknown, index) => filterIssues(filter, resource, `${pointer}/${index}`));
  return issues.length > 0 ? issues : bindingConflicts(value as QueryFilter[], resource, pointer);
}

function filterIssues(filter: unknown, resource: Resource, at: string): Issue[] {
  if (!isRecord(filter)) return [{ pointer: at, message: 'must be a filter with field, op and value' }];
  const issues: Issue[] = Object.keys(filter)
    .filter((key) => !['field', 'op', 'value'].includes(key))
    .map((key) => ({ pointer: `${at}/${key}`, message: 'is not a part of a filter' }));
  const { field, op, value } = filter;
  const kind = typeof field === 'string' ? kindOf(resource, field) : undefined;
  if (kind === undefined) issues.push({ pointer: `${at}/field`, message: 'must be a field of the resource' });
  else if (kind === 'opaque') issues.push({ pointer: `${at}/field`, message: 'is a field that cannot be compared' });
  const known = filterOps.find((each) => each === op);
  if (!known) issues.push({ pointer: `${at}/op`, message: `must be one of ${filterOps.join(', ')}` });
  else if (kind !== undefined && kind !== 'opaque' && !opsFor(kind).includes(known))
    issues.push({ pointer: `${at}/op`, message: `cannot order a ${kind} field` });
  if (value === undefined) issues.push({ pointer: `${at}/value`, message: 'is required' });
  else if (isRecord(value) || Array.isArray(value)) issues.push(...bindingIssues(value, `${at}/value`));
  else if (kind !== undefined && kind !== 'opaque')
    issues.push(
      ...literalIssues(value, kind, optionsOf(resource, String(field)), `${at}/value`),
      ...storedIssues(value, resource, String(field), `${at}/value`),
    );
  return issues;
}

function bindingIssues(value: unknown, at: string): Issue[] {
  const { $param: param, ...others } = isRecord(value) ? value : {};
  if (!isRecord(param) || Object.keys(others).length > 0)
    return [{ pointer: at, message: 'must be a plain value or {"$param": {"name", "in"}}' }];
  const issues: Issue[] = Object.keys(param)
    .filter((key) => key !== 'name' && key !== 'in')
    .map((key) => ({ pointer: `${at}/$param/${key}`, message: 'is not a part of a binding' }));
  const named = nameIssue(param['name']);
  if (named) issues.push({ pointer: `${at}/$param/name`, message: named });
  if (param['in'] !== undefined && param['in'] !== 'query' && param['in'] !== 'param')
    issues.push({ pointer: `${at}/$param/in`, message: 'must be query or param' });
  return issues;
}

function storedIssues(value: unknown, resource: Resource, field: string, pointer: string): Issue[] {
  const wrong = resource.fields[field]?.stored === 'objectId' && typeof value === 'string' && !isObjectIdText(value);
  return wrong ? [{ pointer, message: 'must be an id of 24 hexadecimal digits' }] : [];
}

function literalIssues(
  value: unknown,
  kind: Comparable,
  options: readonly string[] | undefined,
  pointer: string,
): Issue[] {
  const wrong = (message: string): Issue[] => [{ pointer, message }];
  switch (kind) {
    case 'number':
      return typeof value === 'number' ? [] : wrong(`must be ${numberFault(value)}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('must be true or false');
    case 'date':
      return isDateText(value) ? [] : wrong('must be a day like 2026-03-29 or an instant like 2026-03-29T00:00:00Z');
    case 'text':
      return typeof value === 'string' ? [] : wrong('must be text');
    case 'select':
      if (typeof value !== 'string') return wrong('must be text');
      return options && !options.includes(value) ? wrong('must be one of the options of the field') : [];
  }
}

/** What a number filter wants instead of a value that is no number: a text with too many digits has a message of its own. */
function numberFault(value: unknown): string {
  return typeof value !== 'string' || lostNumberIn(value) === undefined
    ? 'a number'
    : `a number that keeps its digits: ${keptNumbers}`;
}

/** Two filters may bind one name only when they agree on type and source (specification §2). */
function bindingConflicts(filters: readonly QueryFilter[], resource: Resource, pointer: string): Issue[] {
  const seen = new Map<string, string>();
  return filters.flatMap(({ field, value }, index) => {
    if (!isBinding(value)) return [];
    const use = `${kindOf(resource, field)} ${value.$param.in ?? 'query'}`;
    const earlier = seen.get(value.$param.name);
    seen.set(value.$param.name, earlier ?? use);
    return earlier === undefined || earlier === use
      ? []
      : [
          {
            pointer: `${pointer}/${index}/value/$param`,
            message: 'binds a name that another filter binds with another type or source',
          },
        ];
  });
}

/** Filters in their complete form: `in` is always present. Without filters, the key is absent. */
export function completeWhere(value: unknown): { readonly where?: readonly QueryFilter[] } {
  const filters = (value ?? []) as readonly QueryFilter[];
  if (filters.length === 0) return {};
  return {
    where: filters.map(({ field, op, value: operand }) => ({
      field,
      op,
      value: isBinding(operand) ? { $param: { name: operand.$param.name, in: operand.$param.in ?? 'query' } } : operand,
    })),
  };
}

export function emitWhere(filters: readonly QueryFilter[] | undefined, resource: Resource): ChainStep[] {
  return (filters ?? []).map(({ field, op, value }) => ({
    method: 'where',
    args: [{ kind: 'literal', value: field }, { kind: 'literal', value: op }, emitOperand(value, field, op, resource)],
  }));
}

function emitOperand(value: QueryFilter['value'], field: string, op: FilterOp, resource: Resource): StepArgument {
  const kind = kindOf(resource, field) as Comparable;
  if (isBinding(value))
    return {
      kind: 'bound',
      binding: value,
      valueKind: kind,
      suggestedName: identifierFrom(prefixes[op] === '' ? field : `${prefixes[op]}${upperFirst(field)}`),
    };
  return kind === 'date' ? { kind: 'date', text: value as string } : { kind: 'literal', value };
}

/** The leading `.where(…)` steps as filters, and the steps after them; undefined when one of them is no filter. */
export function readWhere(
  steps: readonly ChainStep[],
): { readonly where: readonly QueryFilter[]; readonly rest: readonly ChainStep[] } | undefined {
  const first = steps.findIndex(({ method }) => method !== 'where');
  const filters: QueryFilter[] = [];
  for (const { args } of steps.slice(0, first === -1 ? steps.length : first)) {
    const [field, op, operand] = args;
    if (
      args.length !== 3 ||
      field?.kind !== 'literal' ||
      op?.kind !== 'literal' ||
      operand === undefined ||
      operand.kind === 'object' ||
      operand.kind === 'imported'
    )
      return undefined;
    const value = operand.kind === 'bound' ? operand.binding : operand.kind === 'date' ? operand.text : operand.value;
    filters.push({ field: field.value as string, op: op.value as FilterOp, value });
  }
  return { where: filters, rest: first === -1 ? [] : steps.slice(first) };
}

export function isBinding(value: unknown): value is QueryParamBinding {
  return isRecord(value) && isRecord(value['$param']);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function optionsOf(resource: Resource, field: string): readonly string[] | undefined {
  return Object.hasOwn(resource.fields, field) ? resource.fields[field]?.options : undefined;
}
