/**
 * Records the logs of a history while it happens. It is between the fakes and the tape, so it sees what was really
 * applied, even when the service got another answer. Each reading of its clock must advance it, so that the order is
 * total.
 */
import type { Clock } from '@platform/kernel';
import { createDecisionWatch } from './decisions';
import type { DeliveryEvidence, Evidence, Instant, WriteEvidence } from './evidence';

interface StoredRecord {
  readonly _id: string;
  readonly revision: string;
}

interface WriteAnswer {
  readonly outcome: string;
  readonly record?: StoredRecord;
}

interface WatchedCollection {
  readonly name: string;
  insert(draft: object, ...more: never[]): Promise<WriteAnswer>;
  mutate(current: object, next: object, ...more: never[]): Promise<WriteAnswer>;
  /** Absent where records are never removed. */
  remove?(current: object): Promise<WriteAnswer>;
}

/** The collection of each kind of record. */
export interface RecorderNames {
  readonly operations?: string;
  readonly subscriptions?: string;
  readonly deliveries?: string;
}

export interface HistoryRecorder {
  /** The same collection; every write that it answers is logged. */
  watchCollection<C extends object>(collection: C): C;
  /** The same store; every collection that it declares is watched. */
  watchStore<S extends object>(store: S): S;
  /** Notes a record that existed before the history began (seeds). */
  seeded(collection: string, record: object): void;
  readonly logs: Required<
    Pick<
      Evidence,
      'accessLog' | 'transitionLog' | 'statusLog' | 'writes' | 'overwrites' | 'deletionLog' | 'deliveryLog'
    >
  >;
}

/** A clock that advances one millisecond at each reading, so every instant of a simulated history is unique. */
export function createTickingClock(
  start = new Date('2026-01-01T00:00:00.000Z'),
): Clock & { advance(milliseconds: number): void } {
  let current = start.getTime();
  return {
    now: () => new Date((current += 1)),
    advance: (milliseconds) => {
      current += milliseconds;
    },
  };
}

type Logs = { -readonly [Name in keyof HistoryRecorder['logs']]: HistoryRecorder['logs'][Name][number][] };

/** Derives the meaning of a new version of a record from the version before it. */
function createNotes(names: Required<RecorderNames>, logs: Logs) {
  const last = new Map<string, object>();
  const overwriteOf = createDecisionWatch();

  function noteSubscription(before: SubscriptionRecord | undefined, after: SubscriptionRecord, at: Instant): void {
    const tenantId = after._id;
    const marker = after.deletion?.operationId;
    if (before?.deletion?.operationId !== marker) logs.deletionLog.push({ tenantId, operationId: marker ?? null, at });
    if (before?.access.state !== after.access.state)
      logs.accessLog.push({ tenantId, state: after.access.state, operationId: after.access.operationId, at });
    const [was, is] = [before?.transition?.operationId, after.transition?.operationId];
    if (was !== undefined && was !== is) logs.transitionLog.push({ tenantId, operationId: was, change: 'cleared', at });
    if (is !== undefined && was !== is) logs.transitionLog.push({ tenantId, operationId: is, change: 'admitted', at });
  }

  return function note(collection: string, record: StoredRecord, at: Instant): void {
    const key = `${collection}/${record._id}`;
    const before = last.get(key);
    last.set(key, record);
    const overwrite = overwriteOf(collection, record, at);
    if (overwrite) logs.overwrites.push(overwrite);
    if (collection === names.subscriptions)
      noteSubscription(before as SubscriptionRecord | undefined, record as unknown as SubscriptionRecord, at);
    if (collection === names.deliveries) logs.deliveryLog.push({ ...(record as unknown as DeliveryEvidence), at });
    if (collection !== names.operations) return;
    const { status } = record as unknown as { readonly status: string };
    if ((before as { readonly status?: string } | undefined)?.status !== status)
      logs.statusLog.push({ operationId: record._id, status, at });
  };
}

export interface HistoryLogs {
  readonly logs: HistoryRecorder['logs'];
  /** One write, and the resulting record when it was applied. */
  note(write: Omit<WriteEvidence, 'revision' | 'version'>, record: StoredRecord | undefined): void;
}

/** Empty logs for an observer of writes; for collections that `given` does not name, only the writes are logged. */
export function createHistoryLogs(given?: RecorderNames): HistoryLogs {
  const names = {
    operations: 'operations',
    subscriptions: 'subscriptions',
    deliveries: 'lifecycle_deliveries',
    ...given,
  };
  const logs: Logs = {
    accessLog: [],
    transitionLog: [],
    statusLog: [],
    writes: [],
    overwrites: [],
    deletionLog: [],
    deliveryLog: [],
  };
  const note = createNotes(names, logs);
  return {
    logs,
    note: (write, record) => {
      logs.writes.push({ ...write, revision: record?.revision, version: record });
      if (write.outcome === 'applied' && record) note(write.collection, record, write.at);
    },
  };
}

/** A recorder with empty logs; for collections that `names` does not name, only the writes are logged. */
export function createHistoryRecorder(options: {
  readonly clock: Clock;
  readonly names?: RecorderNames;
}): HistoryRecorder {
  const { logs, note } = createHistoryLogs(options.names);

  function noteWrite(collection: string, id: string, expectedRevision: string | null, answer: WriteAnswer): void {
    const outcome = answer.outcome as WriteEvidence['outcome'];
    note({ collection, id, expectedRevision, outcome, at: options.clock.now() }, answer.record);
  }

  function watchCollection<C extends object>(collection: C): C {
    const target = collection as unknown as WatchedCollection;
    return overlay(collection, {
      insert: async (draft: StoredRecord, ...more: never[]) => {
        const answer = await target.insert(draft, ...more);
        noteWrite(target.name, draft._id, null, answer);
        return answer;
      },
      mutate: async (current: StoredRecord, next: object, ...more: never[]) => {
        const answer = await target.mutate(current, next, ...more);
        noteWrite(target.name, current._id, current.revision, answer);
        return answer;
      },
      ...(target.remove && {
        // An applied removal leaves no revision: the next record with that id is an insert.
        remove: async (current: StoredRecord) => {
          const answer = await target.remove!(current);
          noteWrite(target.name, current._id, current.revision, answer);
          return answer;
        },
      }),
    });
  }

  return {
    watchCollection,
    watchStore: (store) => {
      const target = store as unknown as { collection(declaration: object): object };
      return overlay(store, { collection: (declaration: object) => watchCollection(target.collection(declaration)) });
    },
    seeded: (collection, record) => {
      const stored = record as StoredRecord;
      noteWrite(collection, stored._id, null, { outcome: 'applied', record: stored });
    },
    logs,
  };
}

interface SubscriptionRecord {
  readonly _id: string;
  readonly access: { readonly state: 'open' | 'closed'; readonly operationId: string | null };
  readonly transition?: { readonly operationId: string };
  readonly deletion?: { readonly operationId: string };
}

/** The object with some members replaced; its other methods keep their own `this`. */
function overlay<T extends object>(target: T, members: Partial<Record<PropertyKey, unknown>>): T {
  return new Proxy(target, {
    get(inner, key) {
      if (Object.hasOwn(members, key)) return members[key];
      const value: unknown = Reflect.get(inner, key, inner);
      return typeof value === 'function'
        ? (...args: unknown[]) => Reflect.apply(value as (...given: unknown[]) => unknown, inner, args)
        : value;
    },
  });
}
