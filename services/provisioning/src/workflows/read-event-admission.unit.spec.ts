import type { AskExecutors } from '@platform/durable/executors';
import type { Executor } from '@platform/kernel';
import { admissionSteps, type JudgedEvent, type PendingAdmission } from '../domain/event-admission';
import { bootProvisioning, createProvisioningWorld, tenant } from '../testing/provisioning-world';
import { workspaceOf } from './read-admission-resolution';
import { readEventAdmission } from './read-event-admission';
import { admissionKey } from './work-keys';

type Question = Parameters<AskExecutors>[0][number];

const executor: Executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-0' };

async function admitted() {
  const { ports } = bootProvisioning(await createProvisioningWorld());
  const insertion = await ports.admissions.insert(
    admissionSteps.begin<PendingAdmission>({
      ...{ _id: 'evt_1', type: 'invoice.paid', admittedRevision: 'r-1', status: 'pending' },
      executor,
    }),
  );
  if (insertion.outcome !== 'applied') throw new Error('not admitted');
  const pending = insertion.record as PendingAdmission;
  const questions: Question[] = [];
  const askExecutors = async (asked: readonly Question[]) => {
    questions.push(...asked);
    return asked.map(() => ({ state: 'alive' as const }));
  };
  return {
    pending,
    questions,
    complete: (outcome: JudgedEvent) =>
      ports.admissions.mutate(pending, admissionSteps.move(pending, 'completed', { outcome })),
    record: () => ports.admissions.findById('evt_1'),
    read: () => readEventAdmission({ admissions: ports.admissions, askExecutors }, 'evt_1'),
  };
}

describe('the view of an admitted event', () => {
  it('shows its handler as known now: the process is asked about this event and its last write', async () => {
    const { pending, questions, read } = await admitted();
    expect(await read()).toStrictEqual({
      ...{ eventId: 'evt_1', type: 'invoice.paid', status: 'pending', revision: pending.revision },
      executor: { ...executor, state: 'alive' },
      admittedAt: pending.createdAt.toISOString(),
    });
    expect(questions).toEqual([{ key: admissionKey('evt_1'), executor, wroteAt: pending.updatedAt }]);
  });

  it.each<[string, JudgedEvent, object]>([
    ['its outcome', { kind: 'success' }, { outcome: 'success' }],
    [
      'why it failed',
      { kind: 'failed', error: 'It is taken back.' },
      { outcome: 'failed', error: 'It is taken back.' },
    ],
  ])('shows %s once it is completed', async (_what, outcome, shown) => {
    const { pending, complete, record, read } = await admitted();
    await complete(outcome);
    const { revision, updatedAt } = (await record())!;
    expect(await read()).toStrictEqual({
      ...{ eventId: 'evt_1', type: 'invoice.paid', status: 'completed', revision },
      executor: { ...executor, state: 'alive' },
      ...shown,
      finishedAt: updatedAt.toISOString(),
      admittedAt: pending.createdAt.toISOString(),
    });
  });
});

describe('the workspace of an event', () => {
  it('is the one that its creation is named after, or none in records of earlier builds', () => {
    expect(workspaceOf({ about: { invoiceId: 'in_1', attemptId: tenant } })).toBe(tenant);
    expect(workspaceOf({ about: { invoiceId: 'in_1' } })).toBeNull();
    expect(workspaceOf({})).toBeNull();
  });
});
