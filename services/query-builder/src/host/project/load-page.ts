/**
 * Runs a compiled page's programs and collects its declarations. Every error is returned with its position in the
 * source; the host then keeps serving the previous version.
 */
import { isEndpoint } from '@platform/base/page';
import {
  ChainError,
  pageOf,
  rehearse,
  routesOf,
  valuesOf,
  zoneOf,
  type PageClass,
  type PageDefinition,
  type Rehearsal,
  type RouteNote,
} from '@platform/page-runtime';
import type { Exchange } from '../../domain/execution';
import { isZone } from '../../domain/zones';
import { sourceProblem, type CompiledPage, type SourceProblem } from './compiled-page';
import { mistakeInBlocks } from './judge-blocks';
import type { PageModules } from './page-modules';
import { placeIn, positionOf } from './source-position';

/** A route as its server sees it, wherever its code runs. */
export interface LoadedRoute {
  readonly note: Pick<RouteNote, 'method' | 'endpoint'>;
  readonly rehearsal: Rehearsal;
  /** The permission that a user needs to call it. */
  readonly permission: string;
}

export interface LoadedPage {
  readonly compiled: CompiledPage;
  readonly definition: PageDefinition;
  readonly routes: readonly LoadedRoute[];
}

/** A page whose code was loaded in this process. */
export interface PageHere extends LoadedPage {
  readonly page: PageClass;
  readonly routes: readonly (LoadedRoute & { readonly note: RouteNote })[];
  /** What other code replaced in the declarations of its files before they were sealed. */
  readonly exchanged: readonly Exchange[];
}

export type Loading<Page = PageHere> =
  { readonly kind: 'loaded'; readonly loaded: Page } | { readonly kind: 'failed'; readonly problem: SourceProblem };

/** An error of the page with its position, found by the host and not thrown by the page's code. */
class PageMistake extends Error {
  constructor(
    message: string,
    readonly at: Error | undefined,
  ) {
    super(message);
  }
}

const rehearsalTimeMs = 10_000;
/** Headers that prove the caller's identity: with them, page code could act as the caller elsewhere. */
const unreadHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
/** An HTTP token in lower case; no request has a header with another name. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Runs the page's programs once. Never throws for errors in the page. */
export async function loadPage(compiled: CompiledPage, modules: PageModules): Promise<Loading> {
  try {
    const page = pageClassOf(modules.load(compiled));
    const exchanged = modules.exchanged(compiled);
    modules.seal(compiled);
    const definition = pageOf(page)!;
    if (
      typeof definition.title !== 'string' ||
      typeof definition.permission !== 'string' ||
      definition.permission === ''
    )
      throw new PageMistake('a page needs a title and a permission', undefined);
    const routes = await Promise.all(routesOf(page).map((note) => loadRoute(page, note)));
    const mistake = mistakeInBlocks(definition, routes, compiled.pageRef);
    if (mistake !== undefined) throw new PageMistake(mistake, undefined);
    return { kind: 'loaded', loaded: { compiled, page, definition, routes, exchanged } };
  } catch (error) {
    const stack = (error instanceof PageMistake ? error.at : error instanceof Error ? error : undefined)?.stack;
    const { file, line } = positionOf(compiled, modules.codeFolder, placeIn(compiled, stack));
    return {
      kind: 'failed',
      problem: sourceProblem(compiled.pageRef, file, line, error instanceof Error ? error.message : String(error)),
    };
  }
}

function pageClassOf(exported: Readonly<Record<string, unknown>>): PageClass {
  const classes = [...new Set(Object.values(exported))].filter(
    (value): value is PageClass => typeof value === 'function' && pageOf(value as unknown as PageClass) !== undefined,
  );
  if (classes.length !== 1)
    throw new PageMistake(
      classes.length === 0 ? 'the file exports no class with @Page' : 'the file exports more than one class with @Page',
      undefined,
    );
  return classes[0]!;
}

async function loadRoute(page: PageClass, note: RouteNote): Promise<PageHere['routes'][number]> {
  const failRoute = (message: string): never => {
    throw new PageMistake(`${note.method}: ${message}`, note.declaredAt);
  };
  if (!isEndpoint(note.endpoint)) failRoute('the endpoint is not a path such as /stats/revenue or /stats/:status');
  const permission = guardOf(note) ?? failRoute('the route is not guarded by one @PagePermission of a page');
  const declared = note.endpoint
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1));
  const values = valuesOf(note);
  const secret = values.find(({ source, name }) => source === 'header' && unreadHeaders.has(name));
  if (secret) failRoute(`the header ${secret.name} is the platform's and is not given to pages`);
  const unknown = values.find(({ source, name }) => source === 'header' && !headerName.test(name));
  if (unknown) failRoute(`${JSON.stringify(unknown.name)} is no name of a header`);
  const missing = values.find(({ source, name }) => source === 'param' && !declared.includes(name));
  if (missing) failRoute(`the endpoint has no :${missing.name}`);
  const names = values.map(({ name }) => name);
  if (new Set(names).size !== names.length) failRoute('a value of the request is read twice');
  const rehearsal = await rehearseInTime(page, note).catch((error: unknown) =>
    error instanceof ChainError ? failRoute(error.message) : Promise.reject(error as Error),
  );
  const zone = rehearsal.calculations.map(({ calculation }) => zoneOf(calculation)).find((each) => !isZone(each));
  if (zone !== undefined) failRoute(`${JSON.stringify(zone)} is no time zone that the platform knows`);
  return { note, rehearsal, permission };
}

function guardOf({ parameters }: RouteNote): string | undefined {
  const guards = parameters.flatMap((note) => (note.source === 'permission' ? [note] : []));
  return guards.length === 1 ? pageOf(guards[0]!.page())?.permission : undefined;
}

/** Hand-written code may wait forever: a route that does not answer in time fails the load of its page. */
async function rehearseInTime(page: PageClass, note: RouteNote): Promise<Rehearsal> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Rehearsal>((_fulfil, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new PageMistake(
            `${note.method}: the route did not answer its rehearsal within ${rehearsalTimeMs} ms`,
            note.declaredAt,
          ),
        ),
      rehearsalTimeMs,
    );
  });
  try {
    return await Promise.race([rehearse(page, note), late]);
  } finally {
    clearTimeout(timer);
  }
}
