/** The routes of a process that serves only the console: reads are served, changes of other records are refused. */
import { problem, type Route } from '@platform/http-server';

const consoles = ['/console/', '/api/saas/cases/'];

/**
 * Keeps the addresses and policies. A preview only reads, the console ends its own sessions, and people's work on a
 * case is the console's own record, so these are served. Any other request is refused with `served_elsewhere` before
 * its body is read.
 */
export function readingOnly(routes: readonly Route[]): Route[] {
  return routes.map((route) =>
    route.method === 'GET' || route.path.endsWith('/preview') || consoles.some((place) => route.path.startsWith(place))
      ? route
      : { ...route, errors: [...route.errors, 'served_elsewhere'], guard: async () => problem('served_elsewhere') },
  );
}
