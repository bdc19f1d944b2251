/**
 * The pages that a worker serves: all of them by name, each loaded when it is first requested. A change replaces only
 * what was edited; running requests keep the version with which they began.
 */
import { pageRoutePrefix } from '@platform/base/page';
import type { SourceProblem } from '../project/compiled-page';
import type { PageCode } from '../page-code/page-code';
import type { LoadedPage, LoadedRoute } from '../project/load-page';
import type { PageChanges, ServedPage } from '../project/page-catalog';
import { joinTenantTables, type TenantTables } from '../project/tenant-tables';

export type Found =
  | { readonly kind: 'page'; readonly page: LoadedPage }
  | {
      readonly kind: 'route';
      readonly page: LoadedPage;
      readonly route: LoadedRoute;
      readonly params: Readonly<Record<string, string>>;
    }
  /** A page has this address, or may have it, and no version of it loads. */
  | { readonly kind: 'unloaded'; readonly exact: boolean };

export interface PageShelf {
  /** Every page by title and permission, without loading one. */
  list(): readonly ServedPage[];
  /** The page or route at a path in its original spelling; undefined when there is none. */
  find(path: string): Promise<Found | undefined>;
  /** The tables that any page declares as belonging to tenants; the declaration applies to every page. */
  tenantTables(): TenantTables;
  change(changes: PageChanges): void;
}

interface Entry {
  readonly served: ServedPage;
  loading?: Promise<LoadedPage | undefined>;
}

export function createPageShelf(
  { pages, unloaded: broken }: { readonly pages: readonly ServedPage[]; readonly unloaded: readonly string[] },
  code: PageCode,
  report: (problem: SourceProblem) => void,
): PageShelf {
  const entries = new Map(pages.map((served): [string, Entry] => [served.compiled.pageRef, { served }]));
  let unloaded = new Set(broken);
  let tenantTables = tablesOf(entries.values());
  const attempt = async (entry: Entry): Promise<LoadedPage | undefined> => {
    let page: LoadedPage | undefined;
    try {
      const loading = await code.load(entry.served.compiled);
      if (loading.kind === 'loaded') page = loading.loaded;
      else report(loading.problem);
      return page;
    } finally {
      // The page loaded in its trial; what is missing now may exist at the next request.
      if (!page) delete entry.loading;
    }
  };
  const load = (entry: Entry): Promise<LoadedPage | undefined> => (entry.loading ??= attempt(entry));

  return {
    list: () => [...entries.values()].map(({ served }) => served).sort((a, b) => (refOf(a) < refOf(b) ? -1 : 1)),
    async find(path) {
      const address = path.slice(pageRoutePrefix.length);
      const prefixes = prefixesOf(address);
      const matches: Extract<Found, { kind: 'route' }>[] = [];
      for (const pageRef of prefixes) {
        const entry = entries.get(pageRef);
        if (!entry) continue;
        const page = await load(entry);
        // The page's programs may be gone, because a newer version has replaced it meanwhile.
        if (!page && entries.get(pageRef) !== entry) return this.find(path);
        if (!page) return { kind: 'unloaded', exact: pageRef === address };
        if (pageRef === address) return { kind: 'page', page };
        matches.push(...routesAt(page, address.slice(pageRef.length)));
      }
      const [best] = matches.sort((a, b) => (patternOf(a) < patternOf(b) ? 1 : -1));
      const failed = prefixes.find((pageRef) => unloaded.has(pageRef));
      return best ?? (failed === undefined ? undefined : { kind: 'unloaded', exact: failed === address });
    },
    tenantTables: () => tenantTables,
    change({ set, gone, unloaded: now }) {
      for (const pageRef of gone) entries.delete(pageRef);
      for (const served of set) entries.set(refOf(served), { served });
      unloaded = new Set(now);
      tenantTables = tablesOf(entries.values());
      code.retain(
        [...entries.values()].filter((entry) => entry.loading !== undefined).map(({ served }) => served.compiled),
      );
    },
  };
}

function tablesOf(entries: Iterable<Entry>): TenantTables {
  return joinTenantTables([...entries].flatMap(({ served }) => served.tenantTables));
}

function refOf({ compiled }: ServedPage): string {
  return compiled.pageRef;
}

/** `/a`, `/a/b` and `/a/b/c` of `/a/b/c`, the longest first. */
function prefixesOf(address: string): string[] {
  const parts = address.split('/').slice(1);
  return parts.map((_part, at) => `/${parts.slice(0, parts.length - at).join('/')}`);
}

function routesAt(page: LoadedPage, rest: string): Extract<Found, { kind: 'route' }>[] {
  const parts = rest.split('/');
  return page.routes.flatMap((route) => {
    const params = paramsOf(route.note.endpoint.split('/'), parts);
    return params ? [{ kind: 'route', page, route, params } as const] : [];
  });
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const part = parts[at]!;
    if (!segment.startsWith(':')) {
      if (segment !== part) return undefined;
      continue;
    }
    const value = decoded(part);
    if (value === undefined || value === '') return undefined;
    params[segment.slice(1)] = value;
  }
  return params;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/**
 * Of two matching routes, the one with literal earlier segments takes precedence over one with parameters; its text is
 * the greater.
 */
function patternOf({ page, route }: Extract<Found, { kind: 'route' }>): string {
  return `${page.compiled.pageRef}${route.note.endpoint}`
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '0' : '1'))
    .join('');
}
