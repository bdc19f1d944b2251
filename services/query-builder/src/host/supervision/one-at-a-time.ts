/** Runs work one at a time. Calls during a run share one further run, which sees everything that happened before it. */
export function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return next ?? start();
    next ??= running.then(start, start);
    return next;
  };
}
