import { createManualClock, type Revisioned } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { unreadBeside } from './unread';

interface Note extends Revisioned {
  readonly text: string;
}
const at = new Date(0);
const row = { createdAt: at, updatedAt: at };

async function setStage() {
  const store = createFakeStore({ clock: createManualClock() });
  const notes = store.collection<Note>({ name: 'notes', indexes: [], vocabulary: { text: ['old', 'known'] } });
  await notes.insert({ _id: 'a', text: 'known' });
  const find = () => notes.find({}, { sort: { _id: 1 }, limit: 10 });
  return { store, notes, find };
}

describe('what a list lacks', () => {
  it('is nothing while every row of the collection can be read', async () => {
    const { notes, find } = await setStage();
    expect(await unreadBeside(notes, await find())).toBeNull();
  });

  it('is a row of another build, until it is repaired or gone', async () => {
    const { notes, find } = await setStage();
    notes.put({ _id: 'b', revision: 'r', ...row, text: 'new' });
    const read = await find();
    expect(read).toMatchObject([{ _id: 'a' }]);
    expect(await unreadBeside(notes, read)).toBe('notes: record b has a text that this build does not know');
    notes.put({ _id: 'b', revision: 'r', ...row, text: 'known' });
    expect(await unreadBeside(notes, read)).toBe('notes: record b was repaired just now');
    expect(await unreadBeside(notes, read, ({ text }) => text === 'old')).toBeNull();
    const whole = await find();
    expect([whole.length, await unreadBeside(notes, whole)]).toEqual([2, null]);
    await notes.remove(whole[1]!);
    expect(await unreadBeside(notes, await find())).toBeNull();
  });

  it('is not known while the store is unreachable', async () => {
    const { store, notes, find } = await setStage();
    notes.put({ _id: 'b', revision: 'r', ...row, text: 'new' });
    const read = await find();
    store.setAvailable(false);
    await expect(unreadBeside(notes, read)).rejects.toThrow('the store is unreachable');
  });
});
