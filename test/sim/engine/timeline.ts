/**
 * The one place where anything happens: every port call, delivery and timer of all simulated processes waits here, and
 * one of them goes on at a time, chosen by a seeded generator. So an interleaving is a number, time is a variable, and
 * a crash or a freeze is a fact about a process, not about the machine that simulates it.
 */
import { createSequentialIds, type Clock, type Ids } from '@platform/kernel';
import { CrashedError, createRandom, type Random } from '@platform/testing';

/** One boot of one instance of one service. */
export interface Process {
  readonly service: string;
  readonly instance: string;
  readonly incarnation: string;
  state: 'running' | 'frozen' | 'dead';
  /** The port call at which it fell asleep last. */
  sleepsAt?: string;
  /** Until then it only looks at what earlier boots left. */
  booted: boolean;
  /** Called once when it dies: callers learn that their connection is closed. */
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
  /** Runs `go` when the process gets its turn; never, when it is dead by then. */
  enqueue(process: Process | null, go: () => void): void;
  /** Resolves after so much simulated time; never for a process that is dead by then. */
  sleep(process: Process | null, milliseconds: number): Promise<void>;
  /** `work` as seen from outside the process: rejects with CrashedError when it dies first. */
  guarded<T>(process: Process, work: () => Promise<T>): Promise<T>;
  /** One waiting step of a process that is awake goes on; false when there is none. */
  step(): boolean;
  /** Time jumps to the next timer of a process that is awake, at most to `until`; false when there is none. */
  jump(until?: number): boolean;
  /** So much time passes in which no process moves; timers that were due meanwhile ring late, each once. */
  leap(milliseconds: number): void;
  /** Resolves when every process waits here or is done. */
  rest(): Promise<void>;
  readonly time: number;
  readonly steps: number;
  /**
   * While true, port calls go through at once instead of waiting for their turn: where their order is of no interest.
   */
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

/** A never-settling answer: the process that waits for it is gone. */
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
  let timers: Timer[] = [];
  let earliest = Number.POSITIVE_INFINITY;

  function enqueue(process: Process | null, go: () => void): void {
    if (process?.state !== 'dead') waiting.push({ process, go });
  }

  /** Timers whose time has come join those who wait for their turn. */
  function ring(): void {
    if (earliest > time) return;
    const later: Timer[] = [];
    earliest = Number.POSITIVE_INFINITY;
    for (const timer of timers) {
      if (timer.at <= time) waiting.push(timer);
      else {
        later.push(timer);
        if (timer.at < earliest) earliest = timer.at;
      }
    }
    timers = later;
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
      timers = timers.filter((each) => each.process !== process);
      for (const mourn of process.mourners) mourn();
      process.mourners.clear();
    },
    enqueue,
    sleep: (process, milliseconds) =>
      new Promise<void>((resolve) => {
        if (process?.state === 'dead') return;
        const at = time + Math.max(1, milliseconds);
        timers.push({ process, at, go: resolve });
        if (at < earliest) earliest = at;
      }),
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
    // A tick that is asked for from a microtask comes after all microtasks: every process has moved on as far as it
    // can.
    rest: () => new Promise<void>((resolve) => process.nextTick(resolve)),
    get time() {
      return time;
    },
    get steps() {
      return steps;
    },
  };
}
