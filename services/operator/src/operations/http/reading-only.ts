/** The routes of a process that serves the console alone: whatever reads is served, whatever would change something is not. */
import { problem, type Route } from '@platform/http-server';

/** The same addresses and policies; a preview reads too, and a session of the console is ended where it is served. What is no read is refused before its body is looked at, with `served_elsewhere`. */
export function readingOnly(routes: readonly Route[]): Route[] {
  return routes.map((route) =>
    route.method === 'GET' || route.path.endsWith('/preview') || route.path.startsWith('/console/')
      ? route
      : { ...route, errors: [...route.errors, 'served_elsewhere'], guard: async () => problem('served_elsewhere') },
  );
}
