/**
 * A clock for each process, in a share of the histories: it differs from the time of the world by a skew of its own, and
 * now and then a person sets it, forwards or backwards. Timers are not affected, as on a machine whose clock is set. It
 * chooses by a generator of its own, so that all else in a history is the same with and without it.
 */
import type { Clock } from '@platform/kernel';
import { createRandom } from '@platform/testing';

const share = 0.15;
/** Clocks differ from the time of the world by no more than this, both ways; the margin of the retry window is an hour. */
const skewMaxMs = 15 * 60_000;
/** One of this many reads finds that the clock was set to another time. */
const jumpOneIn = 400;

export interface Clocks {
  readonly skewed: boolean;
  /** The clock of one process; `wall` is the time of the world. */
  ofProcess(wall: Clock): Clock;
}

/** The clocks of one history. */
export function createClocks(seed: number): Clocks {
  const random = createRandom(seed ^ 0x1032823e);
  const skewed = random.next() < share;
  const skew = (): number => random.below(2 * skewMaxMs) - skewMaxMs;
  return {
    skewed,
    ofProcess(wall) {
      if (!skewed) return wall;
      let offset = skew();
      return {
        now: () => {
          if (random.below(jumpOneIn) === 0) offset = skew();
          return new Date(wall.now().getTime() + offset);
        },
      };
    },
  };
}
