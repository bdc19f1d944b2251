/**
 * Long reads yield: a reader emits a pause between two documents when its slice is over, every stage passes it on, and
 * the consumer of the results waits for the next slice. So reading uses plain generators, and a scan of a million
 * documents delays no other answer.
 */
export const pauseMark: unique symbol = Symbol('pause');

export type Pause = typeof pauseMark;

/** Results with pauses between them. */
export type Paced<T> = Iterable<T | Pause>;

/** Called for every document that is read; returns whether to pause. Throws to end the reading. */
export type Tick = () => boolean;

/** Yields values that are already in memory with the pauses that reading them would have had. */
export function* paced<T>(values: Iterable<T>, tick: Tick): Generator<T | Pause> {
  for (const value of values) {
    if (tick()) yield pauseMark;
    yield value;
  }
}

/** Collects all values of a source and passes its pauses on. */
export function* gathered<T>(source: Paced<T>): Generator<Pause, T[]> {
  const values: T[] = [];
  for (const value of source) {
    if (value === pauseMark) yield pauseMark;
    else values.push(value as T);
  }
  return values;
}
