/**
 * The parts that every resource uses: the state, the twin's own clock and ids, and the events that announce changes.
 * The clock never follows the machine's: it advances only by request.
 */
import { differs, recordEvent, type Cause } from './events';
import { seededId } from './ids';
import type { State } from './state';

/** When a renewal's payment is retried (days after the first try), and what happens when all retries have failed. */
interface DunningRules {
  retryDays: number[];
  finally: 'cancel' | 'unpaid' | 'past_due';
}

export interface Twin {
  state: State;
  /** Seconds since 1970, by the twin's own clock. */
  now(): number;
  setNow(seconds: number): void;
  newId(prefix: string): string;
  /** Records an event about the current object, for updates also with its former state; a seed announces nothing. */
  emit(type: string, object: object, before?: object): void;
  /** Runs one transaction on behalf of a cause; returns its result and what it took from cards (cents). */
  transact<R>(cause: Cause, work: () => R): R;
  /** Records that money moved within the running transaction. */
  charge(cents: number): void;
  charged(): number;
  dunning(): DunningRules;
  setDunning(rules: DunningRules): void;
  /** The base address of the twin's pages, for the urls that people follow: checkout and authentication. */
  origin: string;
  reset(seed: string, startAt: number): void;
}

/** The start time of a new twin's clock: 2026-01-01T00:00:00Z. */
export const defaultStart = 1_767_225_600;
export const defaultSeed = 'twin';
/** The address in documents (invoices, receipts). It is fixed, so two twins on two ports give the same bytes. */
export const documentOrigin = 'https://documents.provider-twin.test';

/** Creates a twin on a state, with a new clock and seed when the state is empty. */
export function createTwin(state: State, seed = defaultSeed, startAt = defaultStart): Twin {
  let cause: Cause = { requestId: null, idempotencyKey: null };
  let charged = 0;

  const setting = (id: string): number | string | undefined => state.get('setting', id)?.value;
  function set(id: string, value: number | string): void {
    if (state.get('setting', id)) state.edit('setting', id).value = value;
    else state.add('setting', { id, value });
  }

  const twin: Twin = {
    state,
    origin: '',
    now: () => Number(setting('now')),
    setNow: (seconds) => set('now', seconds),
    newId(prefix) {
      const counter = state.get('counter', prefix)
        ? state.edit('counter', prefix)
        : state.add('counter', { id: prefix, n: 0 });
      counter.n += 1;
      return seededId(String(setting('seed')), prefix, counter.n);
    },
    emit(type, object, before) {
      if (cause.seed || (before && !differs(object, before))) return;
      recordEvent(state, { id: twin.newId('evt'), at: twin.now(), type, object, before, cause });
    },
    transact(by, work) {
      return state.transact(() => {
        cause = by;
        charged = 0;
        return work();
      });
    },
    charge: (cents) => void (charged += cents),
    charged: () => charged,
    dunning() {
      const stored = setting('dunning');
      return stored === undefined
        ? { retryDays: [3, 5, 7], finally: 'cancel' }
        : (JSON.parse(String(stored)) as DunningRules);
    },
    setDunning: (rules) => set('dunning', JSON.stringify(rules)),
    reset(nextSeed, nextStart) {
      state.transact(() => {
        for (const [table, id] of [...state.dump()]) state.remove(table, id);
      });
      state.transact(() => {
        set('seed', nextSeed);
        set('now', nextStart);
      });
    },
  };
  if (setting('now') === undefined) twin.reset(seed, startAt);
  return twin;
}
