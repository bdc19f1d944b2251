import { createManualClock, createSequentialIds, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { insertFenced, writeFenced, type RetryPolicy } from './write-fenced';

interface Note extends Revisioned {
  readonly text: string;
}

const retryPolicy: RetryPolicy = { tries: 3, pause: () => Promise.resolve() };

async function open() {
  const store = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() });
  const notes = store.collection<Note>({ name: 'notes', indexes: [] });
  const inserted = await notes.insert({ _id: 'a', text: 'first' });
  if (inserted.outcome !== 'applied') throw new Error('not inserted');
  return { store, notes, current: inserted.record };
}

describe('a fenced write of a living executor', () => {
  it.each(['before', 'after'] as const)(
    'is resolved when its answer is lost %s it took effect, and applies once',
    async (when) => {
      const { store, notes, current } = await open();
      store.loseNextWrite(when);
      expect(await writeFenced(notes, current, { _id: 'a', text: 'second' }, [], retryPolicy)).toMatchObject({
        kind: 'written',
        record: { text: 'second' },
      });
      expect(notes.all()).toHaveLength(1);
    },
  );

  it('loses to the first writer, and gets the record that was written', async () => {
    const { notes, current } = await open();
    await notes.mutate(current, { _id: 'a', text: 'faster' });
    expect(await writeFenced(notes, current, { _id: 'a', text: 'slower' }, [], retryPolicy)).toMatchObject({
      kind: 'lost',
      record: { text: 'faster' },
    });
  });

  it('gives up after its tries and says that nothing is known', async () => {
    const { store, notes, current } = await open();
    store.setAvailable(false);
    let pauses = 0;
    const counted: RetryPolicy = { tries: 4, pause: async () => void (pauses += 1) };
    expect(await writeFenced(notes, current, { _id: 'a', text: 'second' }, [], counted)).toMatchObject({
      kind: 'unknown',
    });
    expect(pauses).toBe(3);
  });

  it('finishes when the store comes back between two tries', async () => {
    const { store, notes, current } = await open();
    store.setAvailable(false);
    const returning: RetryPolicy = { tries: 3, pause: async () => store.setAvailable(true) };
    expect(await writeFenced(notes, current, { _id: 'a', text: 'second' }, [], returning)).toMatchObject({
      kind: 'written',
    });
  });
});

describe('an insert by a living executor', () => {
  it.each(['before', 'after'] as const)('is its own when its answer is lost %s it took effect', async (when) => {
    const { store, notes } = await open();
    store.loseNextWrite(when);
    let unanswered = 0;
    expect(
      await insertFenced(notes, { _id: 'b', text: 'mine' }, retryPolicy, () => void (unanswered += 1)),
    ).toMatchObject({ kind: 'written', record: { text: 'mine' } });
    expect({ unanswered, rows: notes.all().length }).toEqual({ unanswered: 1, rows: 2 });
  });

  it('gets the record that holds the id, also when its own answer was lost', async () => {
    const { store, notes } = await open();
    const other = { kind: 'exists', record: { text: 'first' } };
    expect(await insertFenced(notes, { _id: 'a', text: 'mine' }, retryPolicy)).toMatchObject(other);
    store.loseNextWrite('before');
    expect(await insertFenced(notes, { _id: 'a', text: 'mine' }, retryPolicy)).toMatchObject(other);
  });

  it('takes no record for its own that another has made as it would have', async () => {
    const { notes } = await open();
    expect(await insertFenced(notes, { _id: 'a', text: 'first' }, retryPolicy)).toMatchObject({ kind: 'exists' });
  });

  it('gives up after its tries and says that nothing is known', async () => {
    const { store, notes } = await open();
    store.setAvailable(false);
    expect(await insertFenced(notes, { _id: 'b', text: 'mine' }, retryPolicy)).toMatchObject({ kind: 'unknown' });
  });
});
