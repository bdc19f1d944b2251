/**
 * The queue for the database questions of all requests. Identical questions share one execution. Only a few run at a
 * time; waiting questions take turns by workspace, and within one by reader, so a heavy page delays its own reader
 * first. Only the questions of other readers count as load: a page that asks more than may run waits for itself. A
 * question that would wait too long for others is refused at once, one that has waited too long is refused then, and
 * one whose readers have all left is ended.
 */
import { setMaxListeners } from 'node:events';
import type { Row } from '@platform/page-runtime';
import { createTurns, ofOthers, workOf, type Waiting } from './query-turns';

export interface Question {
  /** The table that the question reads. */
  readonly table: string;
  /** Equal keys mean equal answers: table, pipeline and time limit. The pipeline contains the tenant. */
  readonly key: string;
  /** The unit that takes turns: a workspace, or a caller without one. */
  readonly party: string;
  /** The query's name; questions of one query are expected to have the same cost. */
  readonly query: string;
  /** Asks the database; ends when the signal is aborted. */
  run(signal: AbortSignal): Promise<readonly Row[]>;
}

interface DeskAnswer {
  readonly rows: readonly Row[];
  /** When the database was asked, in milliseconds of the clock. */
  readonly askedAt: number;
}

export interface QueryDesk {
  /**
   * Throws OverloadedError instead of waiting too long, GoneError once `gone` is aborted because the reader left, and
   * what `run` throws. Questions with the same `gone` belong to one reader.
   */
  ask(question: Question, gone?: AbortSignal): Promise<DeskAnswer>;
  /**
   * Reports a write to a table, or to any table: earlier answers are no longer kept. Readers who share a running
   * execution still get its answer, with the time when it was asked.
   */
  forget(table?: string): void;
}

export interface DeskLimits {
  /** The most questions that run at a time. */
  readonly running: number;
  /**
   * The longest wait for a turn; a question is refused when the questions of others are expected to make it wait
   * longer.
   */
  readonly waitMs: number;
  /** Under load, an answer of at most this age is given instead of waiting. 0: none. */
  readonly keptMs: number;
  /** The service is under load when the questions of others are expected to make one wait longer than this. */
  readonly shortWaitMs: number;
}

/** Calls back once after a time; the returned function prevents that. */
type Later = (ms: number, call: () => void) => () => void;

const laterByTimer: Later = (ms, call) => {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
};

/** The service has more questions than it can answer in time. */
export class OverloadedError extends Error {
  override name = 'OverloadedError';
  constructor(readonly retryAfterSeconds: number) {
    super('more questions wait than can be answered in time');
  }
}

/** The reader of an answer left before it came. */
export class GoneError extends Error {
  override name = 'GoneError';
}

interface Flight extends Waiting {
  readonly question: Question;
  readonly ending: AbortController;
  readonly answer: Promise<DeskAnswer>;
  settle(answer: Promise<DeskAnswer>): void;
  readers: number;
  started: boolean;
  /** Ends the timer of the question's wait. */
  stopWaiting(): void;
}

/** The most waiting questions of one party. */
const maxWaiting = 200;
const maxKept = 200;
const maxKnownQueries = 5_000;
/** The expected cost of a query that has not run yet. */
const firstCostMs = 100;

export function createQueryDesk(
  { running: most, waitMs, keptMs, shortWaitMs }: DeskLimits,
  now: () => number = Date.now,
  later: Later = laterByTimer,
): QueryDesk {
  const flights = new Map<string, Flight>();
  const kept = createKept(keptMs, now);
  const costs = createCosts();
  const turns = createTurns<Flight>();
  const ended = (flight: Flight): void => {
    if (flights.get(flight.question.key) === flight) flights.delete(flight.question.key);
  };
  const { running, start, expectedWait } = createExecutions({ most, kept, costs, turns, now, ended });

  const forgetFlight = (flight: Flight): void => {
    ended(flight);
    endFlight(flight, turns);
  };
  const admit = (flight: Flight): void => {
    const { question, expectedMs } = flight;
    if (running.size < most) {
      turns.spent(question.party, expectedMs);
      start(flight);
    } else {
      const wait = expectedWait(flight);
      if (wait > waitMs || turns.waiting(question.party) >= maxWaiting) throw new OverloadedError(secondsOf(wait));
      turns.wait(flight);
      flight.stopWaiting = later(waitMs, () => {
        flight.settle(Promise.reject(new OverloadedError(secondsOf(workOf(running) / most))));
        forgetFlight(flight);
      });
    }
    flights.set(question.key, flight);
  };
  const leave = (flight: Flight): void => {
    flight.readers -= 1;
    if (flight.readers === 0) forgetFlight(flight);
  };

  return {
    async ask(question, gone) {
      if (gone?.aborted) throw new GoneError('the reader has left');
      const shared = flights.get(question.key);
      const flight = shared ?? createFlight(question, costs.of(question), gone);
      const old = kept.young(question.key);
      if (!shared && old && expectedWait(flight) > shortWaitMs) return old;
      if (!shared) admit(flight);
      flight.readers += 1;
      return gone ? untilGone(flight, gone, leave) : flight.answer;
    },
    forget: kept.forget,
  };
}

