/** The writes of a database, from its change stream. The driver resumes a stream whose connection broke. */
import { MongoServerError, type ChangeStream, type Db } from 'mongodb';
import { portError } from '../adapter/driver-errors';
import type { WriteWatch } from './port';

/** Unauthorized; only on replica sets; and the errors of stores without change streams. */
const unwatchable: ReadonlyMap<unknown, string> = new Map([
  [13, 'the user may not read the change stream'],
  [40_573, 'a single server has no change stream'],
  [40_324, 'the store has no change streams'],
]);

type Stream = Pick<ChangeStream, 'tryNext' | 'hasNext' | 'next' | 'close'>;

/** See `Tables.watch`. */
export async function watchWrites(
  db: { watch(pipeline: Parameters<Db['watch']>[0]): Stream },
  onWrite: (table: string | undefined) => void,
): Promise<WriteWatch | string> {
  const stream = db.watch([{ $project: { ns: 1, operationType: 1 } }]);
  let closed = false;
  const end = async (): Promise<void> => {
    closed = true;
    await stream.close().catch(() => undefined);
  };
  const tell = (change: unknown): void => onWrite(tableOf(change));
  try {
    // The first read opens the stream: writes from here on are reported.
    const first: unknown = await stream.tryNext();
    if (first !== null) tell(first);
  } catch (error) {
    await end();
    const reason = error instanceof MongoServerError ? unwatchable.get(error.code) : undefined;
    if (reason !== undefined) return reason;
    throw portError('watch', error);
  }
  const follow = async (): Promise<{ readonly lost?: string }> => {
    try {
      while (await stream.hasNext()) tell(await stream.next());
      return closed ? {} : { lost: 'the stream ended' };
    } catch (error) {
      return closed ? {} : { lost: error instanceof Error ? error.message : String(error) };
    } finally {
      await end();
    }
  };
  return { ended: follow(), close: end };
}

function tableOf(change: unknown): string | undefined {
  const ns: unknown = typeof change === 'object' && change !== null && 'ns' in change ? change.ns : undefined;
  return typeof ns === 'object' && ns !== null && 'coll' in ns && typeof ns.coll === 'string' ? ns.coll : undefined;
}
