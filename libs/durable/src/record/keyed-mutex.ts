/** Work on one key, one after the other in this process. Between processes it decides nothing: fenced writes do. */
export interface KeyedMutex {
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    runExclusive(key, work) {
      const running = (last.get(key) ?? Promise.resolve()).then(work, work);
      last.set(key, running);
      const done = () => void (last.get(key) === running && last.delete(key));
      running.then(done, done);
      return running;
    },
  };
}
