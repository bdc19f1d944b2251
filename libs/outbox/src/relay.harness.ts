/**
 * A relay over records in memory: the test controls the clock, the timer, the broker's answers and the store's
 * failures.
 */
import { createManualClock, silentLog, type OutboxEntry } from '@platform/kernel';
import { createOutboxRelay, type OutboxRelayOptions, type OutboxSource } from './index';
import { createRecordingPublisher } from './testing';

export const clock = createManualClock();

export function entry(id: string, closesOn: OutboxEntry['closesOn'] = 'receiver_record'): OutboxEntry {
  return { id, subject: `subject.${id}`, type: 'thing.happened.v1', body: { id }, closesOn, createdAt: clock.now() };
}

/** Records with their outbox in memory, counting reads; `failing` makes the named call reject. */
function createSource(records: Record<string, OutboxEntry[]> = {}) {
  const rows = new Map(Object.entries(records));
  const source = {
    rows,
    reads: 0,
    failing: new Set<'pending' | 'confirm'>(),
    ids: () => [...rows.values()].flat().map(({ id }) => id),
    async pending(limit: number, after?: string) {
      source.reads += 1;
      if (source.failing.has('pending')) throw new Error('the store is unreachable');
      const ids = [...rows.keys()]
        .filter((id) => (rows.get(id)?.length ?? 0) > 0 && (after === undefined || id > after))
        .sort();
      return ids.slice(0, limit).flatMap((recordId) => rows.get(recordId)!.map((one) => ({ recordId, entry: one })));
    },
    async confirm(recordId: string, entryId: string) {
      if (source.failing.has('confirm')) throw new Error('the store is unreachable');
      rows.set(
        recordId,
        (rows.get(recordId) ?? []).filter(({ id }) => id !== entryId),
      );
    },
    async backlog() {
      const waiting = [...rows.values()].flat();
      return { count: waiting.length, oldest: waiting[0]?.createdAt ?? null };
    },
  };
  return source satisfies OutboxSource;
}

/** An acknowledgement that the test delays. */
export function createLatch() {
  let resolve: (answer: 'acknowledged') => void = () => undefined;
  const promise = new Promise<'acknowledged'>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A timer whose pauses last until the test ends them. */
function createHandDrivenWait() {
  const pauses: { readonly milliseconds: number; end(): void }[] = [];
  const arrivals: (() => void)[] = [];
  return {
    pauses,
    wait: (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        pauses.push({ milliseconds, end: resolve });
        signal.addEventListener('abort', () => resolve());
        arrivals.shift()?.();
      }),
    /** Resolves when the next pause begins. */
    begun: () => new Promise<void>((resolve) => arrivals.push(resolve)),
  };
}

export function setUp(
  records: Record<string, OutboxEntry[]> = {},
  options: Partial<Pick<OutboxRelayOptions<'things'>, 'batch' | 'inFlight' | 'received'>> = {},
) {
  const source = createSource(records);
  const publisher = createRecordingPublisher();
  const timer = createHandDrivenWait();
  const open = () =>
    createOutboxRelay({
      sources: { things: source },
      publish: publisher.publish,
      clock,
      log: silentLog,
      sweepIntervalMs: 5_000,
      republishAfterMs: 60_000,
      wait: timer.wait,
      ...options,
    });
  const published = () => publisher.messages.map(({ id }) => id);
  return { source, publisher, timer, open, relay: open(), published };
}
