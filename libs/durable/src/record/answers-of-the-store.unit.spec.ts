/** Each answer that the store can give to one decision, from a script: what is read, tried again and reported then. */
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type Draft, type InsertOutcome, type MutationOutcome } from '@platform/mongo';
import { decide, insertFenced, writeFenced, type RetryPolicy } from './index';
import type { DecidedCollection } from './collections';
import { sameContent, type Unwritten } from './write-fenced';

interface Note extends Revisioned {
  readonly text: string;
  readonly key?: string;
}
type Scripted = DecidedCollection<Note, Draft<Note>>;

const note = (text: string, more: object = {}): Note => ({
  ...{ _id: 'a', revision: `of ${text}`, createdAt: new Date(0), updatedAt: new Date(0), text },
  ...more,
});
const entry: OutboxEntry = {
  ...{ id: 'e', subject: 's', type: 't.v1', body: {}, closesOn: 'publish_ack', createdAt: new Date(0) },
};
const draft = { _id: 'a', text: 'mine' };
const applied = { outcome: 'applied', record: note('mine') } as const;
const unknown = { outcome: 'unknown', reason: 'no majority' } as const;
const lost = { outcome: 'not_applied' } as const;

interface Script {
  readonly reads?: readonly (Note | null | Error)[];
  readonly inserts?: readonly InsertOutcome<Note>[];
  readonly mutations?: readonly MutationOutcome<Note>[];
}

/** Gives its answers in turn; more questions than answers fail the test. */
function scripted({ reads = [], inserts = [], mutations = [] }: Script) {
  const asked: string[] = [];
  const next = <T>(what: string, left: T[]): T => {
    asked.push(what);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`an unexpected ${what}`);
    return answer;
  };
  const [toRead, toInsert, toMutate] = [[...reads], [...inserts], [...mutations]];
  const collection: Scripted = {
    name: 'notes',
    findById: async () => {
      const answer = next('read', toRead);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    insert: async () => next('insert', toInsert),
    mutate: async () => next('mutate', toMutate),
  };
  return { collection, asked };
}

function watched(tries = 3) {
  const given: Unwritten[] = [];
  const decided: object[] = [];
  const policy: RetryPolicy = {
    tries,
    pause: async () => undefined,
    outlast: async (unwritten) => {
      given.push(unwritten);
      return false;
    },
    decided: (record) => void decided.push(record),
  };
  return { retryPolicy: policy, given, decided };
}

const mine = () => ({ write: draft });
const announced = () => ({ write: draft, announce: [entry] });
const record = { collection: 'notes', id: 'a' };

