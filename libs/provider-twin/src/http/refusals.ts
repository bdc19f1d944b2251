/**
 * A port that really refuses connections: the listener is closed, so the client's operating system finds no listener
 * and cannot send a byte of the request. It listens again automatically, because no request could reach it to restart
 * it.
 */
import type { Server } from 'node:http';

export interface Refusals {
  refuseConnections(forMs: number): void;
  /** Cancels the restart of the listener, for shutdown. */
  end(): void;
}

/** Lets a listening server stop, and listen again on the same port. */
export function createRefusals(
  server: Server,
  place: () => { readonly host: string; readonly port: number },
): Refusals {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  return {
    refuseConnections(forMs) {
      if (ended || timer) return;
      server.close();
      server.closeAllConnections();
      timer = setTimeout(() => {
        timer = undefined;
        if (!ended) server.listen(place());
      }, forMs);
    },
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
