/**
 * A port that really refuses connections: the listener is closed, so the client's operating system sees no listener
 * there and no byte of a request can be written. It listens again by itself, because no request could ask it to.
 */
import type { Server } from 'node:http';

export interface Refusals {
  refuseConnections(forMs: number): void;
  /** Cancels the return of the listener; for shutting down. */
  end(): void;
}

/** Lets a listening server stop and start listening where it was. */
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
