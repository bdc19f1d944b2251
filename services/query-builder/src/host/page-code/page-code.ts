/**
 * The serving process's interface to the code of pages, which runs in another process, or in this one for tests and
 * tools.
 */
import { callRoute, withTruncation, type PageUser, type RequestAccess } from '@platform/page-runtime';
import type { CompiledPage } from '../project/compiled-page';
import { loadPage, type LoadedPage, type Loading, type PageHere } from '../project/load-page';
import type { PageModules } from '../project/page-modules';

export interface RouteRun {
  /** The values of the request, by the names that the route declares. */
  readonly texts: Readonly<Record<string, string>>;
  readonly user: PageUser;
  /** Reads rows for this one request. The serving process decides their tenant, never page code. */
  readonly access: RequestAccess;
}

export interface PageCode {
  /** The declarations of a page. Errors of the page are returned, never thrown. */
  load(compiled: CompiledPage): Promise<Loading<LoadedPage>>;
  /**
   * Returns the answer of the route's method; lists that were cut are marked. Throws what `access` throws,
   * BadValueError, and PageCodeError for what the code throws.
   */
  call(page: LoadedPage, method: string, run: RouteRun): Promise<unknown>;
  /** Discards every other version of the pages. */
  retain(pages: readonly CompiledPage[]): void;
}

/** An error that page code threw, or the way in which it ended its process. */
export class PageCodeError extends Error {
  override name = 'PageCodeError';
}

/** Page code within this process. */
export function pageCodeHere(modules: PageModules): PageCode {
  return {
    load: (compiled) => loadPage(compiled, modules),
    async call(page, method, { texts, user, access }) {
      const { page: pageClass, routes } = page as PageHere;
      const { note } = routes.find((route) => route.note.method === method)!;
      const result = await callRoute(pageClass, note, { value: (name) => texts[name]!, access, user });
      return withTruncation(result ?? null);
    },
    retain: (pages) => modules.retain(pages),
  };
}
