/** The acceptance of a lifecycle message: what is durable before it is acknowledged, and when it comes again. */
import type { LifecycleMessage } from '@platform/contracts-lifecycle-delivery';
import { deliveryIdOf } from '../domain/delivery';
import { consumersCollection } from '../store/consumers';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { startService, type StartedService } from '../testing/started-service';
import { acceptLifecycleMessage } from './accept-message';
import type { DeliveryPorts } from './ports';

const message: LifecycleMessage = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended',
  requestedAt,
};
const ack = { kind: 'ack' };
const lost = { kind: 'nak', reason: 'the answer was lost' };

describe('a lifecycle message', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
  });
  afterEach(() => running.close());

  const accept = (over: Partial<DeliveryPorts> = {}) => acceptLifecycleMessage({ ...ports, ...over }, message);
  /** The same ports, where every insert into one collection has this outcome. */
  const inserting = (name: 'messages' | 'deliveries', outcome: object): Partial<DeliveryPorts> => ({
    [name]: { ...ports[name], insert: async () => outcome },
  });
  const unknown = { outcome: 'unknown', reason: 'the answer was lost' };
  const unreadable = { outcome: 'not_applied', existing: null, conflict: ['_id'] };
  const deaf = (): Partial<DeliveryPorts> => ({ broker: { ...ports.broker, publish: async () => 'unknown' } });
  const sent = (prefix: string) => world.sent(prefix).map(({ id }) => id);
  const other = deliveryIdOf('operation-1', 'search-index');
  const first = `delivery:${deliveryIdOf('operation-1', 'storage')}:1`;

  it.each([
    ['the message', 'messages', 'the accepted message could not be read back'],
    ['a delivery', 'deliveries', `delivery ${deliveryIdOf('operation-1', 'storage')} could not be read back`],
  ] as const)('comes again until the record of %s is known to exist', async (_what, name, reason) => {
    await world.register('storage');
    expect(await accept(inserting(name, unknown))).toEqual(lost);
    expect(await accept(inserting(name, unreadable))).toEqual({ kind: 'nak', reason });
    expect(sent('tenant.lifecycle')).toEqual([]);
    expect(await accept()).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([first]);
  });

  it('comes again until the broker has its deliveries, while that adds no copy', async () => {
    await world.register('storage');
    const refused = { kind: 'nak', reason: 'delivery to storage was not acknowledged by the broker' };
    expect(await accept(deaf())).toEqual(refused);
    expect(await accept(deaf())).toEqual(refused);
    world.clock.advance(100_000);
    expect(await accept(deaf())).toEqual(ack);
    expect(await accept()).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([]);
  });

  it('waits while a registration cannot be read, because its consumer may be required', async () => {
    await world.register('storage');
    const rows = world.store.collection(consumersCollection);
    const [record] = rows.all();
    rows.put({ ...record!, status: 'of a newer release' });
    expect(await accept()).toEqual({
      kind: 'nak',
      reason: 'lifecycle_consumers: record storage has a status that this build does not know',
    });
    expect([await ports.messages.findById('operation-1'), sent('lifecycle.settled')]).toEqual([null, []]);
    rows.put({ ...record! });
    expect(await accept()).toEqual(ack);
    expect([sent('tenant.lifecycle'), sent('lifecycle.settled')]).toEqual([[first], []]);
  });

  it('without a required consumer is settled and announced at once, and announced again when it comes again', async () => {
    const announced = jest.spyOn(ports, 'announce');
    expect(await acceptLifecycleMessage(ports, message)).toEqual(ack);
    expect(announced.mock.calls).toMatchObject([['operation-1', [{ id: 'settled:operation-1' }]]]);
    expect(sent('lifecycle.settled')).toEqual(['settled:operation-1']);
    expect(await accept(deaf())).toEqual({
      kind: 'nak',
      reason: 'the settlement was not acknowledged by the broker',
    });
    world.clock.advance(300_000);
    expect(await accept()).toEqual(ack);
    const [one, again, ...more] = world.sent('lifecycle.settled').map(({ id, type, body }) => ({ id, type, body }));
    expect([again, more]).toEqual([one, []]);
  });

  it('is announced once when it is new and settled', async () => {
    const publish = jest.fn(ports.broker.publish);
    expect(await accept({ broker: { ...ports.broker, publish } })).toEqual(ack);
    expect(publish).not.toHaveBeenCalled();
  });

  it('that comes again is not sent to a consumer that has given its receipt, nor for a tenant deleted since', async () => {
    for (const name of ['storage', 'search-index']) await world.register(name);
    await accept(deaf());
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    await ports.deletedTenants.insert({ _id: 'acme', operationId: 'delete-acme', deletedAt: new Date(0) });
    expect(await accept()).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([]);
    const none = { ...ports.deletedTenants, findById: async () => null };
    expect(await accept({ deletedTenants: none })).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([first.replace(deliveryIdOf('operation-1', 'storage'), other)]);
  });

  it('is checked for its settlement only when each of its deliveries has ended', async () => {
    for (const name of ['storage', 'search-index']) await world.register(name);
    await accept();
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    const hasOpenDelivery = jest.fn(ports.hasOpenDelivery);
    expect(await accept({ hasOpenDelivery })).toEqual(ack);
    expect(hasOpenDelivery).not.toHaveBeenCalled();
  });

  it('that another tenant has is refused, and nothing is sent', async () => {
    await world.register('storage');
    await accept();
    expect(await acceptLifecycleMessage(ports, { ...message, tenantId: 'globex' })).toEqual({
      kind: 'dead_letter',
      reason: 'operation operation-1 was accepted for tenant acme, not globex',
    });
    expect(sent('tenant.lifecycle')).toEqual([first]);
  });

  it('of a deleted tenant is settled with nothing sent, and comes again until that is known', async () => {
    for (const name of ['storage', 'search-index']) await world.register(name);
    await ports.deletedTenants.insert({ _id: 'acme', operationId: 'delete-acme', deletedAt: new Date(0) });
    expect(await acceptLifecycleMessage(answering(ports, 'messages', 'unknown'), message)).toEqual(lost);
    expect(await accept()).toEqual(ack);
    expect(await ports.deliveries.count({ status: 'skipped_deleted' })).toBe(2);
    expect(await ports.messages.findById('operation-1')).toMatchObject({ status: 'settled' });
    expect(sent('tenant.lifecycle')).toEqual([]);
  });

  it('waits with no attempt for a consumer that is paused, and is sent to the others', async () => {
    for (const name of ['storage', 'search-index']) await world.register(name);
    const paused = (await ports.readConsumers()).map((one) => ({ ...one, paused: one._id === 'search-index' }));
    expect(await accept({ readConsumers: async () => paused })).toEqual(ack);
    // The pause has ended; the round of the retry worker begins the first attempt.
    expect(await accept()).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([first]);
    expect(await ports.deliveries.findById(deliveryIdOf('operation-1', 'search-index'))).toMatchObject({
      ...{ status: 'pending', attemptCount: 0, nextAttemptAt: world.clock.now() },
    });
  });

  it('that is paused after its first attempt is not sent again during the pause', async () => {
    await world.register('storage');
    await accept(deaf());
    const paused = (await ports.readConsumers()).map((one) => ({ ...one, paused: true }));
    expect(await accept({ readConsumers: async () => paused })).toEqual(ack);
    expect(sent('tenant.lifecycle')).toEqual([]);
  });
});
