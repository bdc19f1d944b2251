/**
 * Chooses the order of concurrent port calls. Calls of all lives wait at one latch; when everything else is at rest,
 * one of them continues. A seeded generator makes the choice, so an interleaving is a number.
 */
import type { Random } from './random';
import type { PortCall } from './tape';

/** One life's place in the queue; a frozen life's calls wait until it thaws. */
export interface Runner {
  frozen: boolean;
  readonly beforeCall: (call: PortCall) => Promise<void>;
}

export interface Scheduler {
  createRunner(): Runner;
  /** Lets one waiting call of a life that is not frozen continue; false when there is none. */
  step(): boolean;
  /** Resolves when nothing moves any more: every call waits, or is done. */
  rest(): Promise<void>;
}

/** Equal `random` gives equal choices, as long as lives only wait for their port calls. */
export function createScheduler(random: Random): Scheduler {
  const waiting: { readonly runner: Runner; readonly release: () => void }[] = [];
  return {
    createRunner: () => {
      const runner: Runner = {
        frozen: false,
        beforeCall: () => new Promise<void>((release) => void waiting.push({ runner, release })),
      };
      return runner;
    },
    step: () => {
      const ready = waiting.filter(({ runner }) => !runner.frozen);
      if (ready.length === 0) return false;
      const chosen = random.pick(ready);
      waiting.splice(waiting.indexOf(chosen), 1);
      chosen.release();
      return true;
    },
    rest: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}
