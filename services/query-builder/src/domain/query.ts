/**
 * A query as parameters, and its two compiled forms: the steps of the model method and the form of the route. Reading
 * and writing share this file, so that what was read can be compiled again and compared (the certificate).
 */
import type { AddQueryInput, ChainStep, Issue, Params, QueryFilter, QueryTemplate } from '@platform/builder';
import { endpointParams, isEndpoint } from '@platform/base/page';
import { kindOf, responseShapes, type Resource, type ResponseShape } from '@platform/page-runtime';
import { kebabCase, nameIssue } from './names';
import { escapePointer } from './plain-input';
import { boundArguments, type BoundArgument } from './source/emit-chain';
import type { Coercion, RouteArgument, RouteForm } from './source/route-form';
import { isBinding, isRecord } from './templates/where';

/** A valid query in its complete form. */
export interface QuerySpec {
  readonly name: string;
  readonly resource: Resource;
  readonly template: QueryTemplate;
  readonly params: Params;
  readonly endpoint: string;
  /** Absent: the answer is the calculation's own. */
  readonly response?: ResponseShape;
  readonly compare: boolean;
}

export interface CompiledQuery {
  readonly steps: readonly ChainStep[];
  /** The model method's name is filled in when it is known. */
  route(modelMethod: string): RouteForm;
}

export function defaultEndpoint(name: string): string {
  return `/stats/${kebabCase(name)}`;
}

/** The issues of a query that can be found without a template or a resource; the params are plain data already. */
export function inputIssues(
  input: AddQueryInput,
  template: QueryTemplate | undefined,
  resource: Resource | undefined,
): Issue[] {
  const issues: Issue[] = [];
  const params = input.params ?? {};
  const named = nameIssue(input.name);
  if (named) issues.push({ pointer: '/name', message: named });
  if (template)
    issues.push(
      ...Object.keys(params)
        .filter((key) => !Object.hasOwn(template.params, key))
        .map((key) => ({ pointer: `/params/${escapePointer(key)}`, message: 'is not declared by the template' })),
    );
  if (template && resource)
    issues.push(
      ...template.validate(params, resource).map(({ pointer, message }) => ({ pointer: `/params${pointer}`, message })),
    );
  issues.push(...endpointIssues(input, params), ...responseIssues(input, template));
  return issues;
}

function endpointIssues({ name, endpoint: given }: AddQueryInput, params: Params): Issue[] {
  const endpoint = given ?? (nameIssue(name) === undefined ? defaultEndpoint(name) : '/');
  if (given !== undefined && !isEndpoint(given))
    return [
      {
        pointer: '/endpoint',
        message: 'must be a path such as /stats/revenue or /stats/:status, without dot segments',
      },
    ];
  const declared = endpointParams(endpoint);
  const filters = Array.isArray(params['where']) ? (params['where'] as unknown[]) : [];
  const bound = filters.flatMap((filter, index) =>
    isRecord(filter) && isBinding(filter['value'])
      ? [{ ...filter['value'].$param, pointer: `/params/where/${index}/value/$param` }]
      : [],
  );
  return bound
    .filter((binding) => binding.in === 'param' && !declared.includes(binding.name))
    .map(({ pointer }) => ({ pointer, message: 'is read from the path, but the endpoint has no such :name' }));
}

function responseIssues({ response, compare }: AddQueryInput, template: QueryTemplate | undefined): Issue[] {
  const issues: Issue[] = [];
  if (response !== undefined && !responseShapes.some((each) => each === response))
    issues.push({ pointer: '/response', message: `must be one of ${responseShapes.join(', ')}` });
  else if (response !== undefined && template?.output === 'scalar' && response !== 'value')
    issues.push({ pointer: '/response', message: 'one number can only be answered as value' });
  if (compare !== undefined && typeof compare !== 'boolean')
    issues.push({ pointer: '/compare', message: 'must be true or false' });
  if (compare === true && response === 'items')
    issues.push({ pointer: '/compare', message: 'a ranked list has no place for a preceding period' });
  return issues;
}

/** The complete form of a query without issues. */
export function completeQuery(input: AddQueryInput, template: QueryTemplate, resource: Resource): QuerySpec {
  const params = template.complete(input.params ?? {});
  const { name, endpoint = defaultEndpoint(name), response } = input;
  const plain = template.output === 'scalar' ? 'value' : 'series';
  const compare = input.compare === true && comparedBounds(params, resource) !== undefined;
  // An arrangement that equals the calculation's own answer is left out, so that it reads back as it was written.
  const arranged = compare ? (response ?? plain) : response === plain && plain === 'series' ? undefined : response;
  return { name, resource, template, params, endpoint, ...(arranged && { response: arranged }), compare };
}

/** Notices for valid requests that a complete query cannot carry out (specification §2). */
export function noticesOf(
  wanted: Pick<AddQueryInput, 'compare'>,
  { compare }: QuerySpec,
): { readonly notices?: readonly Issue[] } {
  if (wanted.compare !== true || compare) return {};
  const message =
    'has no effect: a preceding period is compared where one date field has exactly one lower and one upper bound, both values of the request';
  return { notices: [{ pointer: '/compare', message }] };
}

/** Compiles a complete query. */
export function compileQuery({ resource, template, params, endpoint, response, compare }: QuerySpec): CompiledQuery {
  const steps = template.emit(params, resource);
  const args = boundArguments(steps).map(routeArgument);
  const bounds = compare ? comparedBounds(params, resource) : undefined;
  const previousArgs = bounds && previousOf(args, bounds);
  const answer = response
    ? ({ kind: 'arranged', response, measure: template.measureOf(params) } as const)
    : ({ kind: 'plain', output: template.output } as const);
  return {
    steps,
    route: (modelMethod) => ({ endpoint, modelMethod, args, ...(previousArgs && { previousArgs }), answer }),
  };
}

function routeArgument({ binding, valueKind }: BoundArgument): RouteArgument {
  const coercion = (
    { number: 'asNumber', boolean: 'asBoolean', date: 'asDate', text: undefined, select: undefined } as const
  )[valueKind] satisfies Coercion | undefined;
  return { name: binding.$param.name, in: binding.$param.in ?? 'query', ...(coercion && { coercion }) };
}

interface Bounds {
  /** The position among the bound filters. */
  readonly lower: number;
  readonly upper: number;
}

/** The period to compare: exactly one lower and one upper bound on one date field, both from the request. */
function comparedBounds(params: Params, resource: Resource): Bounds | undefined {
  const where = (params['where'] ?? []) as readonly QueryFilter[];
  const dated = where.filter(({ field, op }) => kindOf(resource, field) === 'date' && op !== 'eq' && op !== 'ne');
  const [lower, ...lowers] = dated.filter(({ op }) => op === 'gt' || op === 'ge');
  const [upper, ...uppers] = dated.filter(({ op }) => op === 'lt' || op === 'le');
  if (!lower || !upper || lowers.length + uppers.length > 0 || lower.field !== upper.field) return undefined;
  const bound = where.filter(({ value }) => isBinding(value));
  return bound.includes(lower) && bound.includes(upper)
    ? { lower: bound.indexOf(lower), upper: bound.indexOf(upper) }
    : undefined;
}

function previousOf(args: readonly RouteArgument[], { lower, upper }: Bounds): RouteArgument[] {
  const replaced = (name: string): RouteArgument => ({ name, in: 'query', coercion: 'asDate' });
  return args.map((argument, index) =>
    index === lower ? replaced('compareFrom') : index === upper ? replaced('compareTo') : argument,
  );
}
