/** Tells those who wait for a lost connection when it is restored. */
import { EventEmitter, once } from 'node:events';

export interface Restorations {
  announce(): void;
  /** Resolves at the next announcement, or when the signal is aborted. */
  next(this: void, signal: AbortSignal): Promise<void>;
}

export function createRestorations(): Restorations {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    announce: () => void emitter.emit('restored'),
    next: (signal) =>
      once(emitter, 'restored', { signal }).then(
        () => undefined,
        () => undefined,
      ),
  };
}
