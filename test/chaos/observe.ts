/**
 * Watches records while the run goes on that keep no history of their own: when a subscription's transition came and
 * went, and who held a reservation. It looks every few moments, so it may miss a version; what it saw, it saw in the
 * store, and a clearing that it notices late only makes the check of the journal milder, never wrong.
 */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '@platform/mongo';
import type { ReservationEvidence, TransitionChange } from '@platform/testing';
import type { Subscription } from '../../services/operator/src/mirror/domain/subscription';
import { subscriptionsCollection } from '../../services/operator/src/mirror/store/subscriptions';
import type {
  CapacityReservation,
  TimelineEntry,
  TrialReservation,
} from '../../services/provisioning/src/domain/reservation';
import { capacityCollection, trialsCollection } from '../../services/provisioning/src/store/collections';
import { everyRecord } from './read-databases';

const lookEveryMs = 60;

export interface Observer {
  readonly transitions: readonly TransitionChange[];
  /** Versions of subscriptions that were read. */
  versions(): number;
  reservations(): ReservationEvidence;
  /** Rejects when it can observe no more, so that a run ends that would have no verdict; never resolves. */
  readonly failed: Promise<never>;
  /** Looks once more and ends; throws what it met if it was not the store's absence. */
  stop(): Promise<void>;
}

type Reservation = CapacityReservation | TrialReservation;
type Entry = ReservationEvidence['released'][number];

function holders(record: Reservation): readonly string[] {
  if ('allocations' in record) return record.allocations.map(({ tenantId }) => tenantId);
  return record.tenantId === null ? [] : [record.tenantId];
}

const reasons: Readonly<Record<TimelineEntry['what'], Entry['reason'] | null>> = {
  reserved: null,
  confirmed: null,
  released_cancelled: 'cancelled',
  released_not_eligible: 'not_eligible',
};

export function createTransitionLog() {
  const last = new Map<string, Subscription>();
  const transitions: TransitionChange[] = [];
  let versions = 0;
  return {
    transitions,
    versions: () => versions,
    note(record: Subscription): void {
      const before = last.get(record._id);
      if (before?.revision === record.revision) return;
      last.set(record._id, record);
      versions += 1;
      const [was, is] = [before?.transition?.operationId, record.transition?.operationId];
      if (was !== undefined && was !== is)
        transitions.push({ tenantId: record._id, operationId: was, change: 'cleared', at: record.updatedAt });
      if (is !== undefined && was !== is)
        transitions.push({ tenantId: record._id, operationId: is, change: 'admitted', at: record.updatedAt });
    },
  };
}

/** The records' own timelines are short, so they are collected while they can be read. */
export function createReservationLog() {
  const taken = new Map<string, { readonly key: string; readonly tenantId: string }>();
  const released = new Map<string, Entry>();
  let standing: readonly Reservation[] = [];
  const name = (key: string, tenantId: string): string => `${key}/${tenantId}`;
  return {
    note(records: readonly Reservation[]): void {
      // A record that has gone altogether keeps standing nowhere, and its holders stay among those who took.
      standing = records;
      for (const record of records) {
        for (const tenantId of holders(record)) taken.set(name(record._id, tenantId), { key: record._id, tenantId });
        for (const { tenantId, what } of record.timeline) {
          const reason = reasons[what];
          if (what === 'reserved') taken.set(name(record._id, tenantId), { key: record._id, tenantId });
          if (reason !== null) released.set(name(record._id, tenantId), { key: record._id, tenantId, reason });
        }
      }
    },
    evidence: (): ReservationEvidence => ({
      taken: [...taken.values()],
      standing: standing.flatMap((record) => holders(record).map((tenantId) => ({ key: record._id, tenantId }))),
      released: [...released.values()],
    }),
  };
}

export async function startObserver(mongodbUrl: string): Promise<Observer> {
  const open = (database: string): Promise<Store> =>
    connectStore({
      url: mongodbUrl,
      database,
      clock: systemClock,
      ids: createIds(),
      log: silentLog,
      appName: 'chaos-observer',
    });
  const [operator, provisioning] = [await open('operator'), await open('provisioning')];
  const [transitionLog, reservationLog] = [createTransitionLog(), createReservationLog()];
  let ending = false;

  async function look(): Promise<void> {
    for (const record of await everyRecord(operator, subscriptionsCollection)) transitionLog.note(record);
    reservationLog.note([
      ...(await everyRecord(provisioning, capacityCollection)),
      ...(await everyRecord(provisioning, trialsCollection)),
    ]);
  }
  async function watch(): Promise<void> {
    while (!ending) {
      // The store is killed now and then.
      await look().catch((error: Error) =>
        error.name === 'StoreUnavailableError' ? undefined : Promise.reject(error),
      );
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }
  const watching = watch();
  const failed = watching.then(() => new Promise<never>(() => undefined));
  // It may reject while no caller waits for it; that alone must not end the process.
  failed.catch(() => undefined);
  return {
    transitions: transitionLog.transitions,
    versions: transitionLog.versions,
    reservations: reservationLog.evidence,
    failed,
    async stop() {
      ending = true;
      await watching;
      await look();
      await Promise.all([operator.close(), provisioning.close()]);
    },
  };
}
