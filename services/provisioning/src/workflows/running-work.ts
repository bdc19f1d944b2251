/** Running work of this service, read by index, for the watch over executors that do not answer. */
import type { RunningWork } from '@platform/durable/executors';
import { assert, opsLine } from '@platform/kernel';
import { apart } from '@platform/mongo';
import type { ProvisioningCollections } from './ports';
import { admissionKey, attemptKey } from './work-keys';

/** The most records per round, oldest first. More have a common cause, and later rounds read the rest. */
const lookedAt = 1_000;
const oldest = { sort: { createdAt: 1, _id: 1 }, limit: lookedAt } as const;

/**
 * An attempt whose payment a person must confirm has no executor, unless it is being rolled back, because the provider's
 * event continues it. Any other unpaid attempt has the executor that was to pay. A record that cannot be handled is set
 * aside. Throws StoreUnavailableError.
 */
export async function runningWork({
  attempts,
  admissions,
}: Pick<ProvisioningCollections, 'attempts' | 'admissions'>): Promise<RunningWork[]> {
  const [preparing, unpaid, takenBack, events] = await Promise.all([
    attempts.find({ status: 'preparing' }, oldest),
    attempts.find(
      {
        status: 'awaiting_payment',
        'confirmation.since': { $exists: false },
        'rollback.startedAt': { $exists: false },
      },
      oldest,
    ),
    attempts.find({ status: 'awaiting_payment', 'rollback.startedAt': { $exists: true } }, oldest),
    admissions.find({ status: 'pending' }, oldest),
  ]);
  const found: RunningWork[] = [];
  for (const { _id: id, executor } of [...preparing, ...unpaid, ...takenBack])
    await apart(attempts, id, async () => {
      const about = { kind: 'provisioning_attempt', id, tenantId: id, run: opsLine(`show provisioning-attempt ${id}`) };
      found.push(named({ key: attemptKey(id), executor, about }));
    });
  for (const { _id: id, executor } of events)
    await apart(admissions, id, async () => {
      const about = { kind: 'webhook_event', id, tenantId: null, run: opsLine(`show webhook-event ${id}`) };
      found.push(named({ key: admissionKey(id), executor, about }));
    });
  return found;
}

/** Throws for a record without an executor, so that it is set aside. */
function named(work: RunningWork): RunningWork {
  assert(work.executor.incarnation, `${work.key} names no executor`);
  return work;
}
