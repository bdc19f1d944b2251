/** Random values as a function of a seed: the same seed gives the same shop on every machine. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** A key, chosen in proportion to its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
  /** Around 0 with deviation 1. */
  normal(): number;
}

/** mulberry32: 32 bits of state are enough for sample rows. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (values) => values[Math.floor(next() * values.length)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)!)[0];
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
