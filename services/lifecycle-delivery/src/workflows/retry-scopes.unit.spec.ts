/** What a round reads and sends by its scope: waivers, what is due, and what stays where it was read. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { waivePortsOf } from '../cli/delivery-commands';
import { answering } from '../testing/answering';
import { startService, type StartedService } from '../testing/started-service';
import { unregister, waiverOf } from '../testing/waivers';
import type { DeliveryPorts } from './ports';
import { retryDeliveries, type RetryScope } from './retry-deliveries';
import { deliveryWaiver } from './waive-delivery';

const minute = 60_000;
const day = 86_400_000;
const due: RetryScope = { kind: 'due' };

describe('a round of the retry worker', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
    await world.register('storage');
  });
  afterEach(() => running.close());

  const round = (scope: RetryScope, over: DeliveryPorts = ports) => {
    // Earlier rounds of the process have checked every message.
    const memory = { completeUpTo: world.clock.now(), owed: new Set<string>() };
    return retryDeliveries(over, world.store, scope, memory);
  };
  async function announce(...operations: string[]): Promise<void> {
    for (const operationId of operations) await world.announce(operationId);
    await world.broker.settle();
  }
  /** The consumer acknowledges so many messages of those that the broker holds for it, and no receipt follows. */
  async function acknowledge(count: number): Promise<void> {
    let taken = 0;
    const taking = await world.consumers.consume({ stream: 'TENANT_LIFECYCLE', durable: 'storage' }, async () =>
      (taken += 1) <= count ? { kind: 'ack' } : { kind: 'nak', reason: 'stuck' },
    );
    await world.broker.settle();
    await taking.close();
  }

  describe('after a waiver whose tool ended before the settlement', () => {
    beforeEach(async () => {
      await announce('operation-1');
      const tool = { ...waivePortsOf(world.store, world.clock), hasOpenDelivery: async () => true };
      const planned = await deliveryWaiver.plan(tool, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
      if (!planned.ok) throw new Error(planned.error);
      await deliveryWaiver.record(tool, planned.value);
    });

    it.each([
      ['five minutes', 5 * minute],
      ['nearly a day', day - 1],
    ])('settles the message, also %s later', async (_time, passed) => {
      expect((await ports.messages.findById('operation-1'))?.status).toBe('awaiting_receipts');
      world.clock.advance(passed);
      await round(due);
      expect((await ports.messages.findById('operation-1'))?.status).toBe('settled');
    });

    it.each<[RetryScope, number]>([
      [due, 1],
      // It checks every message, so a waiver needs no read of its own.
      [{ kind: 'everything' }, 0],
      // It is about the deliveries of one consumer.
      [{ kind: 'consumer', name: 'storage' }, 0],
    ])('with the scope %j reads the list of waivers so many times: %i', async (scope, times) => {
      let reads = 0;
      const find: typeof ports.deliveries.find = (filter, ...options) => {
        if ('resolution.at' in filter) reads += 1;
        return ports.deliveries.find(filter, ...options);
      };
      await round(scope, { ...ports, deliveries: { ...ports.deliveries, find } });
      expect(reads).toBe(times);
    });
  });

  it('leaves until it is due what the broker no longer holds', async () => {
    await announce('operation-1');
    await acknowledge(1);
    world.clock.advance(minute);
    await announce('operation-2');
    expect(await round(due)).toMatchObject({ published: 0 });
    world.clock.advance(4 * minute);
    expect(await round(due)).toMatchObject({ published: 1 });
    expect(world.sent('tenant.lifecycle').map(({ id }) => id.slice(-2))).toEqual([':1', ':1', ':2']);
  });

  it.each([
    ['no copy of what waits for its consumer', 1, 0, 0],
    ['no copy of what is with its consumer', 0, 1, 0],
    ['no copy of what waits while another message is with its consumer', 1, 1, 0],
    ['a copy of what has left the broker', 0, 0, 1],
  ])('sends %s', async (_where, waiting, taken, published) => {
    await announce('operation-1');
    world.clock.advance(5 * minute);
    const streamStates: typeof ports.broker.streamStates = async (streams) =>
      (await ports.broker.streamStates(streams)).map((state) => ({
        ...state,
        durables: state.durables.map((one) => ({ ...one, pending: waiting, ackPending: taken })),
      }));
    const broker = { ...ports.broker, streamStates };
    expect(await round(due, { ...ports, broker })).toMatchObject({ published });
  });

  it.each(['unregistered', 'paused'])('sends nothing to a consumer that is %s, and makes no durable', async (state) => {
    await announce('operation-1');
    if (state === 'unregistered') await unregister(world, 'storage');
    else {
      const asked = { requestId: 'p-1', action: 'pause', reason: 'maintenance', by: 'ann@example.com' };
      await world.operator.request(lifecycleRequests.act, { ...asked, consumer: 'storage' }, 1_000);
    }
    world.broker.wipe();
    world.broker.applyTopology();
    world.clock.advance(5 * minute);
    const ensureDurable = jest.fn(ports.broker.ensureDurable);
    const broker = { ...ports.broker, ensureDurable };
    expect(await round(due, { ...ports, broker })).toMatchObject({ published: 0, unconfirmed: 0 });
    expect(ensureDurable).not.toHaveBeenCalled();
  });

  it('makes a durable only where the broker has none, and then sends what is not due either', async () => {
    await announce('operation-1');
    const ensureDurable = jest.fn(ports.broker.ensureDurable);
    const broker = { ...ports.broker, ensureDurable };
    expect(await round(due, { ...ports, broker })).toMatchObject({ published: 0 });
    expect(ensureDurable).not.toHaveBeenCalled();
    const streamStates = async () => [];
    expect(await round(due, { ...ports, broker: { ...broker, streamStates } })).toMatchObject({ published: 1 });
    expect(ensureDurable).toHaveBeenCalledTimes(1);
  });

  it('reads nothing about the settlement of what it has sent', async () => {
    await announce('operation-1');
    await acknowledge(1);
    world.clock.advance(5 * minute);
    const hasOpenDelivery = jest.fn(ports.hasOpenDelivery);
    expect(await round(due, { ...ports, hasOpenDelivery })).toMatchObject({ published: 1 });
    expect(hasOpenDelivery).not.toHaveBeenCalled();
  });

  it.each<[string, RetryScope, number, number, number]>([
    // The second page ends what is due; one read more looks for what a clock that jumped has put off.
    ['due', due, 201, 6 * minute, 3],
    ['held by the broker for too long', due, 1, 61 * minute, 2],
    ['open', { kind: 'consumer', name: 'storage' }, 201, minute, 2],
  ])('tries each of 201 deliveries that are %s once, also where none can be written', async (_what, scope, ...at) => {
    const [acknowledged, passed, pages] = at;
    for (let count = 0; count < 201; count += 1) await world.announce(`operation-${count}`);
    await world.broker.settle();
    world.clock.advance(minute);
    await acknowledge(acknowledged);
    world.clock.advance(passed);
    let reads = 0;
    const find: typeof ports.deliveries.find = (...query) => {
      if ('consumer' in query[0]) reads += 1;
      // A round that reads its first page without end would never come back.
      return reads > 10 ? Promise.resolve([]) : ports.deliveries.find(...query);
    };
    const counted = answering({ ...ports, deliveries: { ...ports.deliveries, find } }, 'deliveries', 'unknown');
    expect(await round(scope, counted)).toMatchObject({ published: 0, unconfirmed: 201 });
    expect(reads).toBe(pages);
  });
});
