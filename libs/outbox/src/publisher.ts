/**
 * Publishes one entry to the broker and remembers its attempts in this process, so that a sweep neither repeats a
 * running publication nor floods the broker with entries that wait for their receiver. Losing this memory only costs a
 * repeat with the same id.
 */
import type { Clock, Log, OutboxEntry } from '@platform/kernel';
import type { OutboxSource, Publish } from './port';

export type Publication =
  /** Acknowledged; the entry stays until its receiver's record exists. */
  | 'published'
  /** Acknowledged and removed from its record. */
  | 'confirmed'
  /** Acknowledged, but the store did not answer the removal of the entry. */
  | 'unconfirmed'
  /** The broker did not answer. */
  | 'unacknowledged'
  /** The publisher threw: this message cannot be sent in its current form; others may. */
  | 'refused';

interface Trace {
  readonly source: OutboxSource;
  triedAt: number;
  /** Publications since the broker was last found to be unreachable. */
  times: number;
  state: 'trying' | 'acknowledged' | 'refused';
}

export interface Publisher {
  /** Whether the entry needs work in a sweep. */
  due(entry: OutboxEntry): boolean;
  /** Whether the broker has it and the receiver's record of it is awaited. */
  awaitsReceiver(entry: OutboxEntry): boolean;
  /** Removes an entry that its receiver has recorded. Never rejects. */
  received(source: OutboxSource, recordId: string, entry: OutboxEntry): Promise<Publication>;
  /** Never rejects. */
  publish(source: OutboxSource, recordId: string, entry: OutboxEntry): Promise<Publication>;
  /** Drops the memory of acknowledged entries, so that each that remains is published again. */
  forgetAcknowledged(): void;
  /** Drops the memory of this source's entries that a whole sweep did not find any more. */
  forgetExcept(source: OutboxSource, seen: ReadonlySet<string>): void;
}

/** After this many publications the intervals grow, so that a silent receiver does not fill a stream. */
const unhurried = 3;
const doublings = 4;

async function send(publish: Publish, entry: OutboxEntry, log: Log): Promise<'acknowledged' | 'unknown' | 'refused'> {
  try {
    const { subject, id, type, body, traceparent } = entry;
    return await publish({ subject, id, type, body, ...(traceparent !== undefined && { traceparent }) });
  } catch (error) {
    log.error(
      { entryId: entry.id, subject: entry.subject, error: String(error) },
      'an outbox entry was refused by the publisher',
    );
    return 'refused';
  }
}

interface PublisherOptions {
  readonly publish: Publish;
  readonly clock: Clock;
  readonly log: Log;
  readonly republishAfterMs: number;
}

export function createPublisher({ publish, clock, log, republishAfterMs }: PublisherOptions): Publisher {
  const traces = new Map<string, Trace>();
  const rested = ({ triedAt, times }: Trace): boolean =>
    clock.now().getTime() - triedAt >= republishAfterMs * 2 ** Math.min(Math.max(times - unhurried, 0), doublings);

  async function confirm(source: OutboxSource, recordId: string, entry: OutboxEntry): Promise<Publication> {
    try {
      await source.confirm(recordId, entry.id);
      traces.delete(entry.id);
      return 'confirmed';
    } catch (error) {
      log.warn(
        { recordId, entryId: entry.id, error: String(error) },
        'an acknowledged outbox entry could not be removed; the next sweep tries again',
      );
      return 'unconfirmed';
    }
  }

  return {
    due(entry) {
      const trace = traces.get(entry.id);
      if (!trace) return true;
      if (trace.state === 'trying') return false;
      return rested(trace) || (trace.state === 'acknowledged' && entry.closesOn === 'publish_ack');
    },
    awaitsReceiver: (entry) => entry.closesOn === 'receiver_record' && traces.get(entry.id)?.state === 'acknowledged',
    received: confirm,
    async publish(source, recordId, entry) {
      const known = traces.get(entry.id);
      if (known?.state === 'acknowledged' && entry.closesOn === 'publish_ack') return confirm(source, recordId, entry);
      const times = (known?.times ?? 0) + 1;
      const trace: Trace = { source, triedAt: clock.now().getTime(), times, state: 'trying' };
      traces.set(entry.id, trace);
      const answer = await send(publish, entry, log);
      if (answer === 'unknown') {
        traces.delete(entry.id);
        for (const one of traces.values()) one.times = 1;
        return 'unacknowledged';
      }
      trace.state = answer;
      if (answer === 'refused') return 'refused';
      return entry.closesOn === 'publish_ack' ? confirm(source, recordId, entry) : 'published';
    },
    forgetAcknowledged() {
      for (const [id, { state }] of traces) if (state === 'acknowledged') traces.delete(id);
    },
    forgetExcept(source, seen) {
      for (const [id, trace] of traces) {
        if (trace.source === source && trace.state !== 'trying' && !seen.has(id) && rested(trace)) traces.delete(id);
      }
    },
  };
}
