/**
 * Decides whose turn it is: the waiting party whose questions have cost the least, and within it the reader whose
 * questions have cost the least. A party that returns after a pause starts at the level of the others, so that none can
 * save up turns.
 */
export interface Waiting {
  readonly question: { readonly party: string };
  /** The reader who asked first; undefined for a caller who cannot leave. */
  readonly reader: AbortSignal | undefined;
  /** The question's expected cost in milliseconds, charged to its party until the real cost is known. */
  readonly expectedMs: number;
  /** Its place among the waiting questions of its party: the cost of its reader's earlier questions. */
  place: number;
}

/** The questions without those of its own reader. */
export function ofOthers<T extends Waiting>(flights: Iterable<T>, { reader }: Waiting): T[] {
  return [...flights].filter((each) => reader === undefined || each.reader !== reader);
}

export function workOf(flights: Iterable<Waiting>): number {
  return [...flights].reduce((sum, { expectedMs }) => sum + expectedMs, 0);
}

export function createTurns<T extends Waiting>() {
  const queues = new Map<string, ReturnType<typeof createQueue<T>>>();
  const spentBy = new Map<string, number>();
  let level = 0;

  const spent = (party: string, costMs: number): void => {
    spentBy.set(party, Math.max(spentBy.get(party) ?? 0, level) + costMs);
    for (const [other, total] of spentBy) if (total < level && !queues.has(other)) spentBy.delete(other);
  };
  return {
    spent,
    waiting: (party: string): number => queues.get(party)?.flights().length ?? 0,
    /**
     * Milliseconds of other readers' waiting work that comes first: in its own party the work with an earlier place,
     * and of every other party as much as its own party is given meanwhile.
     */
    workBefore(flight: T): number {
      const { party } = flight.question;
      const before = queues.get(party)?.before(flight) ?? [];
      const given = workOf(before) + flight.expectedMs;
      const others = [...queues].filter(([other]) => other !== party);
      return others.reduce(
        (sum, [, queue]) => sum + Math.min(given, workOf(queue.flights())),
        workOf(ofOthers(before, flight)),
      );
    },
    wait(flight: T): void {
      const { party } = flight.question;
      const queue = queues.get(party) ?? createQueue<T>();
      queue.add(flight);
      queues.set(party, queue);
    },
    drop(flight: T): void {
      const { party } = flight.question;
      const queue = queues.get(party);
      queue?.drop(flight);
      if (queue?.flights().length === 0) queues.delete(party);
    },
    next(): T | undefined {
      const total = (party: string): number => Math.max(spentBy.get(party) ?? 0, level);
      const [party] = [...queues.keys()].sort((a, b) => total(a) - total(b));
      const flight = party === undefined ? undefined : queues.get(party)?.flights()[0];
      if (!flight) return undefined;
      level = total(flight.question.party);
      this.drop(flight);
      spent(flight.question.party, flight.expectedMs);
      return flight;
    },
  };
}

/** The waiting questions of one party, in the order of their turns. */
function createQueue<T extends Waiting>() {
  let waiting: T[] = [];
  let level = 0;
  const placeOf = ({ reader }: T): number => {
    const last = reader === undefined ? undefined : waiting.findLast((each) => each.reader === reader);
    return last ? last.place + last.expectedMs : level;
  };
  const before = (flight: T): T[] => {
    const place = placeOf(flight);
    return waiting.filter((each) => each.place <= place);
  };
  return {
    flights: (): readonly T[] => waiting,
    before,
    add(flight: T): void {
      const at = before(flight).length;
      flight.place = placeOf(flight);
      waiting.splice(at, 0, flight);
    },
    drop(flight: T): void {
      if (waiting[0] === flight) level = flight.place;
      waiting = waiting.filter((each) => each !== flight);
    },
  };
}
