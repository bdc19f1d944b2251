import { silentLog } from '@platform/kernel';
import { StoreUnavailableError, type WriteWatch } from '@platform/mongo';
import { followWrites } from './follow-writes';

/** A database whose stream opens, reports and ends when the test decides. */
function storeWith(...openings: ('opens' | 'unavailable' | 'never')[]) {
  const streams: { tell(table?: string): void; lose(): void }[] = [];
  const told: (readonly string[] | null)[] = [];
  const waits: number[] = [];
  const watch = async (onWrite: (table: string | undefined) => void): Promise<WriteWatch | string> => {
    const opening = openings.shift() ?? 'opens';
    if (opening === 'never') return 'a single server has no change stream';
    if (opening === 'unavailable') throw new StoreUnavailableError('watch: gone');
    let end: (ending: { lost?: string }) => void = () => undefined;
    const ended = new Promise<{ lost?: string }>((resolve) => (end = resolve));
    streams.push({ tell: onWrite, lose: () => end({ lost: 'gone' }) });
    return { ended, close: async () => end({}) };
  };
  const start = () =>
    followWrites({
      tables: { watch },
      written: (tables) => told.push(tables),
      log: silentLog,
      gatherMs: 0,
      wait: async (milliseconds) => waits.push(milliseconds),
    });
  return { start, streams, told, waits };
}

/** Waits until the condition is true, and fails when it never is. */
async function until(holds: () => boolean): Promise<void> {
  for (let waits = 0; !holds(); waits += 1) {
    if (waits > 2_000) throw new Error('it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('following the writes of the database', () => {
  it('tells of tables that were written, each once, and of all when it begins', async () => {
    const { start, streams, told } = storeWith();
    const writes = await start();
    await until(() => told.length === 1);
    for (const table of ['orders', 'orders', 'customers']) streams[0]!.tell(table);
    await until(() => told.length === 2);
    expect(writes.followed()).toBe(true);
    streams[0]!.tell();
    streams[0]!.tell('orders');
    await until(() => told.length === 3);
    expect(told).toEqual([null, ['orders', 'customers'], null]);
    await writes.close();
  });

  it('begins again after a loss, and then tells that any table may have been written', async () => {
    const { start, streams, told, waits } = storeWith('opens', 'unavailable', 'unavailable', 'opens');
    const writes = await start();
    await until(() => told.length === 1);
    streams[0]!.lose();
    await until(() => told.length === 2);
    expect(streams).toHaveLength(2);
    expect(waits).toHaveLength(3);
    expect(told).toEqual([null, null]);
    streams[1]!.tell('orders');
    await until(() => told.length === 3);
    expect(told.at(-1)).toEqual(['orders']);
    await writes.close();
    expect(writes.followed()).toBe(false);
  });

  it('goes on without a store that reports no writes, and begins where it is not there yet', async () => {
    const single = storeWith('never');
    const none = await single.start();
    expect([none.followed(), single.waits, single.told]).toEqual([false, [], []]);
    await none.close();
    const late = storeWith('unavailable', 'opens');
    const writes = await late.start();
    await until(() => late.told.length === 1);
    expect([writes.followed(), late.told]).toEqual([true, [null]]);
    await writes.close();
  });
});
