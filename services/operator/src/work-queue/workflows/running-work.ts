/** Running work of this service, read by index, for the watch over executors that do not answer. */
import type { RunningWork } from '@platform/durable/executors';
import { opsLine, type Revisioned } from '@platform/kernel';
import { apart, type RevisionedCollection } from '@platform/mongo';
import type { MigrationFacts, PlanMigration } from '../../migrations/domain/migration';
import { migrationKey } from '../../migrations/workflows/migration-keys';
import type { ProviderEventAdmission } from '../../provider-events/domain/provider-event';
import { admissionKey } from '../../provider-events/workflows/admission-key';
import type { Operation } from '../../operations/domain/operation';
import { operationKey } from '../../operations/workflows/operation-key';

/** The most records of each kind per round, oldest first. More have a common cause, and later rounds read the rest. */
const lookedAt = 1_000;
const oldest = { sort: { createdAt: 1, _id: 1 }, limit: lookedAt } as const;

export interface RunningRecords {
  readonly operations: RevisionedCollection<Operation>;
  readonly migrations: RevisionedCollection<PlanMigration>;
  readonly admissions: RevisionedCollection<ProviderEventAdmission>;
}

/** A record that cannot be handled is set aside, and the others are checked. Throws StoreUnavailableError. */
export async function runningWork({ operations, migrations, admissions }: RunningRecords): Promise<RunningWork[]> {
  const found: RunningWork[] = [];
  const each = async <T extends Revisioned>(
    collection: RevisionedCollection<T>,
    records: readonly T[],
    workOf: (record: T) => RunningWork | null,
  ) => {
    for (const record of records)
      await apart(collection, record._id, async () => {
        const work = workOf(record);
        if (work) found.push(work);
      });
  };
  const [running, jobs, events] = await Promise.all([
    operations.find({ status: 'running' }, oldest),
    migrations.find({ status: { $in: ['capturing', 'running'] } }, oldest),
    admissions.find({ status: 'pending' }, oldest),
  ]);
  await each(operations, running, ofOperation);
  await each(migrations, jobs, ofMigration);
  await each(admissions, events, ofEvent);
  return found;
}

function ofOperation({ _id: id, tenantId, attempts }: Operation): RunningWork | null {
  const executor = attempts.at(-1)?.executor;
  const about = { kind: 'operation', id, tenantId, run: opsLine(`evidence operation ${id}`) };
  return executor ? { key: operationKey(id), executor, about } : null;
}

function ofMigration({ _id: id, executor }: MigrationFacts): RunningWork | null {
  const about = { kind: 'migration', id, tenantId: null, run: opsLine(`show migration ${id}`) };
  return executor ? { key: migrationKey(id), executor, about } : null;
}

function ofEvent({ _id: id, executor }: ProviderEventAdmission): RunningWork {
  const about = { kind: 'webhook_event', id, tenantId: null, run: opsLine(`show webhook-event ${id}`) };
  return { key: admissionKey(id), executor, about };
}
