import { createManualClock, createSequentialIds, silentLog, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { writeFenced } from '../record/write-fenced';
import { createWorkRegister } from './work-register';

interface Note extends Revisioned {
  readonly text: string;
}

async function setStage() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const notes = store.collection<Note>({ name: 'notes', indexes: [] });
  const inserted = await notes.insert({ _id: 'a', text: 'first' });
  if (inserted.outcome !== 'applied') throw new Error('not inserted');
  const errors: { fields: unknown; message: string }[] = [];
  const log = { ...silentLog, error: (fields: object, message: string) => void errors.push({ fields, message }) };
  const pauses: number[] = [];
  let onPause = (_tries: number): Promise<void> => Promise.resolve();
  const announced: string[] = [];
  const register = createWorkRegister({
    patience: { tries: 2, pause: () => Promise.resolve() },
    pauseBeyond: (tries) => {
      pauses.push(tries);
      return onPause(tries);
    },
    clock,
    log,
    onUnrecorded: ({ key }) => void announced.push(key),
  });
  const write = () =>
    register.run('notes/a', ({ retryPolicy }) =>
      writeFenced(notes, inserted.record, { _id: 'a', text: 'second' }, [], retryPolicy),
    );
  return {
    clock,
    store,
    notes,
    register,
    errors,
    announced,
    pauses,
    write,
    during: (then: typeof onPause) => void (onPause = then),
  };
}

describe('the register of work under way', () => {
  it('names work from its begin to its end, and nothing else', async () => {
    const { register, write } = await setStage();
    const writing = write();
    expect(register.find('notes/a')).toMatchObject({ key: 'notes/a' });
    expect(register.find('notes/b')).toBeUndefined();
    expect(register.count('notes')).toBe(1);
    await writing;
    expect(register.find('notes/a')).toBeUndefined();
  });

  it('keeps an executor trying after its patience, says so once, and forgets it when it is written', async () => {
    const { store, register, write, announced, pauses, during } = await setStage();
    store.setAvailable(false);
    const seen: unknown[] = [];
    during(async (tries) => {
      seen.push(register.find('notes/a')?.unrecorded?.reason);
      if (tries === 4) store.setAvailable(true);
    });
    expect(await write()).toMatchObject({ kind: 'written', record: { text: 'second' } });
    expect(pauses).toEqual([1, 2, 3, 4]);
    expect(seen).toEqual(Array(4).fill(expect.any(String)));
    expect(announced).toEqual(['notes/a']);
    expect(register.unrecorded()).toEqual([]);
  });

  it('leaves what it knows in the log when the process ends, after one last try', async () => {
    const { store, register, write, errors, during } = await setStage();
    store.setAvailable(false);
    during(() => new Promise(() => undefined));
    const writing = write();
    while (register.unrecorded().length === 0) await new Promise(setImmediate);
    await register.drained();
    expect(await writing).toMatchObject({ kind: 'unknown' });
    expect(errors.at(-1)).toMatchObject({ fields: { work: 'notes/a', learnt: { text: 'second' } } });
  });

  it('lets an end take in what the store takes just then', async () => {
    const { store, notes, register, write, during } = await setStage();
    store.setAvailable(false);
    during(() => new Promise(() => undefined));
    const writing = write();
    while (register.unrecorded().length === 0) await new Promise(setImmediate);
    store.setAvailable(true);
    await register.drained();
    expect(await writing).toMatchObject({ kind: 'written' });
    expect(notes.all()).toMatchObject([{ text: 'second' }]);
  });
});
