/**
 * The mark of a deleted tenant: waiting deliveries are skipped, and the requester gets an answer as often as it asks.
 */
import { lifecycleTypes, type TenantDeletedSettled } from '@platform/contracts-lifecycle-delivery';
import { createFakeWorld } from '../testing/fake-world';
import type { RunningDelivery } from '../delivery';

let world: ReturnType<typeof createFakeWorld>;
let running: RunningDelivery;

beforeEach(async () => {
  world = createFakeWorld();
  running = await world.boot();
});
afterEach(() => running.close());

const answers = () =>
  world.broker.published
    .filter(({ type }) => type === lifecycleTypes.tenantDeletedSettled)
    .map(({ subject, body }) => ({ subject, ...(body as unknown as TenantDeletedSettled) }));

describe('the deletion of a tenant', () => {
  it('is answered when the mark stands and nothing waits', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.announceDeleted('acme');
    await world.broker.settle();
    const [marked] = await running.ports.deletedTenants.find({}, { sort: { _id: 1 }, limit: 1 });
    expect(answers()).toEqual([
      {
        subject: 'lifecycle.settled.tenant_deleted',
        tenantId: 'acme',
        operationId: 'delete-acme',
        settledAt: marked?.createdAt.toISOString(),
      },
    ]);
    expect(await running.ports.deliveries.count({ status: 'skipped_deleted' })).toBe(1);
  });

  it('skips what comes after it', async () => {
    await world.register('storage');
    await world.announceDeleted('acme');
    await world.broker.settle();
    await world.announce('operation-2');
    await world.broker.settle();
    expect(await running.ports.deliveries.count({ status: 'skipped_deleted' })).toBe(1);
    expect(await running.ports.messages.count({ status: 'settled' })).toBe(1);
  });

  it('is answered again, with the same words, after the broker has lost its data', async () => {
    await world.announceDeleted('acme');
    await world.broker.settle();
    const [first] = answers();
    world.clock.advance(600_000);
    await world.announceDeleted('acme');
    await world.broker.settle();
    expect(answers()).toEqual([first, first]);
  });
});
