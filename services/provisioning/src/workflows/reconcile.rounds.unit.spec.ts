/** A round of the reconciliation: what it reads, in which order, what it reports, and how it ends early. */
import { losingWrites } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import type { Attempt, Resolution } from '../domain/attempt';
import { newRemains } from '../domain/remains';
import { attemptsCollection, billingProfilesCollection, tenantsCollection } from '../store/collections';
import {
  awaitingItsPerson,
  cancelledInItsMarker,
  interruptedCreation,
  notingPorts,
  paidWithoutAnswer,
} from '../testing/interrupted-creations';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

/** A committed creation whose reservations do not know that yet. */
const unsettled = () =>
  interruptedCreation({
    attempts: ({ reservations }) => (reservations as Attempt['reservations']).state === 'settled',
  });

/** An open attempt, and remains at the provider that wait for their first round. */
async function withRemains() {
  const stage = await awaitingItsPerson();
  await stage.ports.remains.insert(newRemains(stage.world.attempt() as Attempt));
  return stage;
}

const ended = new Date(0);

/** The attempt is cancelled, as an earlier process or an investigation left it, and its reservations are held. */
function cancelled(world: ProvisioningWorld, change: Partial<Attempt> = {}): void {
  const attempt = { ...world.attempt(), status: 'cancelled', cancelledAt: ended, ...change };
  world.store.collection(attemptsCollection).put(attempt);
}

const resolution: Resolution = {
  outcome: 'not_applied',
  executorStopped: 'its host was shut down',
  providerObject: null,
  by: 'ann@example.com',
  at: ended,
};

describe('a round of the reconciliation', () => {
  it('looks at the oldest creation first, and reports what it looked at and committed', async () => {
    const world = await createProvisioningWorld();
    world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' }, 2);
    const { ports: first } = bootProvisioning(world);
    for (const tenantId of ['tenant-b', 'tenant-a']) await createWorkspace(first, creationRequest({ tenantId }));
    world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
    await createWorkspace(first, creationRequest({ tenantId: 'tenant-c' }));
    const { ports, announced } = notingPorts(world);
    expect(await reconcile(ports)).toEqual({ looked: 3, committed: 2, settled: 0 });
    expect(announced.map(({ recordId }) => recordId)).toEqual(['tenant-b', 'tenant-a'].map(creationOperationId));
  });

  it('settles the reservations of a committed creation, and leaves its rows as they are', async () => {
    const { world, ports, announced } = await unsettled();
    expect(world.attempt()).toMatchObject({ status: 'committed', reservations: { state: 'held' } });
    expect(await reconcile(ports)).toEqual({ looked: 0, committed: 0, settled: 1 });
    expect(world.attempt()).toMatchObject({ status: 'committed', reservations: { state: 'settled' } });
    expect(world.store.collection(tenantsCollection).all()).toMatchObject([{ status: 'provisioned' }]);
    expect(world.store.collection(billingProfilesCollection).all()).toMatchObject([
      { profile: creationRequest().billingProfile },
    ]);
    expect(announced).toEqual([]);
  });

  it.each([
    ['an open creation', paidWithoutAnswer],
    ['reservations that are held', unsettled],
    ['remains', withRemains],
  ])('changes nothing more about %s once the process ends', async (_what, stage) => {
    const { world, ports, announced } = await stage();
    const [writes, sends] = [world.recorder.logs.writes.length, world.provider.sends().length];
    expect(await reconcile(ports, () => true)).toEqual({ looked: 0, committed: 0, settled: 0 });
    expect(world.recorder.logs.writes).toHaveLength(writes);
    expect(world.provider.sends()).toHaveLength(sends);
    expect(announced).toEqual([]);
  });
});

describe('a creation that was cancelled before it had a tombstone', () => {
  const withoutMarker = () => interruptedCreation({ markers: () => true });

  it.each([
    ['by an earlier build', {}, 'cancelled'],
    ['by an investigation', { resolution }, 'resolved_not_applied'],
  ])('%s is buried, and its message names why', async (_by, change, code) => {
    const { world, ports, announced } = await withoutMarker();
    cancelled(world, change);
    expect(await reconcile(ports)).toMatchObject({ settled: 1 });
    const message = { subject: 'workspace.cancelled', body: { tenantId: tenant, code } };
    expect(world.marker()).toMatchObject({
      provisioningState: 'cancelled',
      closedAt: ended,
      cancelledAt: ended,
      ...change,
      outbox: [message],
    });
    expect(announced).toMatchObject([
      { source: 'lifecycle_outbox', recordId: creationOperationId(tenant), entries: [message] },
    ]);
    expect(world.attempt()).toMatchObject({ reservations: { state: 'settled' } });
  });

  it('is buried over the marker that its executor wrote afterwards, with its rows', async () => {
    const { world, ports, announced } = await paidWithoutAnswer();
    cancelled(world);
    expect(await reconcile(ports)).toMatchObject({ settled: 1 });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', closedAt: ended, cancelledAt: ended });
    expect(world.store.collection(tenantsCollection).all()).toMatchObject([{ status: 'cancelled' }]);
    expect(announced).toHaveLength(1);
  });

  it('keeps its reservations until the tombstone is written', async () => {
    const { world, ports, announced } = await withoutMarker();
    cancelled(world);
    const markers = losingWrites(ports.markers);
    expect(await reconcile({ ...ports, markers })).toMatchObject({ settled: 0 });
    expect(world.attempt()).toMatchObject({ reservations: { state: 'held' } });
    expect(announced).toEqual([]);
    expect(await reconcile(ports)).toMatchObject({ settled: 1 });
  });
});

describe('a cancelled creation that has its tombstone', () => {
  it('is settled, and nothing is announced a second time', async () => {
    const { world, ports, announced } = await cancelledInItsMarker();
    cancelled(world);
    const marker = world.marker();
    expect(await reconcile(ports)).toMatchObject({ settled: 1 });
    expect(world.marker()).toEqual(marker);
    expect(announced).toEqual([]);
  });
});
