/** One read of a resource at a time. Changes may come faster than a slow gateway answers, and each of its answers counts. */

export interface OneRead {
  begin(): void;
  /** Whether another read was asked for meanwhile. */
  end(): boolean;
  /** Reads now, or when the read that is under way has ended. */
  ask(read: () => void): void;
}

/** A read that takes longer may have been lost: the next one does not wait for it. */
const patienceMs = 10_000;

export function createOneRead(now: () => number = Date.now): OneRead {
  let begunAt = Number.NEGATIVE_INFINITY;
  let wanted = false;
  return {
    begin: () => {
      begunAt = now();
      wanted = false;
    },
    end: () => {
      begunAt = Number.NEGATIVE_INFINITY;
      return wanted;
    },
    ask: (read) => {
      if (now() - begunAt > patienceMs) read();
      else wanted = true;
    },
  };
}
