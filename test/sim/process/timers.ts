/**
 * The timers of a simulated process. Each belongs to the process whose step made it: it fires at that process's turn,
 * waits while the process is paused, and ends with it. A cancelled timer leaves the timeline, so that time does not stop
 * at it.
 */
import type { Timeline } from '../engine/timeline';

type Work = (...given: unknown[]) => void;

/** What `setTimeout` returns; the packages use several of the runtime's methods. */
class VirtualTimer {
  private cancel: () => void = () => undefined;
  constructor(
    private readonly start: (fire: () => void) => () => void,
    private readonly work: () => void,
    private readonly repeats: boolean,
  ) {
    this.refresh();
  }
  refresh(): this {
    this.cancel();
    this.cancel = this.start(() => {
      if (this.repeats) this.refresh();
      this.work();
    });
    return this;
  }
  close(): this {
    this.cancel();
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.dispose](): void {
    this.cancel();
  }
}

function aborted(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

interface Options {
  readonly signal?: AbortSignal;
}

/** The runtime's timers as functions of the timeline: those of the global object, and those with promises. */
export function timersOf(timeline: Timeline) {
  const at = (milliseconds = 0) => {
    const owner = timeline.current;
    return (fire: () => void) => timeline.alarm(owner, Math.max(1, Number(milliseconds) || 1), fire);
  };
  const soon = () => {
    const owner = timeline.current;
    return (fire: () => void) => {
      let over = false;
      timeline.enqueue(owner, () => void (over || fire()));
      return () => void (over = true);
    };
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
  };
  const wait = <T>(start: (fire: () => void) => () => void, value: T, { signal }: Options = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (signal?.aborted) return void reject(aborted(signal));
      const cancel = start(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      const onAbort = (): void => {
        cancel();
        reject(aborted(signal!));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  const plain = {
    setTimeout: (work: Work, milliseconds?: number, ...given: unknown[]) =>
      new VirtualTimer(at(milliseconds), () => work(...given), false),
    setInterval: (work: Work, milliseconds?: number, ...given: unknown[]) =>
      new VirtualTimer(at(milliseconds), () => work(...given), true),
    setImmediate: (work: Work, ...given: unknown[]) => new VirtualTimer(soon(), () => work(...given), false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  const promised = {
    setTimeout: <T>(milliseconds?: number, value?: T, options?: Options) => wait(at(milliseconds), value, options),
    setImmediate: <T>(value?: T, options?: Options) => wait(soon(), value, options),
  };
  return { plain, promised };
}
