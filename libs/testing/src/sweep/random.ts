/** Repeatable random choices: equal seed, equal choices. Used by sweeps and simulated histories, never by services. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** An integer at least 0, below `bound`. */
  below(bound: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** The mulberry32 generator: 32 bits of state are enough to spread test cases. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (choices) => {
      if (choices.length === 0) throw new RangeError('nothing to pick from');
      return choices[below(choices.length)]!;
    },
  };
}

/** `size` of `total` positions without repetition, in ascending order; all of them when there are no more. */
export function samplePositions(total: number, size: number, random: Random): number[] {
  if (size >= total) return Array.from({ length: total }, (_, position) => position);
  const chosen = new Set<number>();
  while (chosen.size < size) chosen.add(random.below(total));
  return [...chosen].sort((a, b) => a - b);
}
