/**
 * The whole store in memory: for unit tests, the crash sweep and simulations. It outlives the "process" under test, so
 * a test restarts a service by composing it again on the same fake.
 */
import { createIds, systemClock, type Clock, type Ids, type Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type CollectionDeclaration, type QuarantinedRecord, type Store } from '../port';
import { checkDeclaration } from '../record/declaration';
import { createQuarantine } from '../record/quarantine';
import { createFakeCollection, type FakeCollection, type FakeConditions } from './fake-collection';

export interface FakeStore extends Store {
  /** The same collection for the same name, however often it is declared: a restart keeps the records. */
  collection<T extends Revisioned>(declaration: CollectionDeclaration<T>): FakeCollection<T>;
  /** While false, reads throw StoreUnavailableError and writes answer `unknown` without effect. */
  setAvailable(available: boolean): void;
  /** The next write answers `unknown`, with its effect (`after`) or without (`before`). */
  loseNextWrite(when: 'before' | 'after'): void;
}

/** A store in memory. `clock` stamps records and is the database's clock; `ids` creates revisions. */
export function createFakeStore({
  clock = systemClock,
  ids = createIds(clock),
  onQuarantined,
}: {
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly onQuarantined?: (record: QuarantinedRecord) => void;
} = {}): FakeStore {
  const conditions: FakeConditions = { available: true, loseNextWrite: null };
  const quarantine = createQuarantine(onQuarantined);
  const collections = new Map<string, FakeCollection<never>>();

  const reach = async (): Promise<void> => {
    await Promise.resolve();
    if (!conditions.available) throw new StoreUnavailableError('the store is unreachable');
  };

  return {
    collection<T extends Revisioned>(declaration: CollectionDeclaration<T>): FakeCollection<T> {
      checkDeclaration(declaration);
      const known = collections.get(declaration.name);
      if (known) return known as unknown as FakeCollection<T>;
      const collection = createFakeCollection(declaration, { clock, ids, conditions, quarantine });
      collections.set(declaration.name, collection as unknown as FakeCollection<never>);
      return collection;
    },
    quarantined: () => quarantine.all(),
    ensureIndexes: reach,
    async now() {
      await reach();
      return clock.now();
    },
    ping: reach,
    async close() {},
    setAvailable(available) {
      conditions.available = available;
    },
    loseNextWrite(when) {
      conditions.loseNextWrite = when;
    },
  };
}
