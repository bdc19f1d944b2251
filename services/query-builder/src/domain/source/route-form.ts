/** A page route as data, between its source and its query. `emit-route.ts` writes it and `read-route.ts` reads it. */
import type { QueryOutputKind } from '@platform/builder';
import type { MeasureOp, ResponseShape } from '@platform/page-runtime';

export type Coercion = 'asNumber' | 'asBoolean' | 'asDate';

/** A request value that is passed to the model method. */
export interface RouteArgument {
  readonly name: string;
  readonly in: 'query' | 'param';
  /** Absent: the text is passed unchanged. */
  readonly coercion?: Coercion;
}

export interface RouteForm {
  readonly endpoint: string;
  readonly modelMethod: string;
  readonly args: readonly RouteArgument[];
  /** The arguments of the second call, for the preceding period. */
  readonly previousArgs?: readonly RouteArgument[];
  readonly answer:
    | { readonly kind: 'plain'; readonly output: QueryOutputKind }
    | { readonly kind: 'arranged'; readonly response: ResponseShape; readonly measure: MeasureOp };
}

/** The property of a plain answer, by its kind. */
export const propertyOf = { scalar: 'value', series: 'series' } as const satisfies Record<QueryOutputKind, string>;

/** The distinct request values of a route, in order of first use. */
export function routeValues({ args, previousArgs = [] }: RouteForm): RouteArgument[] {
  return [...new Map([...args, ...previousArgs].map((argument) => [argument.name, argument])).values()];
}
