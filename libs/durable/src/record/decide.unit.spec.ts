import { createManualClock, createSequentialIds, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { decide, type RetryPolicy } from './index';

interface Count extends Revisioned {
  readonly n: number;
}

const ports = { retryPolicy: { tries: 3, pause: () => Promise.resolve() } satisfies RetryPolicy };

async function open() {
  const store = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() });
  const counts = store.collection<Count>({ name: 'counts', indexes: [], announces: true });
  await counts.insert({ _id: 'a', n: 0 });
  return { store, counts, up: (read: Count | null) => ({ write: { _id: 'a', n: (read?.n ?? 0) + 1 } }) };
}

describe('a decision on one document', () => {
  it('is made again on what is read after a lost race, so that no writer is overwritten', async () => {
    const { counts, up } = await open();
    const decided = await Promise.all(Array.from({ length: 16 }, () => decide(ports, counts, 'a', up)));
    expect(decided.every(({ kind }) => kind === 'written')).toBe(true);
    expect(await counts.findById('a')).toMatchObject({ n: 16 });
  });

  it('creates the record once, whichever writer is faster', async () => {
    const { counts } = await open();
    const make = (read: Count | null) => (read ? { answer: 'there' } : { write: { _id: 'b', n: 1 } });
    const decided = await Promise.all([1, 2, 3].map(() => decide(ports, counts, 'b', make)));
    expect(decided.map(({ kind }) => kind).sort()).toEqual(['answered', 'answered', 'written']);
  });

  it.each(['before', 'after'] as const)(
    'is made once when the answer of its write is lost %s it took effect',
    async (when) => {
      const { store, counts, up } = await open();
      store.loseNextWrite(when);
      expect(await decide(ports, counts, 'a', up)).toMatchObject({ kind: 'written', record: { n: 1 } });
      expect(await counts.findById('a')).toMatchObject({ n: 1 });
    },
  );

  it('answers without a write', async () => {
    const { counts } = await open();
    expect(await decide(ports, counts, 'a', () => ({ answer: 'no' }))).toEqual({ kind: 'answered', answer: 'no' });
  });

  it('saves the first reading when the caller has just read, and finds out when that is old', async () => {
    const { counts, up } = await open();
    const old = (await counts.findById('a'))!;
    await decide(ports, counts, 'a', up);
    expect(await decide(ports, counts, 'a', up, old)).toMatchObject({ kind: 'written', record: { n: 2 } });
  });

  it('says that nothing is known when the store stays away, and pauses between its tries', async () => {
    const { store, counts, up } = await open();
    store.setAvailable(false);
    let pauses = 0;
    const counted = { retryPolicy: { tries: 4, pause: async () => void (pauses += 1) } };
    expect(await decide(counted, counts, 'a', up)).toMatchObject({ kind: 'unknown' });
    expect(pauses).toBe(3);
  });

  it('goes on when the store comes back', async () => {
    const { store, counts, up } = await open();
    store.setAvailable(false);
    const returning = { retryPolicy: { tries: 3, pause: async () => store.setAvailable(true) } };
    expect(await decide(returning, counts, 'a', up)).toMatchObject({ kind: 'written' });
  });

  it('refuses a record whose unique key another one holds', async () => {
    const { store } = await open();
    const keyed = store.collection<Count>({ name: 'keyed', indexes: [{ name: 'n', key: { n: 1 }, unique: true }] });
    await keyed.insert({ _id: 'a', n: 7 });
    await expect(decide(ports, keyed, 'b', () => ({ write: { _id: 'b', n: 7 } }))).rejects.toThrow('unique key');
  });
});
