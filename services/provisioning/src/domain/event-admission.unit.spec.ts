import { resolveAdmission, subjectOf, type AdmissionResolution, type PendingAdmission } from './event-admission';

const at = new Date('2026-03-01T12:00:00.000Z');

describe('the subject of a provider event', () => {
  it('is its object, its subscription and the attempt that its metadata name', () => {
    const named = { id: 'in_a', object: 'invoice', customer: 'cus_a', subscription: 'sub_a' };
    expect(subjectOf({ ...named, metadata: { provisioningAttempt: 'workspace-created:acme' } })).toStrictEqual({
      invoiceId: 'in_a',
      subscriptionId: 'sub_a',
      attemptId: 'workspace-created:acme',
    });
  });

  it('has nothing that the event does not name', () => {
    expect(subjectOf({})).toStrictEqual({});
    expect(subjectOf({ metadata: { tenantId: 'acme' } })).toStrictEqual({});
  });
});

describe('an admission that a person resolves', () => {
  const kept = {
    _id: 'evt_1',
    type: 'invoice.paid',
    admittedRevision: 'rev-1',
    executor: { service: 'provisioning', instance: 'p-1', incarnation: 'boot-1' },
  };
  const pending: PendingAdmission = { ...kept, status: 'pending', revision: 'r1', createdAt: at, updatedAt: at };
  const resolution: AdmissionResolution = {
    outcome: 'applied',
    executorStopped: 'the machine is off',
    by: 'ops@example.com',
    at,
  };

  it('is completed with success when the effect exists', () => {
    expect(resolveAdmission(pending, resolution)).toStrictEqual({
      ...kept,
      status: 'completed',
      outcome: { kind: 'success' },
      resolution,
    });
  });

  it('is skipped, and says who decided so, when the effect never will', () => {
    const refused: AdmissionResolution = { ...resolution, outcome: 'not_applied' };
    expect(resolveAdmission(pending, refused)).toStrictEqual({
      ...kept,
      status: 'completed',
      outcome: { kind: 'skipped', error: 'Resolved as not applied by ops@example.com.' },
      resolution: refused,
    });
  });
});
