/**
 * Law 7: the messages of a record reach the broker although no transaction spans the two. The relay publishes right
 * after the write, and sweeps for messages that this missed: after a crash, or when the broker was unreachable or lost
 * its disk. Time only decides when to repeat something harmless; a proof removes an entry from the record (an
 * acknowledgement or, through its owner, a receiver's record), never its age.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Log, OutboxEntry } from '@platform/kernel';
import { createPublisher } from './publisher';
import type { OutboxBacklog, OutboxSource, Publish, Received, Wait } from './port';
import { createSourceSweep, type SweepReport, type Tally } from './source-sweep';

export interface OutboxRelayOptions<S extends string> {
  /** The outbox of each announcing collection by the collection's name. */
  readonly sources: Readonly<Record<S, OutboxSource>>;
  readonly publish: Publish;
  readonly clock: Clock;
  readonly log: Log;
  /** Pause between the end of one sweep and the start of the next. Default 5,000. */
  readonly sweepIntervalMs?: number;
  /** Asked in each sweep; by default only the owner of an entry ends its wait for the receiver. */
  readonly received?: Received;
  /**
   * An entry that was acknowledged but still exists is published again after this time, and from the third time on at
   * growing intervals, up to 16 times as long, until a publish shows that the broker was unreachable. Default 60,000.
   */
  readonly republishAfterMs?: number;
  /** Records per read of a sweep, 1 to 1,000. Default 500. */
  readonly batch?: number;
  /** Publishes under way at a time in a sweep. Default 64. */
  readonly inFlight?: number;
  /** The timer; tests control it. */
  readonly wait?: Wait;
}

export interface OutboxRelay<S extends string> {
  /**
   * Publishes what a write has just announced, without reading it back. Never rejects: the sweep handles what fails.
   * Callers need not wait for it.
   */
  publishNow(source: S, recordId: string, entries: readonly OutboxEntry[]): Promise<void>;
  /** Publishes entries that this process never tried or tried too long ago. Never rejects; joins a running sweep. */
  sweep(): Promise<SweepReport>;
  /** Sweeps at once and then at intervals until closed. */
  start(): void;
  /**
   * The broker has lost messages that it had acknowledged: entries that wait for their receiver are published again in
   * the next sweep.
   */
  streamsRecreated(): void;
  /** Starts nothing more and waits for running work. */
  close(): Promise<void>;
  /** Waiting entries by collection. Rejects when the store does not answer. */
  backlog(): Promise<Record<S, OutboxBacklog>>;
  /** When a sweep last visited every collection; null before the first. */
  lastSweepAt(): Date | null;
}

const waitByTimer: Wait = async (milliseconds, signal) => {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
};

async function backlogOf<S extends string>(
  sources: Readonly<Record<S, OutboxSource>>,
): Promise<Record<S, OutboxBacklog>> {
  const names = Object.keys(sources) as S[];
  const counted = await Promise.all(names.map(async (name) => [name, await sources[name].backlog()] as const));
  return Object.fromEntries(counted) as Record<S, OutboxBacklog>;
}

interface NamedSweep {
  readonly name: string;
  readonly sweep: (tally: Tally) => Promise<void>;
}

/** One sweep through every source; a source that cannot be read does not block the others. */
async function sweepEach(sweeps: readonly NamedSweep[], log: Log): Promise<Tally> {
  const tally: Tally = { acknowledged: 0, confirmed: 0, unacknowledged: 0, refused: 0, complete: true };
  for (const { name, sweep } of sweeps) {
    try {
      await sweep(tally);
    } catch (error) {
      tally.complete = false;
      log.warn({ collection: name, error: String(error) }, 'the outbox could not be read; the next sweep tries again');
    }
  }
  return tally;
}

/** The relay of one service over all its announcing collections. */
export function createOutboxRelay<S extends string>(options: OutboxRelayOptions<S>): OutboxRelay<S> {
  const { sources, clock, log, sweepIntervalMs = 5_000, batch = 500, inFlight = 64, wait = waitByTimer } = options;
  const publisher = createPublisher({
    publish: options.publish,
    clock,
    log,
    republishAfterMs: options.republishAfterMs ?? 60_000,
  });
  const stop = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let sweeping: Promise<SweepReport> | null = null;
  let looping: Promise<void> | null = null;
  let lastSweepAt: Date | null = null;

  const stopped = (): boolean => stop.signal.aborted;
  const received = options.received && { received: options.received };
  const sweeps = (Object.keys(sources) as S[]).map((name) => ({
    name,
    sweep: createSourceSweep({ source: sources[name], publisher, batch, inFlight, stopped, log, ...received }),
  }));

  async function sweepAll(): Promise<SweepReport> {
    const tally = await sweepEach(sweeps, log);
    if (tally.complete) lastSweepAt = clock.now();
    if (tally.acknowledged > 0 || !tally.complete) log.info({ ...tally }, 'outbox swept');
    return tally;
  }

  function sweep(): Promise<SweepReport> {
    sweeping ??= sweepAll().finally(() => {
      sweeping = null;
    });
    return sweeping;
  }

  async function loop(): Promise<void> {
    while (!stopped()) {
      await sweep();
      if (!stopped()) await wait(sweepIntervalMs, stop.signal);
    }
  }

  return {
    async publishNow(source, recordId, entries) {
      if (stopped()) return;
      const carried = Promise.all(entries.map((entry) => publisher.publish(sources[source], recordId, entry)));
      underWay.add(carried);
      await carried.finally(() => underWay.delete(carried));
    },
    sweep,
    streamsRecreated: () => publisher.forgetAcknowledged(),
    start() {
      if (!stopped()) looping ??= loop();
    },
    async close() {
      stop.abort();
      await looping;
      await sweeping;
      await Promise.all(underWay);
    },
    backlog: () => backlogOf(sources),
    lastSweepAt: () => lastSweepAt,
  };
}
