/**
 * Replaces the machine's timers and randomness with those of the simulated world while a history plays: the SDK waits
 * for a consumer with `setTimeout`, reads are batched with `setImmediate`, and `Math.random` spreads back-offs. Without
 * this, a seed would not determine a history.
 */
import type { Timeline } from './timeline';

interface VirtualTimer {
  cancelled: boolean;
  unref(): VirtualTimer;
}

/** Replaces the timers and randomness until the returned function is called. One history at a time in one thread. */
export function useVirtualTime(timeline: Timeline): () => void {
  const own = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setImmediate: globalThis.setImmediate,
    random: Math.random,
  };
  const later = (work: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]): VirtualTimer => {
    const timer: VirtualTimer = { cancelled: false, unref: () => timer };
    void timeline.sleep(null, milliseconds).then(() => {
      if (!timer.cancelled) work(...given);
    });
    return timer;
  };
  const cancel = (timer: VirtualTimer | undefined): void => {
    if (timer) timer.cancelled = true;
  };
  const soon = (work: (...given: unknown[]) => void, ...given: unknown[]): void =>
    timeline.enqueue(null, () => work(...given));
  Object.assign(globalThis, { setTimeout: later, clearTimeout: cancel, setImmediate: soon });
  Math.random = () => timeline.random.next();
  return () => {
    Object.assign(globalThis, {
      setTimeout: own.setTimeout,
      clearTimeout: own.clearTimeout,
      setImmediate: own.setImmediate,
    });
    Math.random = own.random;
  };
}
