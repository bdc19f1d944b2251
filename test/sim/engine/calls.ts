/**
 * One port call of a simulated process: it waits for its turn, may meet a fault, and its answer arrives at a process
 * that is alive, late, asleep or dead. Calls of a dead process never settle, so that none of its code continues, not
 * even `finally`.
 */
import type { Faults } from './faults';
import { neverSettles, type Process, type Timeline } from './timeline';

/** The special answers of a port, by the name of the fault; `invoke` performs the effect. */
export type Answers = Readonly<Record<string, (invoke: () => Promise<unknown>) => Promise<unknown>>>;

export interface Caller {
  readonly process: Process;
  /** `weight`: this call gives a special answer this many times as often as others. */
  call<T>(name: string, invoke: () => Promise<T>, answers?: Answers, weight?: number): Promise<T>;
}

export interface CallerOptions {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** The process dies at this call; its supervisor boots the next incarnation. */
  readonly crash: (process: Process) => void;
  /** The process sleeps at this call while a successor boots. */
  readonly freeze: (process: Process) => void;
  /** Another process has written here: processes that sleep at a call of the same collection continue. */
  readonly wake?: (collection: string, writer: Process) => void;
}

const none: Answers = {};
const collectionOf = (name: string): string => name.slice(0, name.indexOf('.'));
const namesOf = new WeakMap<object, readonly string[]>();

function faultNames(answers: object): readonly string[] {
  const known = namesOf.get(answers);
  if (known) return known;
  const names = Object.keys(answers);
  namesOf.set(answers, names);
  return names;
}

export function createCaller(process: Process, { timeline, faults, crash, freeze, wake }: CallerOptions): Caller {
  /** Delivers the answer now, or at the process's next turn. */
  function settle(kind: string | undefined, hand: () => void): void {
    if (process.state === 'dead') return;
    if (kind === 'late' || process.state === 'frozen') timeline.enqueue(process, hand);
    else hand();
  }

  return {
    process,
    call<T>(name: string, invoke: () => Promise<T>, answers: Answers = none, weight = 1): Promise<T> {
      if (process.state === 'dead') return neverSettles();
      if (timeline.direct && process.state === 'running') {
        faults.pass();
        return invoke();
      }
      return new Promise<T>((resolve, reject) => {
        timeline.enqueue(process, () => {
          const kind = faults.at(name, faultNames(answers), weight);
          if (kind === 'crash_before') return crash(process);
          if (kind === 'crash_after')
            return void invoke().then(
              () => crash(process),
              () => crash(process),
            );
          if (kind === 'freeze') {
            process.sleepsAt = name;
            freeze(process);
          }
          const other = kind === undefined ? undefined : answers[kind];
          const answered = other ? (other(invoke) as Promise<T>) : invoke();
          if (wake && faults.wakes(name))
            void answered.finally(() => wake(collectionOf(name), process)).catch(() => {});
          answered.then(
            (answer) => settle(kind, () => resolve(answer)),
            (error: unknown) => settle(kind, () => reject(error as Error)),
          );
        });
      });
    },
  };
}
