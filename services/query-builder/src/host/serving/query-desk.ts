/**
 * Schedules the queries of all requests before the database. Identical queries share one execution. Only a few run at a
 * time, and waiting ones take turns by workspace, so that one workspace's heavy page delays its own readers first. A
 * query that would wait too long is refused at once, and a query without readers is ended.
 */
import type { Row } from '@platform/page-runtime';

export interface Question {
  /** The table that is read. */
  readonly table: string;
  /** Equal keys mean equal answers: table, pipeline and time limit. The pipeline holds the tenant. */
  readonly key: string;
  /** The party that takes turns: a workspace, or a caller without one. */
  readonly party: string;
  /** The query's name; questions of one query are expected to cost the same. */
  readonly query: string;
  /** Asks the database; ends when the signal says so. */
  run(signal: AbortSignal): Promise<readonly Row[]>;
}

interface DeskAnswer {
  readonly rows: readonly Row[];
  /** When the database was asked, in milliseconds of the clock. */
  readonly askedAt: number;
}

export interface QueryDesk {
  /**
   * Throws OverloadedError instead of waiting too long, GoneError once `gone` says that its reader left, and what `run`
   * throws.
   */
  ask(question: Question, gone?: AbortSignal): Promise<DeskAnswer>;
  /**
   * Rows of a table were written, or of any table: what was asked before is kept no longer. Readers who share an
   * execution that runs already get its answer, which says when it was asked.
   */
  forget(table?: string): void;
}

export interface DeskLimits {
  /** Questions that the database is asked at a time. */
  readonly running: number;
  /** The longest wait for a turn, estimated from the expected cost of the queries before it. */
  readonly waitMs: number;
  /** Under load, an answer of at most this age is given instead of waiting. 0: none. */
  readonly keptMs: number;
}

/** The service has more questions than it can answer in time. */
export class OverloadedError extends Error {
  override name = 'OverloadedError';
  constructor(readonly retryAfterSeconds: number) {
    super('more questions wait than can be answered in time');
  }
}

/** The reader of an answer has left before it came. */
export class GoneError extends Error {
  override name = 'GoneError';
}

interface Flight {
  readonly question: Question;
  readonly ending: AbortController;
  readonly answer: Promise<DeskAnswer>;
  settle(answer: Promise<DeskAnswer>): void;
  /** What it is expected to cost, in milliseconds; its party is charged so much until it is known. */
  readonly expectedMs: number;
  readers: number;
  started: boolean;
}

/** Questions of one party that wait at most. */
const maxWaiting = 200;
const maxKept = 200;
const maxKnownQueries = 5_000;
/** What a query is expected to cost before it ran once. */
const firstCostMs = 100;

export function createQueryDesk(limits: DeskLimits, now: () => number = Date.now): QueryDesk {
  const { running: most, waitMs, keptMs } = limits;
  const flights = new Map<string, Flight>();
  const kept = createKept(keptMs, now);
  const costs = createCosts();
  const turns = createTurns();
  const running = new Set<Flight>();

  const start = (flight: Flight): void => {
    const { question, ending } = flight;
    const askedAt = now();
    const holds = kept.since(question.table);
    flight.started = true;
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
        if (flights.get(question.key) === flight) flights.delete(question.key);
        for (let next = turns.next(); next; next = running.size < most ? turns.next() : undefined) start(next);
      });
  };
  const admit = (question: Question): Flight => {
    const flight = createFlight(question, costs.of(question));
    if (running.size < most) {
      turns.spent(question.party, flight.expectedMs);
      start(flight);
    } else {
      const expectedMs = (workOf(running) + turns.workBefore(flight)) / most;
      if (expectedMs > waitMs || turns.waiting(question.party) >= maxWaiting)
        throw new OverloadedError(Math.min(60, Math.max(1, Math.ceil(expectedMs / 1_000))));
      turns.wait(flight);
    }
    flights.set(question.key, flight);
    return flight;
  };
  const leave = (flight: Flight): void => {
    flight.readers -= 1;
    if (flight.readers > 0) return;
    if (flights.get(flight.question.key) === flight) flights.delete(flight.question.key);
    endFlight(flight, turns);
  };

  return {
    async ask(question, gone) {
      if (gone?.aborted) throw new GoneError('the reader has left');
      const shared = flights.get(question.key);
      const old = kept.young(question.key);
      if (!shared && running.size >= most && old) return old;
      const flight = shared ?? admit(question);
      flight.readers += 1;
      return gone ? untilGone(flight, gone, leave) : flight.answer;
    },
    forget: kept.forget,
  };
}