interface ExecutionParts {
  readonly most: number;
  readonly kept: ReturnType<typeof createKept>;
  readonly costs: ReturnType<typeof createCosts>;
  readonly turns: ReturnType<typeof createTurns<Flight>>;
  now(): number;
  ended(flight: Flight): void;
}

/** The questions that are running; the end of one makes room for the next turn. */
function createExecutions({ most, kept, costs, turns, now, ended }: ExecutionParts) {
  const running = new Set<Flight>();
  const start = (flight: Flight): void => {
    const { question, ending } = flight;
    const askedAt = now();
    const holds = kept.since(question.table);
    flight.started = true;
    flight.stopWaiting();
    running.add(flight);
    const answer = question.run(ending.signal).then((rows) => ({ rows, askedAt }));
    flight.settle(answer);
    void answer
      .then((answered) => kept.keep(question, answered, holds()))
      .catch(() => undefined)
      .finally(() => {
        running.delete(flight);
        const took = now() - askedAt;
        if (!ending.signal.aborted) costs.learn(question.query, took);
        turns.spent(question.party, took - flight.expectedMs);
        ended(flight);
        for (let next = turns.next(); next; next = running.size < most ? turns.next() : undefined) start(next);
      });
  };
  /** The milliseconds that the questions of others are expected to delay this question. */
  const expectedWait = (flight: Flight): number =>
    running.size < most ? 0 : (workOf(ofOthers(running, flight)) + turns.workBefore(flight)) / most;
  return { running, start, expectedWait };
}

/** Recent answers. */
function createKept(keptMs: number, now: () => number) {
  const kept = new Map<string, { readonly table: string; readonly answer: DeskAnswer }>();
  const isYoung = ({ askedAt }: DeskAnswer): boolean => now() - askedAt <= keptMs;
  /** The number of writes to each table, and to all of them. */
  const writes = new Map<string | undefined, number>();
  const written = (table: string | undefined): number => writes.get(table) ?? 0;
  return {
    /** `holds`: no write to the question's table was reported since it was asked. */
    keep({ key, table }: Question, answer: DeskAnswer, holds: boolean): void {
      if (keptMs === 0 || !holds) return;
      kept.delete(key);
      kept.set(key, { table, answer });
      for (const [old, each] of kept) if (kept.size > maxKept || !isYoung(each.answer)) kept.delete(old);
    },
    young(key: string): DeskAnswer | undefined {
      const found = kept.get(key);
      return found && isYoung(found.answer) ? found.answer : undefined;
    },
    /** Returns a function that tells whether no write was reported since this call. */
    since(table: string): () => boolean {
      const [own, all] = [written(table), written(undefined)];
      return () => written(table) === own && written(undefined) === all;
    },
    forget(table?: string): void {
      writes.set(table, written(table) + 1);
      if (table === undefined) return kept.clear();
      for (const [key, each] of kept) if (each.table === table) kept.delete(key);
    },
  };
}

function createFlight(question: Question, expectedMs: number, reader: AbortSignal | undefined): Flight {
  let settle: Flight['settle'] = () => undefined;
  const answer = new Promise<DeskAnswer>((resolve) => {
    settle = resolve;
  });
  answer.catch(() => undefined);
  const ending = new AbortController();
  const stopWaiting = (): void => undefined;
  return {
    question,
    reader,
    ending,
    answer,
    settle,
    expectedMs,
    readers: 0,
    started: false,
    place: 0,
    stopWaiting,
  };
}

function endFlight(flight: Flight, turns: { drop(flight: Flight): void }): void {
  flight.stopWaiting();
  flight.ending.abort(new GoneError('no reader waits for the answer'));
  if (!flight.started) turns.drop(flight);
}

function secondsOf(ms: number): number {
  return Math.min(60, Math.max(1, Math.ceil(ms / 1_000)));
}

function untilGone(flight: Flight, gone: AbortSignal, leave: (flight: Flight) => void): Promise<DeskAnswer> {
  return new Promise((resolve, reject) => {
    const left = (): void => {
      leave(flight);
      reject(new GoneError('the reader has left'));
    };
    // One signal has as many listeners as a page has queries.
    setMaxListeners(0, gone);
    gone.addEventListener('abort', left, { once: true });
    flight.answer.then(resolve, reject).finally(() => gone.removeEventListener('abort', left));
  });
}

/** The recent durations of each query. */
function createCosts() {
  const known = new Map<string, number>();
  return {
    of: ({ query }: Question): number => known.get(query) ?? firstCostMs,
    learn(query: string, tookMs: number): void {
      const before = known.get(query);
      known.delete(query);
      known.set(query, before === undefined ? tookMs : before * 0.7 + tookMs * 0.3);
      if (known.size > maxKnownQueries) known.delete(known.keys().next().value!);
    },
  };
}
