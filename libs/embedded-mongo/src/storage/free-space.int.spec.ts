/**
 * A disk that fills up: writes are refused before one is lost, reads continue, and writes are accepted again when there
 * is room (SEC-15).
 */
import { openTestStore, type TestStore } from '../testing/open-test-store';
import { createRoomCheck } from './free-space';

describe('a store whose disk is nearly full', () => {
  let free = Number.POSITIVE_INFINITY;
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore({ freeBytes: async () => free });
  });
  afterAll(() => test.close());

  it('refuses writes with the error of MongoDB, answers reads, and takes writes again when there is room', async () => {
    const orders = test.client.db('shop').collection<{ _id: string; n: number }>('orders');
    const seen = async () => (await orders.find().toArray()).map(({ _id, n }) => `${_id} ${n}`);
    await orders.insertOne({ _id: 'a', n: 1 });
    free = 5 * 1_048_576;
    const look = () => new Promise((later) => setTimeout(later, 300));
    await look();
    const full = { code: 14_031, codeName: 'OutOfDiskSpace' };
    await expect(orders.insertOne({ _id: 'b', n: 1 })).rejects.toMatchObject(full);
    await expect(orders.updateOne({ _id: 'a' }, { $set: { n: 2 } })).rejects.toMatchObject(full);
    await expect(orders.deleteOne({ _id: 'a' })).rejects.toMatchObject(full);
    await expect(orders.createIndex({ n: 1 })).rejects.toMatchObject(full);
    expect(await seen()).toEqual(['a 1']);
    free = Number.POSITIVE_INFINITY;
    await look();
    await orders.insertOne({ _id: 'b', n: 1 });
    expect(await seen()).toEqual(['a 1', 'b 1']);
    expect(test.faults).toEqual([]);
  });
});

describe('the look at the disk', () => {
  it('is shared by the writes of a quarter of a second, and a file system that does not answer refuses none', async () => {
    let [looks, at] = [0, 0];
    const check = createRoomCheck(
      async () => {
        looks += 1;
        if (looks === 2) throw new Error('no such folder');
        return 1e12;
      },
      () => at,
    );
    await check();
    await check();
    expect(looks).toBe(1);
    at = 250;
    await check();
    expect(looks).toBe(2);
  });
});
