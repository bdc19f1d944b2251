/** The settlement of a message: what it reads, what it publishes at once, and when it does nothing. */
import type { RunningDelivery } from '../delivery';
import { createFakeWorld, type FakeWorld } from '../testing/fake-world';
import { settleMessage } from './settle-message';

describe('the settlement of a message', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    for (const name of ['storage', 'search-index']) await world.register(name);
    await world.announce('operation-1');
    await world.broker.settle();
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
  });
  afterEach(() => running.close());

  it('reads no message while a delivery is open, because most receipts are not the last one', async () => {
    const read = jest.spyOn(running.ports.messages, 'findById');
    expect(await settleMessage(running.ports, 'operation-1')).toEqual({ kind: 'ack' });
    expect(read).not.toHaveBeenCalled();
  });

  it('waits for a required consumer whose delivery is missing', async () => {
    const ports = { ...running.ports, hasOpenDelivery: async () => false };
    expect(await settleMessage(ports, 'operation-1')).toEqual({ kind: 'ack' });
    expect(await running.ports.messages.findById('operation-1')).toMatchObject({ status: 'awaiting_receipts' });
    expect(world.sent('lifecycle.settled')).toEqual([]);
  });

  it('is published by the one that writes it, once', async () => {
    const announced = jest.spyOn(running.ports, 'announce');
    await world.receipt('search-index', 'operation-1');
    await world.broker.settle();
    expect(await settleMessage(running.ports, 'operation-1')).toEqual({ kind: 'ack' });
    expect(announced.mock.calls).toMatchObject([['operation-1', [{ id: 'settled:operation-1' }]]]);
    expect(world.sent('lifecycle.settled')).toHaveLength(1);
  });
});
