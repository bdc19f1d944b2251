/** The routes of a process that serves only the console: reads are served, changes of other records are refused. */
import { problem, type Route } from '@platform/http-server';

const consoles = ['/console/', '/account/', '/api/saas/cases/'];

/**
 * The same addresses and policies; a preview reads too, a session is ended where it is served, and what
 * people write down about a case is the console's own. Any other request is refused with `served_elsewhere` before its
 * body is read.
 */
export function readingOnly(routes: readonly Route[]): Route[] {
  return routes.map((route) =>
    route.method === 'GET' || route.path.endsWith('/preview') || consoles.some((place) => route.path.startsWith(place))
      ? route
      : { ...route, errors: [...route.errors, 'served_elsewhere'], guard: async () => problem('served_elsewhere') },
  );
}
