/**
 * Keeps one registration in force on the platform: repeats it until it is answered, then renews it periodically and
 * after every reconnect, because a server may have lost its disk meanwhile.
 */
import { backoffMs, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';

export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface KeepPorts {
  readonly messaging: Pick<Messaging, 'restored'>;
  readonly log: Log;
  readonly wait: Wait;
}

export interface KeptRegistration {
  /** Resolves when the registration is recorded for the first time. */
  readonly ready: Promise<void>;
  /** Stops; resolves when no request is running. */
  close(): Promise<void>;
}

/**
 * Registers once; false when it must be tried again. `renew`: it existed before, and the platform must not change an
 * existing one.
 */
export type Ensure = (renew: boolean, level: 'info' | 'warn', closing: AbortSignal) => Promise<boolean>;

export const requestTimeoutMs = 5_000;
const firstPauseMs = 250;
const longestPauseMs = 10_000;
const renewAfterMs = 30_000;

/** `fields` are logged when something goes wrong; `title` names the registration. */
export function keepRegistered(
  ensure: Ensure,
  { messaging, log, wait }: KeepPorts,
  title: string,
  fields: Readonly<Record<string, unknown>>,
): KeptRegistration {
  const stop = new AbortController();
  // A signal of its own for each turn: listeners on the one that outlives them all would add up.
  let turn = new AbortController();
  let becomeReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  async function keep(): Promise<void> {
    let renew = false;
    for (let failures = 0; !stop.signal.aborted;) {
      turn = new AbortController();
      // From before the request on: a connection that is lost and restored during it is not missed.
      const restored = messaging.restored(turn.signal);
      // Services start in any order, so the first refusals are expected.
      const registered: boolean = await ensure(renew, failures < 5 ? 'info' : 'warn', stop.signal).catch(
        (error: unknown) => {
          log.warn({ ...fields, error: String(error) }, `a ${title} could not be opened; trying again`);
          return false;
        },
      );
      if (registered) becomeReady();
      renew ||= registered;
      failures = registered ? 0 : failures + 1;
      const pauseMs = registered ? renewAfterMs : backoffMs(failures, firstPauseMs, longestPauseMs);
      await Promise.race([wait(pauseMs, turn.signal), restored]);
      turn.abort();
    }
  }

  const keeping = keep();
  return {
    ready,
    async close() {
      stop.abort();
      turn.abort();
      await keeping;
    },
  };
}
