/**
 * One sweep over the outbox of one collection: pages of records, waves of publishes. It ends early when a whole wave
 * goes unacknowledged, because the broker is then most likely unreachable; the next sweep begins after that wave and
 * wraps around, so that unacknowledged messages cannot block the others.
 */
import type { Publication, Publisher } from './publisher';
import type { Log, OutboxEntry } from '@platform/kernel';
import type { OutboxSource, Received } from './port';

export interface SweepReport {
  /** Entries that the broker has acknowledged. */
  readonly acknowledged: number;
  /** Entries that were removed, by the acknowledgement or by their receiver's record. */
  readonly confirmed: number;
  readonly unacknowledged: number;
  /**
   * Entries that the publisher refuses in their current form; reported in the log, and tried again after
   * `republishAfterMs`.
   */
  readonly refused: number;
  /**
   * False when the store was unreachable or the broker did not acknowledge, so that entries were left for the next
   * sweep.
   */
  readonly complete: boolean;
}

export type Tally = { -readonly [K in keyof SweepReport]: SweepReport[K] };

interface Row {
  readonly recordId: string;
  readonly entry: OutboxEntry;
}

export interface SourceSweepOptions {
  readonly source: OutboxSource;
  readonly publisher: Publisher;
  /** Records per read. */
  readonly batch: number;
  /** Publishes under way at a time. */
  readonly inFlight: number;
  /** Whether the relay is closing. */
  readonly stopped: () => boolean;
  readonly received?: Received;
  readonly log: Log;
}

/** Adds the answers of one wave; returns whether any was an acknowledgement, or none was awaited. */
function countWave(answers: readonly Publication[], tally: Tally): boolean {
  const count = (wanted: Publication): number => answers.filter((answer) => answer === wanted).length;
  const acknowledged = count('published') + count('confirmed') + count('unconfirmed');
  tally.acknowledged += acknowledged;
  tally.confirmed += count('confirmed');
  tally.unacknowledged += count('unacknowledged');
  tally.refused += count('refused');
  if (count('unacknowledged') > 0) tally.complete = false;
  return acknowledged > 0 || count('unacknowledged') === 0;
}

/** Returns the sweep of one source; it adds to the tally and rejects when the store is unreachable. */
export function createSourceSweep({
  source,
  publisher,
  batch,
  inFlight,
  stopped,
  received,
  log,
}: SourceSweepOptions): (tally: Tally) => Promise<void> {
  /** The last record of the wave that ended the previous sweep. */
  let endedAt: string | undefined;

  /** Removes the entries that their receiver has recorded; returns the rest of the page. */
  async function endReceived(page: readonly Row[], tally: Tally): Promise<readonly Row[]> {
    const waiting = received ? page.filter(({ entry }) => publisher.awaitsReceiver(entry)) : [];
    if (!received || waiting.length === 0) return page;
    try {
      const known = await received(waiting.map(({ entry }) => entry));
      const ended = waiting.filter(({ entry }) => known.has(entry.id));
      await Promise.all(ended.map(({ recordId, entry }) => publisher.received(source, recordId, entry)));
      tally.confirmed += ended.length;
      return page.filter(({ entry }) => !known.has(entry.id));
    } catch (error) {
      log.warn({ error: String(error) }, 'receivers of messages could not be asked; the next sweep asks again');
      return page;
    }
  }

  /** Sweeps from a record to the end; false when it ended early. */
  async function pass(tally: Tally, from: string | undefined, seen: Set<string>): Promise<boolean> {
    let after = from;
    for (;;) {
      const page = await source.pending(batch, after);
      const last = page.at(-1);
      if (!last) return true;
      after = last.recordId;
      for (const { entry } of page) seen.add(entry.id);
      const due = (await endReceived(page, tally)).filter(({ entry }) => publisher.due(entry));
      for (let start = 0; start < due.length; start += inFlight) {
        const wave = due.slice(start, start + inFlight);
        if (stopped()) {
          tally.complete = false;
          return false;
        }
        const answers = await Promise.all(
          wave.map(({ recordId, entry }) => publisher.publish(source, recordId, entry)),
        );
        if (!countWave(answers, tally)) {
          endedAt = wave.at(-1)?.recordId;
          return false;
        }
      }
    }
  }

  return async (tally) => {
    const seen = new Set<string>();
    const resumeAt = endedAt;
    endedAt = undefined;
    if (resumeAt !== undefined && !(await pass(tally, resumeAt, seen))) return;
    if (await pass(tally, undefined, seen)) publisher.forgetExcept(source, seen);
  };
}
