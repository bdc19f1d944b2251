/**
 * The mark of a deleted tenant: waiting deliveries are skipped, and the requester gets an answer as often as it asks.
 */
import { losingWrites } from '@platform/durable/testing';
import { lifecycleTypes, type TenantDeletedSettled } from '@platform/contracts-lifecycle-delivery';
import { createFakeWorld, requestedAt } from '../testing/fake-world';
import type { RunningDelivery } from '../delivery';
import { answering } from '../testing/answering';
import { markTenantDeleted } from './mark-tenant-deleted';
import type { DeliveryPorts } from './ports';
import { recordFailure } from './record-receipt';

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
  it('is answered when the mark is recorded and nothing waits', async () => {
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

  it('ends a delivery whose consumer reports a failed run at that moment, before it is answered', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const { ports } = running;
    const { deliveries } = ports;
    const report = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
    const failed = { ...report, error: 'disk full', failedAt: requestedAt };
    let reports = 0;
    const find: typeof deliveries.find = async (...query) => {
      const page = await deliveries.find(...query);
      if (reports === 0) await recordFailure(ports, 'storage', failed, `report-${(reports += 1)}`);
      return page;
    };
    const deletion = { tenantId: 'acme', operationId: 'delete-acme', deletedAt: requestedAt };
    expect(await markTenantDeleted({ ...ports, deliveries: { ...deliveries, find } }, deletion)).toEqual({
      kind: 'ack',
    });
    expect([reports, answers().length]).toEqual([1, 1]);
    expect(await ports.deliveries.find({}, { sort: { _id: 1 }, limit: 1 })).toMatchObject([
      { status: 'skipped_deleted', failureCount: 1 },
    ]);
    expect(await ports.messages.count({ status: 'settled' })).toBe(1);
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

  it('is handed back while it is unknown whether its record exists, its deliveries ended or its answer arrived', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    const { ports } = running;
    const deletion = { tenantId: 'acme', operationId: 'delete-acme', deletedAt: requestedAt };
    const mark = (over: Partial<DeliveryPorts> = {}) => markTenantDeleted({ ...ports, ...over }, deletion);
    const lost = { kind: 'nak', reason: 'the answer was lost' };
    const { deletedTenants, broker } = ports;
    expect(await mark({ deletedTenants: losingWrites(deletedTenants) })).toEqual(lost);
    const [delivery] = await ports.deliveries.find({}, { sort: { _id: 1 }, limit: 1 });
    const notNow = { kind: 'nak', reason: `delivery ${delivery!._id} could not be skipped now` };
    expect(await markTenantDeleted(answering(ports, 'deliveries', 'unknown'), deletion)).toEqual(notNow);
    expect(await markTenantDeleted(answering(ports, 'messages', 'unknown'), deletion)).toEqual(lost);
    const deaf = { broker: { ...broker, publish: async () => 'unknown' as const } };
    expect(await mark(deaf)).toEqual({ kind: 'nak', reason: 'the answer was not acknowledged by the broker' });
    expect(await mark({ deletedTenants: { ...deletedTenants, findById: async () => null } })).toEqual({
      kind: 'nak',
      reason: 'the mark of tenant acme could not be read back',
    });
    expect(answers()).toEqual([]);
    expect(await mark()).toEqual({ kind: 'ack' });
    expect(answers()).toHaveLength(1);
  });
});
