import { MongoServerError } from 'mongodb';
import { StoreRefusedError } from '../adapter/driver-errors';
import { watchWrites } from './watch-writes';

/** A change stream that contains what the test puts into it. */
function streamOf(opening: () => Promise<unknown> = async () => null) {
  const waiting: { readonly change?: unknown; readonly error?: Error }[] = [];
  let wake: () => void = () => undefined;
  let closed = false;
  const put = (event: { readonly change?: unknown; readonly error?: Error }): void => {
    waiting.push(event);
    wake();
  };
  return {
    put,
    closed: () => closed,
    watch: () => ({
      tryNext: opening as () => Promise<never>,
      async hasNext() {
        while (waiting.length === 0 && !closed) await new Promise<void>((resolve) => (wake = resolve));
        return !closed;
      },
      async next() {
        const { change, error } = waiting.shift()!;
        if (error) throw error;
        return change as never;
      },
      async close() {
        closed = true;
        wake();
      },
    }),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('watching the writes of a database', () => {
  it('tells of the table of each write, and of all where a write has none', async () => {
    const stream = streamOf(async () => ({ ns: { db: 'd', coll: 'first' } }));
    const written: (string | undefined)[] = [];
    const watch = await watchWrites(stream, (table) => written.push(table));
    stream.put({ change: { operationType: 'insert', ns: { db: 'd', coll: 'orders' } } });
    stream.put({ change: { operationType: 'dropDatabase', ns: { db: 'd' } } });
    await settled();
    expect(written).toEqual(['first', 'orders', undefined]);
    if (typeof watch === 'string') throw new Error(watch);
    await watch.close();
    expect(await watch.ended).toEqual({});
  });

  it('ends with the reason when the stream is lost, and closes it', async () => {
    const stream = streamOf();
    const watch = await watchWrites(stream, () => undefined);
    stream.put({ error: new Error('the resume point is gone') });
    if (typeof watch === 'string') throw new Error(watch);
    expect(await watch.ended).toEqual({ lost: 'the resume point is gone' });
    expect(stream.closed()).toBe(true);
  });

  it('answers why where a store reports no writes, and throws what is no such reason', async () => {
    const refusing = (code: number) => streamOf(() => Promise.reject(new MongoServerError({ message: 'no', code })));
    const single = refusing(40_573);
    expect(await watchWrites(single, () => undefined)).toMatch('single server');
    expect(single.closed()).toBe(true);
    expect(await watchWrites(refusing(13), () => undefined)).toMatch('may not');
    await expect(watchWrites(refusing(2), () => undefined)).rejects.toThrow(StoreRefusedError);
  });
});
