/**
 * Who computes when. One turn is one round of the event loop: between two turns every waiting message is read, so short
 * commands and the drivers' heartbeats are answered while long reads are under way. A read that has computed until the end
 * of its turn waits for another; those that have had few turns go first, except for one turn in four, and of the others
 * only the oldest few share the turns, since all of them side by side would all end last.
 */
import type { CommandError } from '../errors';

export interface Turns {
  /** Whether the present turn is over. */
  isOver(): boolean;
  /** A command's place among the waiting ones. `interrupted` gives the error that ends it instead of a further turn. */
  join(interrupted: () => CommandError | undefined): Place;
}

export interface Place {
  /** Resolves at the command's next turn; rejects with the error that ends it. */
  next(): Promise<void>;
}

const TURN_MILLISECONDS = 8;
const SHORT_TURNS = 3;
const SIDE_BY_SIDE = 4;
const LONG_EVERY = 4;

interface Waiting {
  arrival: number;
  turns: number;
  resume(): void;
}

export function createTurns(now: () => number = () => performance.now()): Turns {
  const waiting: Waiting[] = [];
  let arrivals = 0;
  let given = 0;
  let end: number | undefined;

  const open = (): void => {
    if (end !== undefined) return;
    end = now() + TURN_MILLISECONDS;
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
    const long = waiting.filter(({ turns }) => turns > SHORT_TURNS).sort((a, b) => a.arrival - b.arrival);
    const short = waiting.find(({ turns }) => turns <= SHORT_TURNS);
    const chosen =
      short && (long.length === 0 || given % LONG_EVERY !== 0)
        ? short
        : long[given % Math.min(SIDE_BY_SIDE, long.length)];
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
      let turns = 0;
      return {
        next: () =>
          new Promise((resolve, reject) => {
            turns += 1;
            const resume = (): void => {
              const error = interrupted();
              if (error) reject(error);
              else resolve();
            };
            waiting.push({ arrival, turns, resume });
            open();
          }),
      };
    },
  };
}
