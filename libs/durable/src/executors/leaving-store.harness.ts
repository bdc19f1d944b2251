/** A store that becomes unreachable at a chosen write, for longer than an executor's retries last. */
import type { Store } from '@platform/mongo';
import type { Clock, Log } from '@platform/kernel';
import { createWorkRegister, type WorkRegister, type WorkUnderWay } from './work-register';

/**
 * `before`: the write is not applied when the store becomes unreachable; `after`: it is applied, and its answer is
 * lost.
 */
export type Leaving = 'before' | 'after';

export interface LeavingStore {
  readonly store: Store;
  /** The number of fenced writes so far. */
  writes(): number;
  /** Whether the store has become unreachable at the chosen write. */
  left(): boolean;
}

/**
 * Becomes unreachable at the fenced write with this number, counted from 1 over all collections; 0: never. Inserts into
 * the collection that `begins` names count too.
 */
export function leavingStore(
  inner: Store,
  at: number,
  leaving: Leaving,
  setAvailable: (available: boolean) => void,
  begins?: string,
): LeavingStore {
  let writes = 0;
  const lost = { outcome: 'unknown', reason: 'the store went away' } as const;
  const sent = async <Answer>(write: () => Promise<Answer>): Promise<Answer | typeof lost> => {
    writes += 1;
    if (writes !== at) return write();
    if (leaving === 'after') await write();
    setAvailable(false);
    return lost;
  };
  const store: Store = {
    ...inner,
    now: () => inner.now(),
    collection: (declaration) => {
      const collection = inner.collection(declaration);
      return {
        ...collection,
        name: collection.name,
        outbox: collection.outbox,
        quarantine: collection.quarantine,
        findById: (id) => collection.findById(id),
        find: (...args) => collection.find(...args),
        count: (filter) => collection.count(filter),
        insert: (...args) =>
          declaration.name === begins ? sent(() => collection.insert(...args)) : collection.insert(...args),
        mutate: (...args) => sent(() => collection.mutate(...args)),
      };
    },
  };
  return { store, writes: () => writes, left: () => at > 0 && writes >= at };
}

export interface PatientRegister {
  readonly work: WorkRegister;
  /** Each piece of work whose outcome was not accepted within the patience. */
  readonly unrecorded: readonly WorkUnderWay[];
}

/** A register whose executors retry beyond their patience; `returns` is called at the third such retry. */
export function patientRegister(clock: Clock, log: Log, returns: () => void): PatientRegister {
  const unrecorded: WorkUnderWay[] = [];
  const work = createWorkRegister({
    patience: { tries: 2, pause: () => Promise.resolve() },
    pauseBeyond: async (tries) => {
      if (tries >= 3) returns();
    },
    clock,
    log,
    onUnrecorded: (each) => void unrecorded.push(each),
  });
  return { work, unrecorded };
}
