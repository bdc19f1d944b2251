/**
 * The decorators of page classes. They only record declarations; the page host reads them when it mounts a page. The
 * guard is a parameter decorator, so that it belongs to one route and to no other route of the class.
 */
import type { RowAccess } from './chain';
import type { Resource } from './resource';

export interface Block {
  readonly kind: string;
  readonly title: string;
  /** The source of the block's figures: the route of a query. */
  readonly fetchUrl?: string;
  /** The good direction of the figure. Absent: a change is neither good nor bad. */
  readonly better?: 'up' | 'down';
  /** The unit of the figures: a currency by its ISO 4217 code (`EUR`), or a text after them (`%`, `kg`). */
  readonly unit?: string;
  /** Decimal places of a figure, 0 to 6. Absent: at most two, or those of its currency. */
  readonly decimals?: number;
  /** Fields by which readers may break the figures down, such as `status`. Absent: none. */
  readonly breakdown?: readonly string[];
  /** Fields of the rows that readers may see behind a figure or a point. Absent: rows are not shown. */
  readonly rows?: readonly string[];
  /** Takes the whole width of the page. */
  readonly wide?: boolean;
}

export interface PageDefinition {
  readonly title: string;
  /** The permission that a user needs to open the page; its routes require the same. */
  readonly permission: string;
  readonly blocks?: readonly Block[];
}

/** The user, passed to the guarded parameter after the page's permission was checked. */
export interface PageUser {
  readonly id: string;
  readonly tenantId?: string;
  readonly permissions: readonly string[];
}

/** The part of the request with a value; only hand-written routes read a header. */
export type ValueSource = 'query' | 'param' | 'header';

export type PageClass = abstract new (...parameters: never[]) => object;
/** A model over any resource. Models differ in what they may compare, so the type requires only the resource. */
export type ModelClass = new (access: RowAccess) => { readonly resource: Resource };

export type ParameterNote =
  | { readonly index: number; readonly source: ValueSource; readonly name: string }
  | { readonly index: number; readonly source: 'permission'; readonly page: () => PageClass }
  | { readonly index: number; readonly source: 'model'; readonly model: ModelClass };

export interface RouteNote {
  readonly method: string;
  readonly endpoint: string;
  /** By position, ascending. */
  readonly parameters: readonly ParameterNote[];
  /**
   * Created where the route is declared: its stack contains file and line. Reading the stack is expensive, so it is
   * done only when needed.
   */
  readonly declaredAt: Error;
}

const pages = new WeakMap<object, PageDefinition>();
const endpoints = new WeakMap<object, Map<string, { readonly endpoint: string; readonly declaredAt: Error }>>();
const parameters = new WeakMap<object, Map<string, ParameterNote[]>>();

/** Marks the page class of a file. */
export function Page(definition: PageDefinition) {
  return (target: PageClass): void => {
    pages.set(target, Object.freeze({ ...definition }));
  };
}

/** Serves the method's answer at the endpoint, relative to the page. */
export function Get(endpoint: string) {
  const declaredAt = new Error('declared here');
  return (target: object, method: string): void => {
    entry(endpoints, target, () => new Map<string, { endpoint: string; declaredAt: Error }>()).set(method, {
      endpoint,
      declaredAt,
    });
  };
}

/** One value of the query string, as text. */
export const Query = (name: string) => note((index) => ({ index, source: 'query', name }));
/** One segment of the path, as text. */
export const Param = (name: string) => note((index) => ({ index, source: 'param', name }));
/**
 * One header of the request, as text; the case of its name does not matter. Only for hand-written routes: the builder
 * emits none.
 */
export const Header = (name: string) => note((index) => ({ index, source: 'header', name: name.toLowerCase() }));
/** A model over the rows that the caller may see. */
export const Model = (model: ModelClass) => note((index) => ({ index, source: 'model', model }));

/**
 * Guards this route with the permission of a page. Takes the class or, because some compilers have not bound the class
 * yet while its members are decorated, a function that returns it.
 */
export const PagePermission = (page: PageClass | (() => PageClass)) =>
  note((index) => ({ index, source: 'permission', page: () => resolvePage(page) }));

function resolvePage(page: PageClass | (() => PageClass)): PageClass {
  return 'prototype' in page && page.prototype !== undefined ? (page as PageClass) : (page as () => PageClass)();
}

function note(create: (index: number) => ParameterNote) {
  return (target: object, method: string | undefined, index: number): void => {
    if (method === undefined) throw new TypeError('parameters of a constructor are not read from requests');
    const byMethod = entry(parameters, target, () => new Map<string, ParameterNote[]>());
    const notes = byMethod.get(method) ?? [];
    byMethod.set(
      method,
      [...notes, create(index)].sort((a, b) => a.index - b.index),
    );
  };
}

function entry<Value>(notes: WeakMap<object, Value>, target: object, create: () => Value): Value {
  const known = notes.get(target);
  if (known !== undefined) return known;
  const created = create();
  notes.set(target, created);
  return created;
}

/** The definition in `@Page`; undefined for a class that is not a page. */
export function pageOf(target: PageClass): PageDefinition | undefined {
  return pages.get(target);
}

/** The routes of a page class in the order of their declaration. */
export function routesOf(target: PageClass): RouteNote[] {
  const prototype = target.prototype as object;
  return [...(endpoints.get(prototype) ?? [])].map(([method, { endpoint, declaredAt }]) => ({
    method,
    endpoint,
    declaredAt,
    parameters: parameters.get(prototype)?.get(method) ?? [],
  }));
}

type ValueNote = Extract<ParameterNote, { readonly source: ValueSource }>;

/** The parameters of a route that are values of the request, by position. */
export function valuesOf({ parameters }: Pick<RouteNote, 'parameters'>): ValueNote[] {
  return parameters.flatMap((each) => (each.source === 'permission' || each.source === 'model' ? [] : [each]));
}
