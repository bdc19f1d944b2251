/** The holders of each reservation over time, from every version of the records. */
import type { ReservationEvidence } from '@platform/testing';
import type {
  CapacityReservation,
  TimelineEntry,
  TrialReservation,
} from '../../../services/provisioning/src/domain/reservation';

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

/** A record keeps only the end of its timeline, so the timelines are collected while they can be read. */
export function createReservationLog() {
  const taken = new Map<string, { readonly key: string; readonly tenantId: string }>();
  const released = new Map<string, Entry>();
  let standing: readonly Reservation[] = [];
  const name = (key: string, tenantId: string): string => `${key}/${tenantId}`;
  return {
    note(records: readonly Reservation[]): void {
      // A record that was removed has no current holder, but its former holders still count as takers.
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
