/** What a journal is that a crash, a full disk or a person has left: whole without a torn last line, or refused as it is. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from './journal';
import { createState } from './state';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twin-journal-'));
  file = join(folder, 'twin.json');
  const state = createState();
  const journal = openJournal(file, state, () => undefined);
  for (const id of ['a', 'b', 'c']) state.transact(() => void state.add('counter', { id, n: 1 }));
  journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens the file; `ids` are the rows that it has brought back. */
function open(): { ids: string[]; warnings: string[] } {
  const warnings: string[] = [];
  const state = createState();
  openJournal(file, state, (text) => warnings.push(text)).close();
  return { ids: [...state.rows('counter')].map(({ id }) => id), warnings };
}

function refusal(): string {
  const before = readFileSync(file, 'hex');
  let message = 'opened';
  try {
    open();
  } catch (error) {
    message = (error as Error).message;
  }
  expect(readFileSync(file, 'hex')).toBe(before);
  return message;
}

const lines = (): string[] => readFileSync(file, 'utf8').split('\n');

describe('a journal', () => {
  it('without damage is opened without a word', () => {
    expect(open()).toEqual({ ids: ['a', 'b', 'c'], warnings: [] });
  });

  it('with a torn last line is opened without it, and says so once', () => {
    writeFileSync(file, readFileSync(file).subarray(0, -7));
    const { ids, warnings } = open();
    expect(ids).toEqual(['a', 'b']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/twin\.json, line 4: .*not complete.*left out.* had not answered/);
    expect(open()).toEqual({ ids: ['a', 'b'], warnings: [] });
  });

  it.each([
    ['is empty', () => ''],
    ['ends within its first line', (text: string) => text.slice(0, 20)],
    ['begins with another line', (text: string) => `{}\n${text}`],
  ])('that %s is refused and left as it is: a twin never leaves one', (_how, damaged) => {
    writeFileSync(file, damaged(readFileSync(file, 'utf8')));
    expect(refusal()).toMatch(
      /twin\.json, line 1: .*is not a provider twin journal.* left as it was.*Restore it from a copy/,
    );
  });

  it.each([
    ['bytes of no text', Buffer.from([0x5b, 0xff, 0xfe, 0x5d])],
    ['text that is no JSON', Buffer.from('[["counter","b",{"id"')],
    ['JSON that is no list of changes', Buffer.from('{"id":"b"}')],
    ['a change of a table that there is not', Buffer.from('[["counters","b",{"id":"b"}]]')],
    ['a change of another row than it names', Buffer.from('[["counter","b",{"id":"z","n":1}]]')],
    ['nothing', Buffer.from('')],
  ])('with %s in a complete line is refused with the number of the line', (_what, damage) => {
    const [first = '', second = '', , ...rest] = lines();
    const parts = [`${first}\n${second}\n`, damage, `\n${rest.join('\n')}`];
    writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))));
    expect(refusal()).toMatch(/twin\.json, line 3: .*damaged.* left as it was.*Restore it from a copy/);
  });
});

describe('a journal in use', () => {
  it.each([
    ['was opened by a second twin', () => openJournal(file, createState(), () => undefined).close()],
    ['was removed', () => rmSync(file)],
  ])('that %s takes no further change: it would be answered and lost', (_how, happens) => {
    const state = createState();
    const journal = openJournal(file, state, () => undefined);
    state.transact(() => void state.add('counter', { id: 'd', n: 1 }));
    happens();
    const add = () => state.transact(() => void state.add('counter', { id: 'lost', n: 1 }));
    expect(add).toThrow(/twin\.json is no longer the journal of this process.*Nothing was changed/);
    expect(state.get('counter', 'lost')).toBeUndefined();
    journal.close();
    if (existsSync(file)) expect(open().ids).toEqual(['a', 'b', 'c', 'd']);
  });
});
