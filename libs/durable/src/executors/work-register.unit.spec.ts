import { createManualClock, createSequentialIds, silentLog, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { createLatch, settle } from '@platform/testing';
import { writeFenced } from '../record/write-fenced';
import { createWorkRegister, plainRegister, type WorkUnderWay } from './work-register';

interface Note extends Revisioned {
  readonly text: string;
}

async function setStage() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const notes = store.collection<Note>({ name: 'notes', indexes: [] });
  const inserted = await notes.insert({ _id: 'a', text: 'first' });
  if (inserted.outcome !== 'applied') throw new Error('not inserted');
  const errors: object[] = [];
  const infos: object[] = [];
  const log = {
    ...silentLog,
    error: (fields: object) => void errors.push(fields),
    info: (fields: object) => void infos.push(fields),
  };
  const pauses: number[] = [];
  let onPause = (_tries: number): Promise<void> => Promise.resolve();
  const announced: WorkUnderWay[] = [];
  const register = createWorkRegister({
    patience: { tries: 2, pause: () => Promise.resolve() },
    pauseBeyond: (tries) => {
      pauses.push(tries);
      return onPause(tries);
    },
    clock,
    log,
    onUnrecorded: (work) => void announced.push(work),
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
    inserted: inserted.record,
    errors,
    infos,
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

  it('counts the work on records of one collection, and each piece of work once', async () => {
    const { register } = await setStage();
    const never = () => new Promise<never>(() => undefined);
    for (const key of ['notes/a', 'notes/b', 'notes/a', 'notes_of_others/a']) void register.run(key, never);
    expect(register.count('notes')).toBe(2);
  });

  it('names work until the last of its executors has ended', async () => {
    const { register } = await setStage();
    const [one, other] = [createLatch(), createLatch()];
    const running = [one, other].map((latch) => register.run('notes/a', () => latch.wait()));
    one.open();
    await running[0];
    expect(register.find('notes/a')).toBeDefined();
    other.open();
    await running[1];
    expect(register.find('notes/a')).toBeUndefined();
  });

  it('is drained when the last work has ended, also work that began meanwhile', async () => {
    const { register } = await setStage();
    const [one, other] = [createLatch(), createLatch()];
    const ended: string[] = [];
    const first = register.run('notes/a', async () => {
      await one.wait();
      void register.run('notes/b', () => other.wait()).then(() => ended.push('b'));
    });
    const drained = register.drained().then(() => ended.push('register'));
    one.open();
    await first;
    await settle();
    expect(ended).toEqual([]);
    other.open();
    await drained;
    expect(ended).toEqual(['b', 'register']);
  });

  it('keeps an executor trying after its patience, says so once, and forgets it when it is written', async () => {
    const { clock, store, register, write, errors, infos, announced, pauses, during } = await setStage();
    store.setAvailable(false);
    const since = clock.now();
    const reason = 'notes: the store did not answer';
    const seen: unknown[] = [];
    void register.run('notes/b', () => new Promise<never>(() => undefined));
    during(async (tries) => {
      clock.advance(1_000);
      seen.push(...register.unrecorded());
      if (tries === 4) store.setAvailable(true);
    });
    expect(await write()).toMatchObject({ kind: 'written', record: { text: 'second' } });
    expect(pauses).toEqual([1, 2, 3, 4]);
    const unrecorded = { key: 'notes/a', since, unrecorded: { since, reason } };
    expect(seen).toEqual(Array(4).fill(unrecorded));
    expect(announced).toEqual([unrecorded]);
    const learnt = { _id: 'a', text: 'second' };
    expect(errors).toEqual([{ work: 'notes/a', record: { collection: 'notes', id: 'a' }, reason, tries: 2, learnt }]);
    expect(infos).toEqual([{ work: 'notes/a', since }]);
    expect(register.unrecorded()).toEqual([]);
  });

  it('forgets an outcome that is written while its work goes on, and says nothing of one that is written at once', async () => {
    const { store, notes, inserted, register, infos, during } = await setStage();
    const seen: unknown[] = [];
    store.setAvailable(false);
    during(async () => store.setAvailable(true));
    await register.run('notes/a', async ({ retryPolicy }) => {
      const first = await writeFenced(notes, inserted, { _id: 'a', text: 'second' }, [], retryPolicy);
      seen.push(register.find('notes/a')?.unrecorded);
      if (first.kind !== 'written') throw new Error('not written');
      await writeFenced(notes, first.record, { _id: 'a', text: 'third' }, [], retryPolicy);
    });
    expect(seen).toEqual([undefined]);
    expect(infos).toHaveLength(1);
  });

  it('has what it knows of each record in the log while it goes on trying, for a process that ends at once', async () => {
    const { store, notes, inserted, register, errors, during } = await setStage();
    const other = await notes.insert({ _id: 'b', text: 'first' });
    if (other.outcome !== 'applied') throw new Error('not inserted');
    store.setAvailable(false);
    during(() => new Promise(() => undefined));
    void register.run('notes/a', async ({ retryPolicy }) => {
      for (const note of [inserted, other.record])
        void writeFenced(notes, note, { _id: note._id, text: `end of ${note._id}` }, [], retryPolicy);
      await new Promise<never>(() => undefined);
    });
    while (register.unrecorded().length === 0) await new Promise(setImmediate);
    await settle();
    expect(errors).toMatchObject([{ learnt: { text: 'end of a' } }, { learnt: { text: 'end of b' } }]);
  });

  it('leaves what it knows in the log when the process ends, after one last try', async () => {
    const { store, register, write, errors, during } = await setStage();
    store.setAvailable(false);
    during(() => new Promise(() => undefined));
    const writing = write();
    while (register.unrecorded().length === 0) await new Promise(setImmediate);
    await register.drained();
    expect(await writing).toMatchObject({ kind: 'unknown' });
    expect(errors.at(-1)).toEqual({
      work: 'notes/a',
      record: { collection: 'notes', id: 'a' },
      reason: 'notes: the store did not answer',
      learnt: { _id: 'a', text: 'second' },
    });
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

  it('keeps an executor trying also where no listener hears of unrecorded outcomes', async () => {
    const { clock, store, notes, inserted } = await setStage();
    const register = createWorkRegister({
      patience: { tries: 1, pause: () => Promise.resolve() },
      pauseBeyond: async () => store.setAvailable(true),
      clock,
      log: silentLog,
    });
    store.setAvailable(false);
    const written = await register.run('notes/a', ({ retryPolicy }) =>
      writeFenced(notes, inserted, { _id: 'a', text: 'second' }, [], retryPolicy),
    );
    expect(written).toMatchObject({ kind: 'written' });
  });

  it.each([
    [60, 8],
    [3, 3],
  ])(
    'with a patience of %i tries makes %i at the end of the process, which does not wait for long',
    async (tries, made) => {
      const { clock, store, notes, inserted } = await setStage();
      const pauses: number[] = [];
      const pause = async (attempt: number) => void pauses.push(attempt);
      const register = createWorkRegister({
        patience: { tries, pause },
        pauseBeyond: () => Promise.resolve(),
        clock,
        log: silentLog,
      });
      store.setAvailable(false);
      register.end();
      const written = await register.run('notes/a', ({ retryPolicy }) =>
        writeFenced(notes, inserted, { _id: 'a', text: 'second' }, [], retryPolicy),
      );
      expect(written).toMatchObject({ kind: 'unknown' });
      expect(pauses).toEqual(Array.from({ length: made - 1 }, (_each, at) => at + 1));
    },
  );
});

describe('a register outside a service', () => {
  it('ends retrying with the patience', async () => {
    const { clock, store, notes, inserted } = await setStage();
    const register = plainRegister({ tries: 3, pause: () => Promise.resolve() }, clock, silentLog);
    const since = clock.now();
    store.setAvailable(false);
    const written = register.run('notes/a', ({ retryPolicy }) =>
      writeFenced(notes, inserted, { _id: 'a', text: 'second' }, [], retryPolicy),
    );
    expect(register.find('notes/a')).toEqual({ key: 'notes/a', since });
    expect(await written).toMatchObject({ kind: 'unknown' });
  });
});
