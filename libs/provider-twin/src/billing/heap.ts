/** A binary heap: the next due thing among thousands, without sorting again for each. */

export interface Heap<T> {
  push(value: T): void;
  /** Removes and returns the smallest value. */
  pop(): T | undefined;
}

/** An empty heap; `order` is negative when its first argument comes first. */
export function createHeap<T>(order: (a: T, b: T) => number): Heap<T> {
  const values: T[] = [];
  const less = (a: number, b: number): boolean => order(values[a] as T, values[b] as T) < 0;
  function swap(a: number, b: number): void {
    [values[a], values[b]] = [values[b] as T, values[a] as T];
  }
  return {
    push(value) {
      values.push(value);
      for (let at = values.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!less(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const top = values[0];
      const last = values.pop();
      if (values.length === 0 || last === undefined) return top;
      values[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) if (child < values.length && less(child, least)) least = child;
        if (least === at) break;
        swap(at, least);
        at = least;
      }
      return top;
    },
  };
}
