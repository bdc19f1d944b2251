/** A step of a process's start runs again while what it needs does not answer: parts of a platform start together. */
import type { Log } from './log';

export interface Patience {
  /** The dependency, for the log: "the document store". */
  readonly dependency: string;
  /** Milliseconds from the first try until the last one may begin; 0: one try. */
  readonly forMs: number;
  /** Whether another try may succeed; an error that is an answer (refused, wrong configuration) ends the start. */
  readonly mayPass: (error: unknown) => boolean;
  readonly log: Log;
  /** Milliseconds between two tries; default 250. */
  readonly pauseMs?: number;
}

/** The step's result. Throws the error of the last try. The step must be one that may run twice. */
export async function withPatience<T>(
  { dependency, forMs, mayPass, log, pauseMs = 250 }: Patience,
  step: () => Promise<T>,
): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!mayPass(error) || performance.now() >= giveUpAt) throw error;
      log.warn({ error }, `${dependency} does not answer yet; it is asked again`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
