/**
 * The workflows' results when the store loses every race, loses answers or is unreachable, and when the broker is
 * unreachable.
 */
import { lifecycleLimits } from '@platform/contracts-lifecycle-delivery';
import { StoreUnavailableError } from '@platform/mongo';
import { deliveryIdOf } from '../domain/delivery';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { startWithDelivery, type StartedService } from '../testing/started-service';
import { markTenantDeleted } from './mark-tenant-deleted';
import { recordReceipt } from './record-receipt';
import { registerConsumer, unregisterConsumer } from './register-consumer';
import { newRoundMemory, retryDeliveries } from './retry-deliveries';
import { settleMessage } from './settle-message';

const receipt = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended' as const,
  receiptId: 'r',
  effectiveAt: requestedAt,
};
const deletion = { tenantId: 'acme', operationId: 'delete-acme', deletedAt: requestedAt };
const registration = { name: 'storage', transitions: ['suspended' as const], registeredBy: 'storage-1', renew: false };

describe('a workflow', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startWithDelivery());
  });
  afterEach(() => running.close());

  it('hands a receipt back when every write of it loses its race, or its answer', async () => {
    expect(await recordReceipt(answering(ports, 'deliveries', 'not_applied'), 'storage', receipt)).toMatchObject({
      kind: 'nak',
      reason: expect.stringContaining('lost 5 races'),
    });
    expect(await recordReceipt(answering(ports, 'deliveries', 'unknown'), 'storage', receipt)).toEqual({
      kind: 'nak',
      reason: 'the answer was lost',
    });
  });

  it('hands a settlement back when every write of it loses its race, or its answer', async () => {
    await recordReceipt(answering(ports, 'messages', 'unknown'), 'storage', receipt);
    expect(await settleMessage(answering(ports, 'messages', 'not_applied'), 'operation-1')).toMatchObject({
      kind: 'nak',
      reason: expect.stringContaining('lost 5 races'),
    });
    expect(await settleMessage(answering(ports, 'messages', 'unknown'), 'operation-1')).toEqual({
      kind: 'nak',
      reason: 'the answer was lost',
    });
    expect(await settleMessage(ports, 'operation-1')).toEqual({ kind: 'ack' });
    expect(await settleMessage(ports, 'operation-9')).toEqual({ kind: 'ack' });
  });

  it('hands a deletion back until its record exists and nothing open is left', async () => {
    world.store.loseNextWrite('before');
    expect(await markTenantDeleted(ports, deletion)).toMatchObject({ kind: 'nak' });
    expect(await markTenantDeleted(answering(ports, 'deliveries', 'unknown'), deletion)).toMatchObject({
      kind: 'nak',
      reason: expect.stringContaining('could not be skipped'),
    });
    expect(await markTenantDeleted(answering(ports, 'messages', 'unknown'), deletion)).toMatchObject({ kind: 'nak' });
    expect(await markTenantDeleted(ports, deletion)).toEqual({ kind: 'ack' });
  });

  it('ends all that waits for a deleted tenant, over several pages', async () => {
    for (let number = 2; number < 130; number += 1) await world.announce(`operation-${number}`);
    await world.broker.settle();
    expect(await markTenantDeleted(ports, deletion)).toEqual({ kind: 'ack' });
    expect(await ports.deliveries.count({ status: 'skipped_deleted' })).toBe(129);
    expect(await ports.messages.count({ status: 'settled' })).toBe(129);
  });

  it('retries the other deliveries when one cannot be dealt with, and ends the round when the store is unreachable', async () => {
    await world.announce('operation-2');
    await world.broker.settle();
    world.broker.wipe();
    world.broker.applyTopology();
    const spoilt = deliveryIdOf('operation-1', 'storage');
    const mutate: typeof ports.deliveries.mutate = (current, next) =>
      current._id === spoilt ? Promise.reject(new Error('spoilt')) : ports.deliveries.mutate(current, next);
    const error = jest.fn();
    const failing = { ...ports, log: { ...ports.log, error }, deliveries: { ...ports.deliveries, mutate } };
    const memory = newRoundMemory();
    const counts = await retryDeliveries(failing, world.store, { kind: 'everything' }, memory);
    expect(counts).toMatchObject({ published: 1, unconfirmed: 1 });
    expect([...memory.owed]).toEqual(['operation-1']);
    const fields = { deliveryId: spoilt, operationId: 'operation-1', consumer: 'storage', error: 'Error: spoilt' };
    expect(error.mock.calls).toEqual([[fields, 'a delivery could not be retried']]);
    world.broker.wipe();
    world.broker.applyTopology();
    const away = { ...ports.deletedTenants, findById: () => Promise.reject(new StoreUnavailableError('away')) };
    await expect(
      retryDeliveries({ ...ports, deletedTenants: away }, world.store, { kind: 'everything' }),
    ).rejects.toThrow(StoreUnavailableError);
  });

  it('refuses a registration that cannot be recorded or has no durable, and one too many', async () => {
    const later = { ...registration, registeredBy: 'storage-2' };
    expect(await registerConsumer(answering(ports, 'consumers', 'not_applied'), later)).toMatchObject({
      error: { code: 'store_unavailable' },
    });
    expect(await registerConsumer(answering(ports, 'consumers', 'unknown'), later)).toMatchObject({
      error: { code: 'store_unavailable' },
    });
    const away = { ...ports.broker, ensureDurable: () => Promise.reject(new Error('no stream')) };
    expect(await registerConsumer({ ...ports, broker: away }, later)).toMatchObject({
      error: { code: 'broker_unavailable' },
    });
    const full = { ...ports, consumers: { ...ports.consumers, count: async () => lifecycleLimits.consumers } };
    expect(await registerConsumer(full, { ...registration, name: 'one-more' })).toMatchObject({
      error: { code: 'too_many_consumers' },
    });
    expect(await registerConsumer(full, later)).toMatchObject({ ok: true });
  });

  it('refuses a removal that cannot be recorded, and minds no durable that stays', async () => {
    const request = { name: 'storage', registeredBy: 'storage-1' };
    expect(await unregisterConsumer(answering(ports, 'consumers', 'not_applied'), request)).toMatchObject({
      error: { code: 'store_unavailable' },
    });
    expect(await unregisterConsumer(answering(ports, 'consumers', 'unknown'), request)).toMatchObject({
      error: { code: 'store_unavailable' },
    });
    const away = { ...ports.broker, removeDurable: () => Promise.reject(new Error('away')) };
    expect(await unregisterConsumer({ ...ports, broker: away }, request)).toEqual({
      ok: true,
      value: { name: 'storage', removed: true },
    });
    expect(await unregisterConsumer(ports, request)).toEqual({ ok: true, value: { name: 'storage', removed: false } });
    expect(await unregisterConsumer(ports, { ...request, name: 'unknown' })).toEqual({
      ok: true,
      value: { name: 'unknown', removed: false },
    });
  });
});