/** Recent answers. */
function createKept(keptMs: number, now: () => number) {
  const kept = new Map<string, { readonly table: string; readonly answer: DeskAnswer }>();
  const isYoung = ({ askedAt }: DeskAnswer): boolean => now() - askedAt <= keptMs;
  /** How often each table, and all of them, were written. */
  const writes = new Map<string | undefined, number>();
  const written = (table: string | undefined): number => writes.get(table) ?? 0;
  return {
    /** `holds`: no write of its table was reported since it was asked. */
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
    /** Whether no write was reported since this call. */
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

function createFlight(question: Question, expectedMs: number): Flight {
  let settle: Flight['settle'] = () => undefined;
  const answer = new Promise<DeskAnswer>((resolve) => {
    settle = resolve;
  });
  answer.catch(() => undefined);
  return { question, ending: new AbortController(), answer, settle, expectedMs, readers: 0, started: false };
}

function endFlight(flight: Flight, turns: { drop(flight: Flight): void }): void {
  flight.ending.abort(new GoneError('no reader waits for the answer'));
  if (!flight.started) turns.drop(flight);
}

function workOf(flights: Iterable<Flight>): number {
  return [...flights].reduce((sum, { expectedMs }) => sum + expectedMs, 0);
}

function untilGone(flight: Flight, gone: AbortSignal, leave: (flight: Flight) => void): Promise<DeskAnswer> {
  return new Promise((resolve, reject) => {
    const left = (): void => {
      leave(flight);
      reject(new GoneError('the reader has left'));
    };
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

/**
 * The next party: of those that wait, the one whose queries have cost the least. A party that returns after a pause
 * starts level with the others, so that no party can save up turns.
 */
function createTurns() {
  const queues = new Map<string, Flight[]>();
  const spentBy = new Map<string, number>();
  let level = 0;

  const spent = (party: string, costMs: number): void => {
    spentBy.set(party, Math.max(spentBy.get(party) ?? 0, level) + costMs);
    for (const [other, total] of spentBy) if (total < level && !queues.has(other)) spentBy.delete(other);
  };
  return {
    spent,
    waiting: (party: string): number => queues.get(party)?.length ?? 0,
    /**
     * Milliseconds of the waiting work that comes before it: its own party's, and as much of every other that waits.
     */
    workBefore({ question: { party }, expectedMs }: Flight): number {
      const own = workOf(queues.get(party) ?? []);
      const others = [...queues].filter(([other]) => other !== party);
      return others.reduce((sum, [, queue]) => sum + Math.min(own + expectedMs, workOf(queue)), own);
    },
    wait(flight: Flight): void {
      const { party } = flight.question;
      queues.set(party, [...(queues.get(party) ?? []), flight]);
    },
    drop(flight: Flight): void {
      const { party } = flight.question;
      const left = (queues.get(party) ?? []).filter((each) => each !== flight);
      if (left.length > 0) queues.set(party, left);
      else queues.delete(party);
    },
    next(): Flight | undefined {
      const total = (party: string): number => Math.max(spentBy.get(party) ?? 0, level);
      const [party] = [...queues.keys()].sort((a, b) => total(a) - total(b));
      const flight = party === undefined ? undefined : queues.get(party)?.[0];
      if (!flight) return undefined;
      level = total(flight.question.party);
      this.drop(flight);
      spent(flight.question.party, flight.expectedMs);
      return flight;
    },
  };
}