describe('a decision', () => {
  it('asks the store twice, and says what it announced', async () => {
    for (const [make, entries] of [
      [mine, []],
      [announced, [entry]],
    ] as const) {
      const { collection, asked } = scripted({ reads: [note('old')], mutations: [applied] });
      const watch = watched();
      const decided = await decide(watch, collection, 'a', make);
      expect(decided).toEqual({ kind: 'written', record: applied.record, announced: entries });
      expect([asked, watch.decided]).toEqual([['read', 'mutate'], [record]]);
    }
  });

  it('says the same after a write whose answer was lost', async () => {
    for (const [make, entries] of [
      [mine, []],
      [announced, [entry]],
    ] as const) {
      const { collection } = scripted({ reads: [note('old'), note('mine')], mutations: [unknown] });
      const decided = await decide(watched(), collection, 'a', make);
      expect(decided).toEqual({ kind: 'written', record: note('mine'), announced: entries });
    }
  });

  it('reads nothing when the caller has just read', async () => {
    const { collection, asked } = scripted({ mutations: [applied] });
    await decide(watched(), collection, 'a', mine, note('old'));
    expect(asked).toEqual(['mutate']);
  });

  it('goes on from the record that a refused insert has shown', async () => {
    const exists = { outcome: 'not_applied', existing: note('other'), conflict: [] } as const;
    const { collection, asked } = scripted({ reads: [null], inserts: [exists], mutations: [applied] });
    await decide(watched(), collection, 'a', mine);
    expect(asked).toEqual(['read', 'insert', 'mutate']);
  });

  it('reads again when a refused insert has shown neither a record nor a key', async () => {
    const refused = { outcome: 'not_applied', existing: null, conflict: [] } as const;
    const { collection, asked } = scripted({ reads: [null, note('other')], inserts: [refused], mutations: [applied] });
    await decide(watched(), collection, 'a', mine);
    expect(asked).toEqual(['read', 'insert', 'read', 'mutate']);
  });

  it('ends after the number of lost races that it was given', async () => {
    const { collection, asked } = scripted({ reads: [note('1'), note('2'), note('3')], mutations: [lost, lost, lost] });
    const watch = watched();
    const decided = await decide({ ...watch, races: 2 }, collection, 'a', mine);
    expect(decided).toEqual({ kind: 'unknown', reason: 'notes/a lost 2 races' });
    expect([asked, watch.decided]).toEqual([['read', 'mutate', 'read', 'mutate'], []]);
  });

  it('names what it could not write when the policy ends', async () => {
    const { collection } = scripted({ reads: [note('old')], mutations: [unknown] });
    const watch = watched(1);
    expect(await decide(watch, collection, 'a', mine)).toEqual({ kind: 'unknown', reason: 'no majority' });
    expect(watch.given).toEqual([{ ...record, next: draft, reason: 'no majority', tries: 1 }]);
    expect(watch.decided).toEqual([]);
  });

  it('names no draft when nothing was tried', async () => {
    const away = new StoreUnavailableError('away');
    const watch = watched(1);
    await decide(watch, scripted({ reads: [away] }).collection, 'a', mine);
    expect(watch.given).toEqual([{ ...record, next: {}, reason: away.message, tries: 1 }]);
  });

  it('waits for others who decide on the same document of the same collection', async () => {
    const keys: string[] = [];
    const mutex = {
      runExclusive: <T>(key: string, work: () => Promise<T>) => {
        keys.push(key);
        return work();
      },
    };
    await decide({ ...watched(), mutex }, scripted({ mutations: [applied] }).collection, 'a', mine, note('old'));
    expect(keys).toEqual(['notes/a']);
  });
});

describe('a fenced write', () => {
  const writing = (script: Script, watch = watched()) =>
    writeFenced(scripted(script).collection, note('old'), draft, [], watch.retryPolicy);

  it('is believed when it was applied, whatever the store has added', async () => {
    const stored = note('mine', { key: 'added' });
    expect(await writing({ mutations: [{ outcome: 'applied', record: stored }] })).toEqual({
      kind: 'written',
      record: stored,
    });
  });

  it('is lost when the record is gone', async () => {
    expect(await writing({ mutations: [unknown], reads: [null] })).toEqual({ kind: 'lost', record: null });
  });

  it('reports the last reason of the store, and its own while there is none', async () => {
    const away = new StoreUnavailableError('away');
    const given = async (mutation: MutationOutcome<Note>) => {
      const watch = watched(1);
      const { reason } = (await writing({ mutations: [mutation], reads: [away] }, watch)) as {
        readonly reason: string;
      };
      expect(watch.given).toEqual([{ ...record, next: draft, reason, tries: 1 }]);
      return reason;
    };
    expect(await given(unknown)).toBe('no majority');
    expect(await given(lost)).toBe('the store did not answer');
  });

  it('does not take a defect for an absent store', async () => {
    const defect = new TypeError('defect');
    await expect(writing({ mutations: [unknown], reads: [defect] })).rejects.toBe(defect);
  });
});

describe('a fenced insert', () => {
  it('names what it could not write', async () => {
    const watch = watched(1);
    await insertFenced(scripted({ inserts: [unknown] }).collection, draft, watch.retryPolicy);
    expect(watch.given).toEqual([{ ...record, next: draft, reason: 'no majority', tries: 1 }]);
  });

  it('belongs to another writer when the record behind a taken id cannot be read', async () => {
    const taken = { outcome: 'not_applied', existing: null, conflict: [] } as const;
    const { collection } = scripted({ inserts: [unknown, taken] });
    expect(await insertFenced(collection, draft, watched().retryPolicy)).toEqual({ kind: 'exists', record: null });
  });
});

it('the content of a record does not include its messages, stamps and derived fields', () => {
  const stored = note('mine', { outbox: [entry], key: 'derived' });
  expect(sameContent(stored, draft, ['key'])).toBe(true);
  expect(sameContent(stored, draft)).toBe(false);
  expect(sameContent(note('other'), draft)).toBe(false);
});
