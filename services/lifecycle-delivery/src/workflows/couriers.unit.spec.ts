/** The couriers of a process: one for each consumer that is posted to, opened and closed as the records say. */
import { lifecycleStreams, lifecycleTransitions } from '@platform/contracts-lifecycle-delivery';
import type { Handle } from '@platform/messaging';
import { createLatch } from '@platform/testing';
import type { ConsumerRecord } from '../domain/consumer';
import { createHttpWorld, urlOf } from '../testing/http-world';
import { createCouriers, type Couriers } from './couriers';

const consumer = (name: string, over: object = {}): ConsumerRecord => ({
  ...{ _id: name, revision: 'r1', createdAt: new Date(0), updatedAt: new Date(0), status: 'registered' },
  ...{ transitions: lifecycleTransitions, registeredBy: 'ann@example.com', registeredAt: new Date(0) },
  endpoint: { url: urlOf(name), secretRef: name },
  ...over,
});

describe('the couriers of a process', () => {
  let couriers: Couriers;
  let records: ConsumerRecord[];
  let opening: Promise<void>;
  let closing: Promise<void>;
  let handlers: Handle[];
  const readConsumers = jest.fn();
  const opened = jest.fn();
  const closed = jest.fn();
  beforeEach(async () => {
    [opening, closing] = [Promise.resolve(), Promise.resolve()];
    [records, handlers] = [[], []];
    for (const mock of [readConsumers, opened, closed]) mock.mockReset();
    readConsumers.mockImplementation(async () => records);
    const ports = await createHttpWorld().ports();
    const consume: typeof ports.broker.consume = async (options, handle) => {
      opened(options);
      handlers.push(handle);
      await opening;
      return {
        close: async () => {
          closed(options.durable);
          await closing;
        },
      };
    };
    couriers = createCouriers({ ...ports, readConsumers, broker: { ...ports.broker, consume } }, 3);
  });

  const names = (mock: jest.Mock) =>
    mock.mock.calls.map(([one]: unknown[]) => (typeof one === 'string' ? one : (one as { durable: string }).durable));

  it('read the durable of each consumer that is posted to, and of no other one', async () => {
    records = [
      consumer('billing'),
      consumer('crm', { paused: true }),
      consumer('left', { status: 'unregistered' }),
      consumer('mail'),
      consumer('storage', { endpoint: undefined }),
    ];
    await couriers.align();
    const options = { stream: lifecycleStreams.deliveries, concurrency: 3 };
    expect(opened.mock.calls).toEqual(['billing', 'mail'].map((durable) => [{ ...options, durable }]));
    await couriers.align();
    expect(opened).toHaveBeenCalledTimes(2);
    expect(closed).not.toHaveBeenCalled();
  });

  it('hand each message to the handler of its consumer', async () => {
    records = [consumer('billing')];
    await couriers.align();
    const message = { type: 'tenant.lifecycle.v9', body: {} } as Parameters<Handle>[0];
    expect(await handlers[0]?.(message)).toMatchObject({ kind: 'dead_letter' });
  });

  it('end with what is posted to their consumer, and open again with it', async () => {
    records = [consumer('billing'), consumer('crm')];
    await couriers.align();
    records = [consumer('billing', { paused: true }), consumer('crm')];
    await couriers.align();
    expect(names(closed)).toEqual(['billing']);
    records = [consumer('billing'), consumer('crm')];
    await couriers.align();
    expect(names(opened)).toEqual(['billing', 'crm', 'billing']);
  });

  it('are opened once by two alignments at the same time', async () => {
    records = [consumer('billing')];
    await Promise.all([couriers.align(), couriers.align()]);
    expect(names(opened)).toEqual(['billing']);
  });

  it('are aligned by the next round after one that failed', async () => {
    records = [consumer('billing')];
    readConsumers.mockRejectedValueOnce(new Error('no store'));
    await expect(couriers.align()).rejects.toThrow('no store');
    await couriers.align();
    expect(names(opened)).toEqual(['billing']);
  });

  it('do not wait for a POST of a consumer that left, and the process does before it ends', async () => {
    records = [consumer('billing'), consumer('crm')];
    await couriers.align();
    const posted = createLatch();
    closing = posted.wait();
    records = [consumer('crm')];
    await couriers.align();
    expect(names(closed)).toEqual(['billing']);
    let ended = false;
    const ending = couriers.close().then(() => (ended = true));
    await new Promise((turn) => setImmediate(turn));
    expect([names(closed), ended]).toEqual([['billing', 'crm'], false]);
    posted.open();
    await ending;
    readConsumers.mockClear();
    await couriers.align();
    expect([names(opened), readConsumers.mock.calls]).toEqual([['billing', 'crm'], []]);
  });

  it('of a process that ends while one opens are closed, and no further one opens', async () => {
    records = [consumer('billing'), consumer('crm')];
    const answered = createLatch();
    opening = answered.wait();
    const aligning = couriers.align();
    await new Promise((turn) => setImmediate(turn));
    const ending = couriers.close();
    answered.open();
    await Promise.all([aligning, ending]);
    expect([names(opened), names(closed)]).toEqual([['billing'], ['billing']]);
  });
});
