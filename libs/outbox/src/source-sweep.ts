/**
 * One sweep over the outbox of one collection: pages of records, waves of publishes. It ends early when a whole wave
 * goes unacknowledged, because the broker is then most likely away; the next one begins behind that wave and comes
 * round, so that messages which nothing acknowledges cannot keep all others waiting.
 */
import type { Publication, Publisher } from './publisher';
import type { OutboxSource } from './port';

export interface SweepReport {
  /** Entries that the broker has acknowledged. */
  readonly acknowledged: number;
  /** Of those, entries that ended with it and were removed. */
  readonly confirmed: number;
  readonly unacknowledged: number;
  /** Entries that the publisher refuses as they are; reported in the log, tried again after `republishAfterMs`. */
  readonly refused: number;
  /**
   * False when the store was unreachable or the broker did not acknowledge, so that entries were left for the next
   * sweep.
   */
  readonly complete: boolean;
}

export type Tally = { -readonly [K in keyof SweepReport]: SweepReport[K] };

export interface SourceSweepOptions {
  readonly source: OutboxSource;
  readonly publisher: Publisher;
  /** Records per read. */
  readonly batch: number;
  /** Publishes under way at a time. */
  readonly inFlight: number;
  /** Whether the relay is closing. */
  readonly stopped: () => boolean;
}

/** Adds the answers of one wave; answers whether any of them was an acknowledgement, or none was asked for. */
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
}: SourceSweepOptions): (tally: Tally) => Promise<void> {
  /** The last record of the wave that ended the previous sweep. */
  let endedAt: string | undefined;

  /** Goes from a record to the end; false when it ended early. */
  async function pass(tally: Tally, from: string | undefined, seen: Set<string>): Promise<boolean> {
    let after = from;
    for (;;) {
      const page = await source.pending(batch, after);
      const last = page.at(-1);
      if (!last) return true;
      after = last.recordId;
      for (const { entry } of page) seen.add(entry.id);
      const due = page.filter(({ entry }) => publisher.due(entry));
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
