/** Reads in one turn become one query, and each begins after it was requested. */
import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import type { DeletedTenant } from '../domain/deleted-tenant';
import { createBatchedRead, withBatchedReads } from './batched-read';
import { deletedTenantsCollection } from './deleted-tenants';
import { deliveriesCollection, haveOpenDeliveries, type Deliveries } from './deliveries';

describe('a batched read', () => {
  it('asks once for what is asked in one turn, each key once, and gives every caller its own answer', async () => {
    const queries: (readonly string[])[] = [];
    const read = createBatchedRead(async (keys) => {
      queries.push(keys);
      return keys.map((key) => `${key}!`);
    });
    expect(await Promise.all(['a', 'b', 'a', 'c'].map(read))).toEqual(['a!', 'b!', 'a!', 'c!']);
    expect(await read('a')).toBe('a!');
    expect(queries).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('cuts what one query cannot take', async () => {
    const sizes: number[] = [];
    const read = createBatchedRead(async (keys) => {
      sizes.push(keys.length);
      return keys;
    });
    const keys = Array.from({ length: 450 }, (_unused, number) => `key-${number}`);
    expect(await Promise.all(keys.map(read))).toEqual(keys);
    expect(sizes).toEqual([200, 200, 50]);
  });

  it('sees what was written before it was asked for, though a batch is under way', async () => {
    let value = 1;
    let answer: () => void = () => undefined;
    const read = createBatchedRead(async () => {
      const seen = value;
      await new Promise<void>((resolve) => (answer = resolve));
      return [seen];
    });
    const first = read('key');
    await new Promise((resolve) => setImmediate(resolve));
    value = 2;
    answer();
    const second = read('key');
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  it('fails for all that it was asked for, and works again afterwards', async () => {
    let away = true;
    const read = createBatchedRead(async (keys) => {
      if (away) throw new Error('away');
      return keys;
    });
    const [one, two] = await Promise.allSettled([read('a'), read('b')]);
    expect([one.status, two.status]).toEqual(['rejected', 'rejected']);
    away = false;
    expect(await read('a')).toBe('a');
  });
});

describe('a collection with batched reads', () => {
  it('gives each record by its id and null for what is not there', async () => {
    const store = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() });
    const tenants = withBatchedReads<DeletedTenant>(store.collection(deletedTenantsCollection));
    await tenants.insert({ _id: 'acme', operationId: 'operation-1', deletedAt: new Date() } as never);
    const found = await Promise.all(['acme', 'globex', 'acme'].map((id) => tenants.findById(id)));
    expect(found.map((tenant) => tenant?._id)).toEqual(['acme', undefined, 'acme']);
    expect(await tenants.findById('globex')).toBeNull();
  });

  it('says which operations have an open delivery, also when one query cannot hold all of them', async () => {
    const row = (operationId: string, number: number) => ({ _id: `${operationId}-${number}`, operationId });
    const full = Array.from({ length: 1_000 }, (_unused, number) => row('busy', number));
    const asked: unknown[] = [];
    const find = async (filter: { operationId: { $in: string[] } }) => {
      asked.push(filter.operationId.$in);
      if (filter.operationId.$in.includes('busy')) return full;
      return filter.operationId.$in.filter((id) => id !== 'done').map((id) => row(id, 0));
    };
    const deliveries = { find } as unknown as Deliveries;
    expect(await haveOpenDeliveries(deliveries, ['waiting', 'done'])).toEqual([true, false]);
    expect(await haveOpenDeliveries(deliveries, ['busy', 'waiting', 'done'])).toEqual([true, true, false]);
    expect(await haveOpenDeliveries(deliveries, ['busy'])).toEqual([true]);
    expect(asked.slice(1, 4)).toEqual([['busy', 'waiting', 'done'], ['waiting'], ['done']]);
    expect(deliveriesCollection.indexes.map(({ name }) => name)).toContain('of_operation');
  });
});
