/**
 * Keeps one registration in force on the platform: repeats it until it is answered, then renews it periodically and
 * after every reconnect, because a server may have lost its disk meanwhile.
 */
import { backoffMs, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';

export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface KeepPorts {
  readonly messaging: Pick<Messaging, 'connected'>;
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
/** How often a lost connection is checked between renewals. */
const lookEveryMs = 500;

/** `fields` are logged when something goes wrong; `title` names the registration. */
export function keepRegistered(
  ensure: Ensure,
  { messaging, log, wait }: KeepPorts,
  title: string,
  fields: Readonly<Record<string, unknown>>,
): KeptRegistration {
  const stop = new AbortController();
  let becomeReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  /** Returns after the renewal interval, or as soon as a lost connection is restored. */
  async function untilRenewal(): Promise<void> {
    let lost = false;
    for (let waited = 0; waited < renewAfterMs && !stop.signal.aborted; waited += lookEveryMs) {
      await wait(lookEveryMs, stop.signal);
      const connected = messaging.connected();
      if (lost && connected) return;
      lost ||= !connected;
    }
  }

  async function keep(): Promise<void> {
    let renew = false;
    for (let failures = 0; !stop.signal.aborted;) {
      // Services start in any order, so the first refusals are expected.
      const stands = await ensure(renew, failures < 5 ? 'info' : 'warn', stop.signal).catch((error: unknown) => {
        log.warn({ ...fields, error: String(error) }, `a ${title} could not be opened; trying again`);
        return false;
      });
      if (stands) {
        becomeReady();
        renew = true;
        failures = 0;
        await untilRenewal();
      } else {
        failures += 1;
        await wait(backoffMs(failures, firstPauseMs, longestPauseMs), stop.signal);
      }
    }
  }

  const keeping = keep();
  return {
    ready,
    async close() {
      stop.abort();
      await keeping;
    },
  };
}
