/**
 * The work of this process. The register answers whether this process is doing a piece of work, and it keeps an
 * executor retrying while the process lives: an outcome that the store has not accepted is shown, not dropped. It is
 * logged as evidence as soon as the patience has ended, because a process may end without another line, and again at an
 * orderly end.
 */
import { backoffMs, type Clock, type Log } from '@platform/kernel';
import type { RetryPolicy, Unwritten } from '../record/write-fenced';

/** An outcome that this process knows and has not recorded. */
interface UnrecordedOutcome {
  readonly since: Date;
  /** Why the store did not accept it. */
  readonly reason: string;
}

export interface WorkUnderWay {
  /** See `workKey` of the kernel. */
  readonly key: string;
  readonly since: Date;
  readonly unrecorded?: UnrecordedOutcome;
}

/** An executor's hold on its piece of work. */
interface HeldWork {
  /** Waits for the next try after the patience, on behalf of this work. */
  readonly retryPolicy: RetryPolicy;
}

export interface WorkRegister {
  /** Counts the work as under way until it has ended; returns its result. */
  run<T>(key: string, work: (held: HeldWork) => Promise<T>): Promise<T>;
  find(key: string): WorkUnderWay | undefined;
  /** Pieces of work on records of this collection. */
  count(collection: string): number;
  /** Work whose outcome this process knows and has not recorded. */
  unrecorded(): readonly WorkUnderWay[];
  /** The process ends: each unwritten outcome gets one last try. */
  end(): void;
  /** Ends the register, and resolves when no work is under way. */
  drained(): Promise<void>;
}

export interface WorkRegisterOptions {
  /** The tries and pauses after which callers and people learn that the store does not accept a write. */
  readonly patience: RetryPolicy;
  /** Resolves when the next try after the patience is due; absent: retrying ends with the patience. */
  readonly pauseBeyond?: (tries: number) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each piece of work whose outcome is not accepted within the patience. */
  readonly onUnrecorded?: (work: WorkUnderWay) => void;
}

/** Tries to record an outcome while the process shuts down: the host kills a process that ends too slowly. */
const triesAtTheEnd = 8;

interface Entry {
  since: Date;
  executors: number;
  unrecorded?: UnrecordedOutcome;
  /** Records whose unwritten outcome is in the log. */
  readonly logged: Set<string>;
}

const nameOf = ({ collection, id }: Pick<Unwritten, 'collection' | 'id'>): string => `${collection}/${id}`;

/** The longest pause between two tries after the patience. */
export const beyondPatienceMs = (tries: number): number => backoffMs(tries, 1_000, 15_000);

/** The end of the process, as the register's executors see it. */
interface End {
  begun: boolean;
  readonly heard: Promise<void>;
}

/** After the patience: shows that the outcome is known and not recorded, and waits for the next try. */
async function outlast(
  { clock, log, patience, onUnrecorded }: WorkRegisterOptions,
  { key, entry, end }: { readonly key: string; readonly entry: Entry; readonly end: End },
  { reason, tries, next, collection, id }: Unwritten,
  pauseBeyond: (tries: number) => Promise<void>,
): Promise<boolean> {
  const about = { work: key, record: { collection, id }, reason };
  if (end.begun) {
    const evidence = { ...about, learnt: next };
    log.error(evidence, 'the process ends, and the store has not taken what it knows: this line is the evidence');
    return false;
  }
  if (!entry.logged.has(nameOf({ collection, id }))) {
    entry.logged.add(nameOf({ collection, id }));
    log.error(
      { ...about, tries, learnt: next },
      'the store does not take what this process knows; it goes on trying as long as it lives',
    );
  }
  if (!entry.unrecorded) {
    entry.unrecorded = { since: clock.now(), reason };
    onUnrecorded?.({ key, since: entry.since, unrecorded: entry.unrecorded });
  }
  await Promise.race([pauseBeyond(tries - patience.tries + 1), end.heard]);
  return true;
}

function policyOf(options: WorkRegisterOptions, key: string, entry: Entry, end: End): RetryPolicy {
  const { patience, pauseBeyond, log } = options;
  return {
    get tries() {
      return end.begun ? Math.min(patience.tries, triesAtTheEnd) : patience.tries;
    },
    pause: (attempt) => patience.pause(attempt),
    ...(pauseBeyond && {
      outlast: (unwritten: Unwritten) => outlast(options, { key, entry, end }, unwritten, pauseBeyond),
    }),
    decided: (record) => {
      entry.logged.delete(nameOf(record));
      if (entry.unrecorded) log.info({ work: key, since: entry.unrecorded.since }, 'an outcome is recorded at last');
      delete entry.unrecorded;
    },
  };
}

function viewOf(key: string, { since, unrecorded }: Entry): WorkUnderWay {
  return { key, since, ...(unrecorded && { unrecorded }) };
}

export function createWorkRegister(options: WorkRegisterOptions): WorkRegister {
  const entries = new Map<string, Entry>();
  const running = new Set<Promise<unknown>>();
  let wake: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const end: End = { begun: false, heard };
  return {
    run(key, work) {
      const entry = entries.get(key) ?? { since: options.clock.now(), executors: 0, logged: new Set<string>() };
      entry.executors += 1;
      entries.set(key, entry);
      const executing = work({ retryPolicy: policyOf(options, key, entry, end) });
      running.add(executing);
      const done = () => {
        running.delete(executing);
        entry.executors -= 1;
        if (entry.executors === 0) entries.delete(key);
      };
      executing.then(done, done);
      return executing;
    },
    find: (key) => {
      const entry = entries.get(key);
      return entry && viewOf(key, entry);
    },
    count: (collection) => [...entries.keys()].filter((key) => key.startsWith(`${collection}/`)).length,
    unrecorded: () => [...entries].filter(([, { unrecorded }]) => unrecorded).map(([key, entry]) => viewOf(key, entry)),
    end() {
      end.begun = true;
      wake();
    },
    async drained() {
      this.end();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** A register for workflows that run outside a service: retrying ends with the patience. */
export function plainRegister(patience: RetryPolicy, clock: Clock, log: Log): WorkRegister {
  return createWorkRegister({ patience, clock, log });
}
