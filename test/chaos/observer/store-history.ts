/** Extracts access, transitions, statuses, deliveries, reservations and every write from the log of changes. */
import { createHistoryLogs, type Evidence, type HistoryLogs } from '@platform/testing';
import type { CapacityReservation, TrialReservation } from '../../../services/provisioning/src/domain/reservation';
import { createReservationLog } from './reservation-log';
import type { StoredChange } from './change-tail';
import type { Versions } from './versions';

export const databases = ['operator', 'provisioning', 'lifecycle_delivery', 'billing_webhook'] as const;
type Database = (typeof databases)[number];

const isOfService = (database: string): database is Database => (databases as readonly string[]).includes(database);

/** A write names the revision that it replaces; a write without one is not fenced, and the checker reports it. */
function createWriteLog(logs: ReadonlyMap<Database, HistoryLogs>) {
  const revisions = new Map<string, string>();
  return ({ database, collection, kind, id, at, record, asked }: StoredChange): void => {
    const log = isOfService(database) ? logs.get(database) : undefined;
    const key = `${database}.${collection}/${id}`;
    const before = revisions.get(key);
    if (!log || (record === undefined ? before === undefined : typeof record.revision !== 'string')) return;
    // A relay that removes a message from a record does not change its revision.
    if (kind === 'replaced' && record?.revision === before) return;
    const named = asked?.['revision'];
    const expectedRevision = kind === 'inserted' ? null : typeof named === 'string' ? named : 'none at all';
    log.note({ collection, id, at, outcome: 'applied', expectedRevision }, record);
    if (record) revisions.set(key, record.revision);
    else revisions.delete(key);
  };
}

type StoreEvidence = Required<
  Pick<
    Evidence,
    | 'accessLog'
    | 'transitionLog'
    | 'statusLog'
    | 'deletionLog'
    | 'deliveryLog'
    | 'writes'
    | 'overwrites'
    | 'reservations'
  >
>;

export function historyOfStore(changes: readonly StoredChange[], versions: Versions): StoreEvidence {
  const logs = new Map(databases.map((database) => [database, createHistoryLogs()] as const));
  const note = createWriteLog(logs);
  changes.forEach(note);
  const { accessLog, transitionLog, statusLog, deletionLog } = logs.get('operator')!.logs;
  const operations = new Set(versions.of('operator', 'operations').keys());
  return {
    accessLog,
    statusLog,
    deletionLog,
    // Transitions of migrations belong to their items, which are not operations: the migration itself determines their
    // order.
    transitionLog: transitionLog.filter(({ operationId }) => operations.has(operationId)),
    deliveryLog: logs.get('lifecycle_delivery')!.logs.deliveryLog,
    writes: databases.flatMap((database) =>
      logs.get(database)!.logs.writes.map((write) => ({ ...write, collection: `${database}/${write.collection}` })),
    ),
    overwrites: databases.flatMap((database) => logs.get(database)!.logs.overwrites),
    reservations: reservationsOf(versions),
  };
}

function reservationsOf(versions: Versions): StoreEvidence['reservations'] {
  const log = createReservationLog();
  const names = ['capacity_reservations', 'trial_reservations'];
  const each = names.flatMap((name) => [...versions.of('provisioning', name).values()]).flat();
  for (const { record } of each.sort((a, b) => a.at - b.at))
    log.note([record as unknown as CapacityReservation | TrialReservation]);
  log.note(names.flatMap((name) => versions.standing<CapacityReservation | TrialReservation>('provisioning', name)));
  return log.evidence();
}
