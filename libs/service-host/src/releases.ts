/**
 * What was opened is closed, last in first out. Every release runs even when an earlier one failed, and a slow one is
 * logged but never cut off: abandoning a write half-way is worse than a late exit.
 */
import type { Log } from '@platform/kernel';

/** Thrown to a caller that opens something while the service is closing. */
export class ClosingError extends Error {
  override name = 'ClosingError';
}

export interface Releases {
  /**
   * Waits for the resource and remembers how to release it. When the service is already closing, the resource is
   * released at once and {@link ClosingError} is thrown.
   */
  open<T>(name: string, resource: T | Promise<T>, release: (resource: T) => unknown, slowAfterMs?: number): Promise<T>;
  /** Runs all releases once; rejects with the first error after all have run. */
  close(): Promise<void>;
}

interface Release {
  readonly name: string;
  readonly run: () => unknown;
  readonly slowAfterMs: number;
}

async function runRelease({ name, run, slowAfterMs }: Release, log: Log): Promise<void> {
  const timer = setTimeout(() => log.warn({ resource: name, slowAfterMs }, 'still closing'), slowAfterMs);
  try {
    await run();
    log.debug({ resource: name }, 'closed');
  } finally {
    clearTimeout(timer);
  }
}

/** `slowAfterMs`: after how long a release is reported as slow, unless `open` specifies another time. */
export function createReleases(log: Log, slowAfterMs = 5_000): Releases {
  const stack: Release[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let next = stack.pop(); next; next = stack.pop()) {
      try {
        await runRelease(next, log);
      } catch (error) {
        log.error({ resource: next.name, error }, 'did not close cleanly');
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };
  return {
    open: async (name, resource, release, slowAfter = slowAfterMs) => {
      const opened = await resource;
      const entry = { name, run: () => release(opened), slowAfterMs: slowAfter };
      if (closing) {
        await runRelease(entry, log);
        throw new ClosingError(`${name} was opened while the service is closing`);
      }
      stack.push(entry);
      return opened;
    },
    close: () => (closing ??= closeAll()),
  };
}
