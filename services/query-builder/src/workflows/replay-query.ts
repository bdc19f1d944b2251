/**
 * Runs a query's chain as its template emits it, in the page runtime and without its source: the steps, coercions and
 * arrangement are those of the route, so the result is what the route must answer.
 */
import type { ChainStep, QueryPreview } from '@platform/builder';
import {
  arrange,
  asBoolean,
  asDate,
  asNumber,
  ChainError,
  Rows,
  type Computed,
  type RequestAccess,
  type Resource,
} from '@platform/page-runtime';
import { compileQuery, type QuerySpec } from '../domain/query';
import { boundArguments, type BoundArgument } from '../domain/source/emit-chain';

/** Request values by name. */
export type Values = ReadonlyMap<string, string>;

/** A package's export that templates use; undefined when no registered package has it. */
export type Exported = (module: string, name: string) => unknown;

/** The caller and the values of the request. */
export interface Asked {
  readonly tenant: string | undefined;
  readonly values: Values;
  readonly exported: Exported | undefined;
}

function fail(message: string): never {
  throw new ChainError(message);
}

/** Throws BadValueError, ChainError, and what `access` throws. */
export async function answerOf(spec: QuerySpec, access: RequestAccess, asked: Asked): Promise<QueryPreview['body']> {
  const { steps, route } = compileQuery(spec);
  const { previousArgs } = route('preview');
  const computed = await run(
    steps,
    spec.resource,
    access,
    boundArguments(steps).map((bound) => bound.binding.$param.name),
    asked,
  );
  if (!spec.response) return spec.template.output === 'scalar' ? { value: computed } : { series: computed };
  const previous =
    previousArgs &&
    (await run(
      steps,
      spec.resource,
      access,
      previousArgs.map(({ name }) => name),
      asked,
    ));
  return {
    ...arrange(computed, {
      response: spec.response,
      measure: spec.template.measureOf(spec.params),
      ...(previous !== undefined && { previous }),
    }),
  };
}

/** Replays the steps on the runtime's own chain. `names` are the request values in the order of the bound arguments. */
async function run(
  steps: readonly ChainStep[],
  resource: Resource,
  access: RequestAccess,
  names: readonly string[],
  asked: Asked,
): Promise<Computed> {
  const { tenant: tenantId } = asked;
  const waiting = [...names];
  let chain: unknown = new Rows(resource, access, resource.tenantScoped && tenantId !== undefined ? { tenantId } : {});
  for (const { method, args } of steps) {
    const call = (chain as Readonly<Record<string, unknown>>)[method];
    if (typeof call !== 'function') throw new ChainError(`the page runtime has no step ${method} here`);
    chain = call.apply(
      chain,
      args.map((argument) => valueOf(argument, waiting, asked)),
    ) as unknown;
  }
  return (await chain) as Computed;
}

function valueOf(argument: ChainStep['args'][number], waiting: string[], { values, exported }: Asked): unknown {
  switch (argument.kind) {
    case 'literal':
      return argument.value;
    case 'date':
      return asDate(argument.text);
    case 'object':
      return argument.entries;
    case 'imported':
      return (
        exported?.(argument.module, argument.name) ??
        fail(`the builder knows no ${argument.name} of the package ${argument.module}`)
      );
    case 'bound':
      return coerce(argument, values.get(waiting.shift()!)!);
  }
}

/** The value of a request as its route passes it to the model. Throws BadValueError. */
function coerce({ valueKind }: Pick<BoundArgument, 'valueKind'>, text: string): unknown {
  switch (valueKind) {
    case 'number':
      return asNumber(text);
    case 'boolean':
      return asBoolean(text);
    case 'date':
      return asDate(text);
    case 'text':
    case 'select':
      return text;
  }
}
