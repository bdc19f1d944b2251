/**
 * Whose turn it is: of the parties that wait, the one whose questions have cost the least, and within it the reader of
 * whom that is true. One that comes back after a pause begins where the others are, so that none can save up turns.
 */
export interface Waiting {
  readonly question: { readonly party: string };
  /** Who asked first; undefined for one who cannot leave. */
  readonly reader: AbortSignal | undefined;
  /** What it is expected to cost, in milliseconds; its party is charged so much until it is known. */
  readonly expectedMs: number;
  /** Among the waiting questions of its party: what its reader's questions before it cost. */
  place: number;
}

/** Without those of its own reader. */
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
     * Milliseconds of the waiting work of others that comes before it: in its own party what has an earlier place, and
     * of every other party as much as its own is given meanwhile.
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
