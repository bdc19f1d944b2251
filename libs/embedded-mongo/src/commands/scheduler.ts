/**
 * Schedules the work of commands. One slice is one round of the event loop: between two slices every waiting message is
 * read, so short commands and the drivers' heartbeats are answered while long reads are under way. A read that reaches
 * the end of its slice waits for another one. Reads that have used few slices go first, except for one slice in four;
 * the other slices go only to the oldest few reads, because running all of them concurrently would delay every one.
 */
import type { CommandError } from '../errors';

export interface Scheduler {
  /** Whether the current slice is over. */
  isOver(): boolean;
  /**
   * A command's place among the waiting ones. `interrupted` returns the error that ends the command instead of a
   * further slice.
   */
  join(interrupted: () => CommandError | undefined): Place;
}

export interface Place {
  /** Resolves at the command's next slice; rejects with the error that ends it. */
  next(): Promise<void>;
}

const sliceMilliseconds = 8;
const shortReadSlices = 3;
const sideBySide = 4;
const longEvery = 4;

interface Waiting {
  arrival: number;
  slices: number;
  resume(): void;
}

export function createScheduler(now: () => number = () => performance.now()): Scheduler {
  const waiting: Waiting[] = [];
  let arrivals = 0;
  let given = 0;
  let end: number | undefined;

  const open = (): void => {
    if (end !== undefined) return;
    end = now() + sliceMilliseconds;
    setImmediate(() => {
      end = undefined;
      const chosen = takeNext();
      if (!chosen) return;
      open();
      chosen.resume();
    });
  };
  const takeNext = (): Waiting | undefined => {
    given += 1;
    const long = waiting.filter(({ slices }) => slices > shortReadSlices).sort((a, b) => a.arrival - b.arrival);
    const short = waiting.find(({ slices }) => slices <= shortReadSlices);
    const chosen =
      short && (long.length === 0 || given % longEvery !== 0) ? short : long[given % Math.min(sideBySide, long.length)];
    if (chosen) waiting.splice(waiting.indexOf(chosen), 1);
    return chosen;
  };
  return {
    isOver: () => {
      open();
      return now() > (end as number);
    },
    join: (interrupted) => {
      arrivals += 1;
      const arrival = arrivals;
      let slices = 0;
      return {
        next: () =>
          new Promise((resolve, reject) => {
            slices += 1;
            const resume = (): void => {
              const error = interrupted();
              if (error) reject(error);
              else resolve();
            };
            waiting.push({ arrival, slices, resume });
            open();
          }),
      };
    },
  };
}
