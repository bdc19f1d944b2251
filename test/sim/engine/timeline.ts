/**
 * The single scheduler of the simulation: every port call, delivery and timer of all simulated processes waits here,
 * and a seeded generator chooses which one continues. An interleaving is therefore a number, time is a variable, and a
 * crash or a freeze is a state of a simulated process, independent of the machine.
 */
import { createSequentialIds, type Clock, type Ids } from '@platform/kernel';
import { CrashedError, createRandom, type Random } from '@platform/testing';

/** One boot of one instance of one service. */
export interface Process {
  readonly service: string;
  readonly instance: string;
  readonly incarnation: string;
  state: 'running' | 'frozen' | 'dead';
  /** The port call at which the process last fell asleep. */
  sleepsAt?: string;
  /** False until the process has handled the records of earlier boots. */
  booted: boolean;
  /** Called once when the process dies, so that callers learn that their connection is closed. */
  readonly mourners: Set<() => void>;
}

export interface Timeline {
  readonly random: Random;
  /** What a process reads; its own may differ from the time of the world. */
  readonly clock: Clock;
  /** The time of the world. Reading it moves it one millisecond, so that every instant of a history is its own. */
  readonly wall: Clock;
  readonly ids: Ids;
  spawn(service: string, instance: string): Process;
  kill(process: Process): void;
  /** Runs `go` at the process's turn, or never when the process is dead by then. */
  enqueue(process: Process | null, go: () => void): void;
  /**
   * Runs `go` after this much simulated time, at the process's turn; never when the process is dead by then, or after
   * the returned function was called.
   */
  alarm(process: Process | null, milliseconds: number, go: () => void): () => void;
  /** Resolves after this much simulated time; never when the process is dead by then. */
  sleep(process: Process | null, milliseconds: number): Promise<void>;
  /** `work` as seen from outside the process: rejects with CrashedError when the process dies first. */
  guarded<T>(process: Process, work: () => Promise<T>): Promise<T>;
  /** Continues one waiting step of a process that is awake; false when there is none. */
  step(): boolean;
  /** Advances time to the next timer of a process that is awake, at most to `until`; false when there is none. */
  jump(until?: number): boolean;
  /** Lets this much time pass while no process moves; timers that became due fire late, each once. */
  leap(milliseconds: number): void;
  /** Resolves when every process waits here or has finished. */
  rest(): Promise<void>;
  readonly time: number;
  readonly steps: number;
  /** The process whose step was the last one. */
  readonly current: Process | null;
  /** While true, port calls proceed at once instead of waiting for their turn, where their order does not matter. */
  direct: boolean;
}

interface Waiting {
  readonly process: Process | null;
  readonly go: () => void;
}

interface Timer extends Waiting {
  readonly at: number;
}

const startOfTime = Date.UTC(2026, 0, 1);
const awake = ({ process }: Waiting): boolean => process === null || process.state === 'running';

/** A promise that never settles, for calls of a dead process. */
export function neverSettles(): Promise<never> {
  return new Promise<never>(() => undefined);
}

export function createTimeline(seed: number): Timeline {
  const random = createRandom(seed);
  const ids = createSequentialIds(seed >>> 0);
  let time = startOfTime;
  let steps = 0;
  let boots = 0;
  let waiting: Waiting[] = [];
  let current: Process | null = null;
  const timers = new Set<Timer>();
  let earliest = Number.POSITIVE_INFINITY;

  function enqueue(process: Process | null, go: () => void): void {
    if (process?.state !== 'dead') waiting.push({ process, go });
  }

  function alarm(process: Process | null, milliseconds: number, go: () => void): () => void {
    if (process?.state === 'dead') return () => undefined;
    let over = false;
    const timer: Timer = { process, at: time + Math.max(1, milliseconds), go: () => void (over || go()) };
    timers.add(timer);
    if (timer.at < earliest) earliest = timer.at;
    return () => {
      over = true;
      timers.delete(timer);
    };
  }

  /** Moves timers that are due to the steps that wait for their turn. */
  function ring(): void {
    if (earliest > time) return;
    earliest = Number.POSITIVE_INFINITY;
    for (const timer of timers) {
      if (timer.at <= time) {
        timers.delete(timer);
        waiting.push(timer);
      } else if (timer.at < earliest) earliest = timer.at;
    }
  }

  function takeWaiting(): Waiting | undefined {
    for (let tries = 0; tries < 4 && waiting.length > 0; tries += 1) {
      const at = random.below(waiting.length);
      if (awake(waiting[at]!)) return removeAt(at);
    }
    const at = waiting.findIndex(awake);
    return at < 0 ? undefined : removeAt(at);
  }

  function removeAt(at: number): Waiting {
    const taken = waiting[at]!;
    const last = waiting.pop()!;
    if (last !== taken) waiting[at] = last;
    return taken;
  }

  const wall: Clock = { now: () => new Date((time += 1)) };
  return {
    random,
    ids,
    direct: false,
    clock: wall,
    wall,
    spawn(service, instance) {
      boots += 1;
      return {
        service,
        instance,
        incarnation: `${instance}-boot-${boots}`,
        state: 'running',
        booted: false,
        mourners: new Set(),
      };
    },
    kill(process) {
      if (process.state === 'dead') return;
      process.state = 'dead';
      waiting = waiting.filter((each) => each.process !== process);
      for (const each of timers) if (each.process === process) timers.delete(each);
      for (const mourn of process.mourners) mourn();
      process.mourners.clear();
    },
    enqueue,
    alarm,
    sleep: (process, milliseconds) => new Promise<void>((resolve) => void alarm(process, milliseconds, resolve)),
    guarded<T>(process: Process, work: () => Promise<T>): Promise<T> {
      if (process.state === 'dead') return Promise.reject(new CrashedError());
      return new Promise<T>((resolve, reject) => {
        const mourn = () => reject(new CrashedError());
        process.mourners.add(mourn);
        work()
          .then(resolve, reject)
          .finally(() => process.mourners.delete(mourn))
          .catch(() => undefined);
      });
    },
    step() {
      ring();
      const taken = takeWaiting();
      if (!taken) return false;
      steps += 1;
      current = taken.process;
      taken.go();
      return true;
    },
    jump(until = Number.POSITIVE_INFINITY) {
      let next = Number.POSITIVE_INFINITY;
      for (const timer of timers) if (timer.at < next && awake(timer)) next = timer.at;
      if (next === Number.POSITIVE_INFINITY || next > until) return false;
      time = Math.max(time, next);
      ring();
      return true;
    },
    leap(milliseconds) {
      time += milliseconds;
      ring();
    },
    // A tick requested in a microtask comes after all microtasks, when every process has continued as far as it can.
    rest: () => new Promise<void>((resolve) => process.nextTick(resolve)),
    get time() {
      return time;
    },
    get steps() {
      return steps;
    },
    get current() {
      return current;
    },
  };
}
