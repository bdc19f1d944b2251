/** One attempt, with what it reserved and what its resolution has left at the provider. */
import { creationOperationId } from '@platform/contracts-provisioning';
import type { Attempt } from '../domain/attempt';
import type { Remains } from '../domain/remains';
import type { CapacityReservation, TrialReservation } from '../domain/reservation';
import { attemptsCollection, capacityCollection, remainsCollection, trialsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld, tenant } from '../testing/provisioning-world';
import { readAttempt } from './read-attempts';

const at = new Date('2026-03-01T12:00:00.000Z');
const stamps = { revision: 'r-1', createdAt: at, updatedAt: at };
const [capacityKey, trialKey] = ['card-key', 'email-key'];

const begun = {
  ...{ _id: tenant, ...stamps, status: 'preparing', tenantId: tenant, userId: 'user-1', workspaceName: 'Ada Works' },
  plan: { planId: 'free' },
  executor: { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-1' },
  handles: {},
  reservations: { state: 'held', capacityKey, trialKeys: [trialKey] },
  ...{ providerCalls: [], listenerCalls: [] },
};

interface Records {
  readonly attempt?: Partial<Attempt>;
  readonly capacity?: Partial<CapacityReservation>;
  readonly trial?: Partial<TrialReservation>;
  readonly remains?: Partial<Remains>;
}

async function read({ attempt, capacity, trial, remains }: Records = {}) {
  const { store, ...world } = await createProvisioningWorld();
  store.collection(attemptsCollection).put({ ...begun, ...attempt });
  if (capacity) store.collection(capacityCollection).put({ _id: capacityKey, ...stamps, timeline: [], ...capacity });
  if (trial) store.collection(trialsCollection).put({ _id: trialKey, ...stamps, timeline: [], ...trial });
  if (remains) store.collection(remainsCollection).put({ _id: tenant, ...stamps, tenantId: tenant, ...remains });
  const { ports } = bootProvisioning({ store, ...world });
  const askExecutors = async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const }));
  return (await readAttempt({ ...ports, askExecutors }, tenant))!;
}

const other = 'tenant-2';
const operationId = creationOperationId(tenant);
const notHeld = { state: 'not_held', heldBecause: 'It is not held by this creation.' };

describe('the reservations of an attempt', () => {
  it('are shown with the state and the timeline of this creation alone', async () => {
    const timeline = [
      { at, tenantId: other, what: 'confirmed' as const },
      { at, tenantId: tenant, what: 'reserved' as const },
    ];
    const { reservations } = await read({
      capacity: {
        allocations: [
          { tenantId: other, state: 'confirmed' },
          { tenantId: tenant, state: 'reserved' },
        ],
        timeline,
      },
      trial: { tenantId: tenant, operationId, timeline },
    });
    const held = {
      state: 'reserved',
      heldBecause: 'The creation has not come to its end; reservations never expire.',
      timeline: [{ at: at.toISOString(), what: 'reserved' }],
    };
    expect(reservations).toEqual([
      { kind: 'capacity', key: capacityKey, ...held },
      { kind: 'trial', key: trialKey, ...held },
    ]);
  });

  it.each<[string, Records]>([
    ['have no record', {}],
    [
      'another workspace holds',
      {
        capacity: { allocations: [{ tenantId: other, state: 'confirmed' }] },
        trial: { tenantId: other, operationId: creationOperationId(other) },
      },
    ],
    [
      'only a checkout of the workspace holds',
      { capacity: { allocations: [] }, trial: { tenantId: tenant, operationId: 'checkout-1' } },
    ],
  ])('are not held when they %s', async (_what, records) => {
    expect((await read(records)).reservations).toEqual([
      { kind: 'capacity', key: capacityKey, ...notHeld, timeline: [] },
      { kind: 'trial', key: trialKey, ...notHeld, timeline: [] },
    ]);
  });

  it('are none for a creation that reserved none', async () => {
    expect((await read({ attempt: { reservations: { state: 'held', trialKeys: [] } } })).reservations).toEqual([]);
  });

  const unfinished = 'The creation has not come to its end; reservations never expire.';
  it.each<[Attempt['status'], string]>([
    ['preparing', unfinished],
    ['awaiting_payment', unfinished],
    ['reconciliation_required', 'The outcome is not known; it is held until an investigation ends it.'],
    ['committed', 'The workspace exists; its reservation is permanent.'],
    ['cancelled', 'The creation was taken back; the next reconciliation releases it.'],
  ])('say why they are held while the creation is %s', async (status, heldBecause) => {
    const { reservations } = await read({
      attempt: { status },
      capacity: { allocations: [{ tenantId: tenant, state: 'confirmed' }] },
      trial: { tenantId: tenant, operationId },
    });
    expect(reservations).toMatchObject([
      { state: 'confirmed', heldBecause },
      { state: 'reserved', heldBecause },
    ]);
  });
});

describe('what a creation that was resolved as not applied has left at the provider', () => {
  const resolution = { outcome: 'not_applied', by: 'ann@example.com', executorStopped: 'gone', at } as const;
  const resolved = { status: 'cancelled', handles: { customerId: 'cus_1' }, resolution } as Partial<Attempt>;

  it.each<[string, Records, object]>([
    ['is open before the reconciliation has seen it', {}, { state: 'open' }],
    ['is open while its removal is not proven', { remains: { status: 'open' } }, { state: 'open' }],
    ['is removed', { remains: { status: 'removed' } }, { state: 'removed' }],
    [
      'is kept, with the reason',
      { remains: { status: 'kept', keptBecause: 'Its first invoice is paid.' } },
      { state: 'kept', reason: 'Its first invoice is paid.' },
    ],
  ])('%s', async (_what, records, remains) => {
    expect((await read({ attempt: resolved, ...records })).remains).toStrictEqual(remains);
  });

  it('is not shown of a creation that leaves nothing', async () => {
    expect(await read()).not.toHaveProperty('remains');
  });
});
