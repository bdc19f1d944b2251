/**
 * The store, the provider and plain functions as seen by one simulated process: every asynchronous method is a port
 * call.
 */
import type { Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type RevisionedCollection, type Store } from '@platform/mongo';
import type { PaymentProvider, PreparedCall } from '@platform/payment-provider';
import { providerFaults, type FakeProvider } from '@platform/payment-provider/testing';
import type { Answers, Caller } from './calls';

const lost = { outcome: 'unknown', reason: 'simulated: the answer of the store was lost' } as const;
const away = () => Promise.reject(new StoreUnavailableError('simulated: the store is unreachable'));

const writing: Answers = {
  unknown_not_applied: () => Promise.resolve(lost),
  unknown_applied: (invoke) => invoke().then(() => lost),
};
const mutating: Answers = { ...writing, lost_race: () => Promise.resolve({ outcome: 'not_applied' }) };
const reading: Answers = { unavailable: away };
const confirming: Answers = { unavailable: away, unavailable_applied: (invoke) => invoke().then(away) };

/** Special answers are more frequent where an answer decides most. */
const often = 2;
const mostOften = 6;

function collectionOf<T extends Revisioned>(inner: RevisionedCollection<T>, { call }: Caller): RevisionedCollection<T> {
  const { name } = inner;
  return {
    name,
    quarantine: inner.quarantine,
    findById: (id) => call(`${name}.findById`, () => inner.findById(id), reading),
    find: (filter, options) => call(`${name}.find`, () => inner.find(filter, options), reading),
    count: (filter) => call(`${name}.count`, () => inner.count(filter), reading),
    insert: (draft, announce) => call(`${name}.insert`, () => inner.insert(draft, announce), writing, often),
    mutate: (current, next, announce) =>
      call(`${name}.mutate`, () => inner.mutate(current, next, announce), mutating, often),
    remove: (current) => call(`${name}.remove`, () => inner.remove(current), writing),
    outbox: {
      pending: (limit, after) => call(`${name}.outbox.pending`, () => inner.outbox.pending(limit, after), reading),
      confirm: (recordId, entryId) =>
        call(`${name}.outbox.confirm`, () => inner.outbox.confirm(recordId, entryId), confirming),
      backlog: () => call(`${name}.outbox.backlog`, () => inner.outbox.backlog(), reading),
    },
  };
}

/** A service's database as one process sees it. */
export function storeOf(inner: Store, caller: Caller): Store {
  return {
    collection: (declaration) => collectionOf(inner.collection(declaration), caller),
    quarantined: () => inner.quarantined(),
    ensureIndexes: () => Promise.resolve(),
    now: () => caller.call('store.now', () => inner.now(), reading),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const silence: Answers = {
  unanswered: () => Promise.resolve({ outcome: 'unknown', reason: 'simulated: no process answered' }),
};

/** The provider's special answers to a request: every row of the taxonomy. Created once per provider. */
const armedOf = new WeakMap<FakeProvider, Answers>();

function armed(inner: FakeProvider): Answers {
  const known = armedOf.get(inner);
  if (known) return known;
  const made: Answers = Object.fromEntries(
    providerFaults.map(({ kind }) => [
      kind,
      (invoke: () => Promise<unknown>) => {
        inner.failNext(kind);
        return invoke();
      },
    ]),
  );
  armedOf.set(inner, made);
  return made;
}

/**
 * The provider as one process sees it: a prepared call is sent when its turn comes and may meet any row of the
 * taxonomy.
 */
export function providerOf(inner: FakeProvider, { call }: Caller): PaymentProvider {
  const sends = <T>(prepared: PreparedCall<T>): PreparedCall<T> => ({
    description: prepared.description,
    send: () => call(`provider.${prepared.description.step}`, () => prepared.send(), armed(inner), mostOften),
  });
  const known = new Map<PropertyKey, unknown>();
  const reads =
    (name: string, read: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) =>
      call(`provider.${name}`, () => read(...args), silence, often);
  const prepare: PaymentProvider['prepare'] = (intent, effect) => sends(inner.prepare(intent, effect));
  return new Proxy(inner, {
    get: (target, key) => {
      if (key === 'prepare') return prepare;
      const made = known.get(key) ?? reads(String(key), Reflect.get(target, key) as () => Promise<unknown>);
      known.set(key, made);
      return made;
    },
  });
}
