/**
 * Transactions apply completely or not at all, indexes stay correct, and the journal restores exactly what was
 * committed.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashText, seededId } from './ids';
import { openJournal } from './journal';
import { createState, type State } from './state';

const add = (state: State, id: string, n = 0): void => state.transact(() => void state.add('counter', { id, n }));
const ignore = (): void => undefined;
const ids = (state: State): string[] => [...state.rows('counter')].map((row) => row.id);

describe('a transaction', () => {
  it('is visible to itself at once and to others when it commits', () => {
    const state = createState();
    add(state, 'a');
    state.transact(() => {
      state.edit('counter', 'a').n = 5;
      state.add('counter', { id: 'b', n: 1 });
      state.remove('counter', 'a');
      expect(ids(state)).toEqual(['b']);
      state.remove('counter', 'b');
      state.add('counter', { id: 'c', n: 2 });
    });
    expect(ids(state)).toEqual(['c']);
  });

  it('leaves nothing behind when it throws, nor when the commit is refused', () => {
    const state = createState();
    add(state, 'a', 1);
    const before = state.get('counter', 'a');
    expect(() =>
      state.transact(() => {
        state.edit('counter', 'a').n = 9;
        throw new Error('no');
      }),
    ).toThrow('no');
    state.onCommit(() => {
      throw new Error('disk full');
    });
    expect(() => add(state, 'b')).toThrow('disk full');
    expect([ids(state), state.get('counter', 'a')]).toEqual([['a'], before]);
    expect(() => state.edit('counter', 'a')).toThrow('outside a transaction');
  });

  it('keeps indexes true through changes, removals and drafts', () => {
    const state = createState();
    const row = (id: string, event: string) => ({
      id,
      event,
      endpoint: 'we',
      attempts: 0,
      status: 'pending' as const,
      lastStatus: null,
      lastError: null,
      notBefore: 0,
    });
    const of = (event: string): string[] => state.where('delivery', 'event', event).map((each) => each.id);
    state.transact(() => ['1', '2', '3'].forEach((id) => state.add('delivery', row(id, 'x'))));
    state.transact(() => {
      state.edit('delivery', '2').event = 'y';
      state.remove('delivery', '3');
      state.add('delivery', row('4', 'x'));
      expect([of('x'), of('y')]).toEqual([['1', '4'], ['2']]);
    });
    expect([of('x'), of('y'), of('z')]).toEqual([['1', '4'], ['2'], []]);
    expect(() => state.where('delivery', 'endpoint', 'we_1')).toThrow('no index');
  });

  it('refuses a second one inside, an unknown row and a taken id', () => {
    const state = createState();
    add(state, 'a');
    expect(() => state.transact(() => add(state, 'b'))).toThrow('inside a transaction');
    expect(() => state.transact(() => state.edit('counter', 'z'))).toThrow('no counter z');
    expect(() => add(state, 'a')).toThrow('exists');
  });
});

describe('the journal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twin-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('brings back every commit, whole, at every length that a crash may leave', () => {
    const file = join(folder, 'j');
    const state = createState();
    const journal = openJournal(file, state, ignore);
    const ends = [statSync(file).size];
    for (const id of ['a', 'b', 'c']) {
      state.transact(() => {
        state.add('counter', { id, n: 1 });
        state.add('counter', { id: `${id}${id}`, n: 1 });
      });
      ends.push(statSync(file).size);
    }
    journal.close();
    const whole = readFileSync(file);
    for (let length = whole.length; length >= ends[0]!; length -= 1) {
      writeFileSync(file, whole.subarray(0, length));
      const again = createState();
      openJournal(file, again, ignore).close();
      const commits = ends.filter((end) => end <= length).length - 1;
      expect(ids(again)).toEqual(['a', 'aa', 'b', 'bb', 'c', 'cc'].slice(0, 2 * commits));
    }
  });

  it('forgets removed rows when it is opened again', () => {
    const file = join(folder, 'j');
    const state = createState();
    const journal = openJournal(file, state, ignore);
    for (let n = 0; n < 50; n += 1) add(state, `row${n}`);
    state.transact(() => [...ids(state)].forEach((id) => state.remove('counter', id)));
    journal.close();
    const again = createState();
    openJournal(file, again, ignore).close();
    expect([ids(again), statSync(file).size]).toEqual([[], '{"format":"provider-twin","version":1}\n'.length]);
  });
});

describe('ids', () => {
  it("depend on seed, kind and number alone, and look like the provider's", () => {
    expect(seededId('s', 'cus', 1)).toBe(seededId('s', 'cus', 1));
    expect(
      new Set([seededId('s', 'cus', 1), seededId('s', 'cus', 2), seededId('t', 'cus', 1), seededId('s', 'sub', 1)])
        .size,
    ).toBe(4);
    expect(seededId('s', 'cus', 1)).toMatch(/^cus_[0-9A-Za-z]{14}$/);
    expect(hashText(100, 'x')).toMatch(/^[0-9A-Za-z]{100}$/);
    expect(hashText(10, 'a', 'b')).not.toBe(hashText(10, 'ab'));
  });
});
