/**
 * HTTP servers that the gateways of one suite share. Opening a server costs more than some hundred requests, and all
 * gateways declare the same routes; only the worlds behind the routes differ.
 */
import type { HttpServer, InjectedAnswer, Route } from '@platform/http-server';

interface SharedServer {
  readonly server: HttpServer;
  /** The routes of the gateway that has the server at the moment. */
  use(routes: readonly Route[]): void;
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function openServer(declared: readonly Route[], open: (routes: readonly Route[]) => HttpServer): SharedServer {
  let current = new Map<string, Route>();
  const server = open(
    declared.map((route) => {
      const now = (): Route => current.get(nameOf(route))!;
      return {
        ...route,
        ...(route.guard && { guard: (input) => now().guard!(input) }),
        handle: (input) => now().handle(input),
      };
    }),
  );
  return { server, use: (routes) => void (current = new Map(routes.map((route) => [nameOf(route), route]))) };
}

/** Servers that no gateway has, by what their routes declare. */
const idle = new Map<string, SharedServer[]>();

/**
 * The requests of one gateway. It has a server from its first request under way to its last one; a gateway that is
 * asked meanwhile has another server, so no request is answered by another world.
 */
export function sharedInject(routes: readonly Route[], open: (routes: readonly Route[]) => HttpServer) {
  const declared = routes.map((route) => `${nameOf(route)} ${route.policy} ${route.guard !== undefined}`).join('\n');
  let own: SharedServer | undefined;
  let underWay = 0;
  return async (request: Parameters<HttpServer['inject']>[0]): Promise<InjectedAnswer> => {
    if (!own) {
      own = idle.get(declared)?.pop() ?? openServer(routes, open);
      own.use(routes);
    }
    underWay += 1;
    try {
      return await own.server.inject(request);
    } finally {
      underWay -= 1;
      if (underWay === 0) {
        idle.set(declared, [...(idle.get(declared) ?? []), own]);
        own = undefined;
      }
    }
  };
}
