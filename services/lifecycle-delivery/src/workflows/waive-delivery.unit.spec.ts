/** A waiver: by a person, once, for a delivery without a receipt; what it settles, and what happens after it. */
import type { SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { waivePortsOf } from '../cli/delivery-commands';
import type { RunningDelivery } from '../delivery';
import { deliveryIdOf, type Delivery } from '../domain/delivery';
import { answering } from '../testing/answering';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import { unregister, waiverOf } from '../testing/waivers';
import { recordFailure, recordReceipt } from './record-receipt';
import { retryDeliveries } from './retry-deliveries';
import { deliveryWaiver, waitingDeliveriesOf, type WaivePorts, type WaiverProofs } from './waive-delivery';

const body = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
const late = { ...body, receiptId: 'late', effectiveAt: requestedAt };

describe('a waiver', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  let ports: WaivePorts;

  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    ports = { ...waivePortsOf(world.store, world.clock), retryPolicy: { tries: 1, pause: async () => {} } };
    await world.register('storage');
    await world.register('search-index');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.receipt('search-index', 'operation-1');
    await world.broker.settle();
  });
  afterEach(() => running.close());

  const stored = async (consumer = 'storage'): Promise<Delivery> =>
    (await running.ports.deliveries.findById(deliveryIdOf('operation-1', consumer)))!;
  const settlements = () =>
    world.broker.published
      .filter(({ subject }) => subject === 'lifecycle.settled.suspended')
      .map(({ body: settled }) => settled as unknown as SettledMessage);
  async function waive(over: Partial<WaiverProofs> = {}, consumer = 'storage'): Promise<string> {
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', consumer), ...over });
    if (!planned.ok) return planned.error;
    const recorded = await deliveryWaiver.record(ports, planned.value);
    return recorded.ok ? recorded.value.status : recorded.error;
  }

  it('ends what a consumer that is gone owes, and the settlement names who was waived and by whom', async () => {
    await unregister(world, 'storage');
    expect(await waive()).toBe('waived');
    await running.relay.sweep();
    await world.broker.settle();
    expect(settlements()).toMatchObject([
      {
        operationId: 'operation-1',
        receipts: [{ consumer: 'search-index' }],
        waived: [{ consumer: 'storage', by: 'ann@example.com', reason: expect.stringContaining('ticket 4711') }],
      },
    ]);
    expect((await world.sendRequest('lifecycle.inspect.operation', { operationId: 'operation-1' })).deliveries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          consumer: 'storage',
          status: 'waived',
          waiver: expect.objectContaining({ by: 'ann@example.com', stillRegistered: false }),
        }),
      ]),
    );
  });

  it('does not settle while another consumer still owes its receipt', async () => {
    await world.announce('operation-2');
    await world.broker.settle();
    await unregister(world, 'storage');
    expect(
      await deliveryWaiver
        .plan(ports, waiverOf('operation-2', 'storage'))
        .then((planned) => (planned.ok ? deliveryWaiver.record(ports, planned.value) : planned)),
    ).toMatchObject({ ok: true });
    await running.relay.sweep();
    await world.broker.settle();
    expect(settlements()).toEqual([]);
    await world.receipt('search-index', 'operation-2');
    await world.broker.settle();
    expect(settlements()).toMatchObject([{ operationId: 'operation-2', waived: [{ consumer: 'storage' }] }]);
  });

  it.each<[string, Partial<WaiverProofs>, string, string]>([
    ['an unknown operation', { id: deliveryIdOf('operation-9', 'storage') }, 'storage', 'There is no delivery'],
    ['an unknown consumer', {}, 'not-here', 'There is no delivery'],
    ['a consumer that has receipted', {}, 'search-index', 'its receipt is in'],
    ['a consumer that is registered', {}, 'storage', '--still-registered'],
    ['no proof', { executorStopped: 'gone' }, 'storage', '--executor-stopped'],
    ['no person who answers for it', { by: 'ann' }, 'storage', '--by'],
    ['no reason', { reason: '  because  ' }, 'storage', '--reason'],
  ])('is refused for %s', async (_what, over, consumer, refusal) => {
    const before = await stored();
    expect(await waive(over, consumer)).toContain(refusal);
    expect(await stored()).toEqual(before);
  });

  it('of a registered consumer takes the explicit word, and that word only where it is true', async () => {
    expect(await waive({ stillRegistered: true })).toBe('waived');
    expect(await stored()).toMatchObject({ resolution: { stillRegistered: true } });
    await world.announce('operation-3');
    await world.broker.settle();
    await unregister(world, 'storage');
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-3', 'storage'), stillRegistered: true });
    expect(planned).toMatchObject({ ok: false, error: expect.stringContaining('is not registered') });
  });

  it('is recorded once', async () => {
    expect(await waive({ stillRegistered: true })).toBe('waived');
    const first = await stored();
    expect(await waive({ stillRegistered: true, by: 'bob@example.com' })).toContain('waived before');
    expect(await stored()).toEqual(first);
  });

  it('stays when a receipt comes later: the receipt is kept beside it and nothing else changes', async () => {
    await waive({ stillRegistered: true });
    await running.relay.sweep();
    await world.broker.settle();
    const [announced] = settlements();
    expect(await recordReceipt(running.ports, 'storage', late)).toEqual({ kind: 'ack' });
    expect(await recordReceipt(running.ports, 'storage', { ...late, receiptId: 'later still' })).toEqual({
      kind: 'ack',
    });
    await recordFailure(running.ports, 'storage', { ...body, error: 'disk full', failedAt: requestedAt }, 'f-1');
    expect(await stored()).toMatchObject({
      status: 'waived',
      resolution: { by: 'ann@example.com' },
      lateReceipt: { receiptId: 'late' },
    });
    // A repeated request gets the same announcement.
    world.clock.advance(300_000);
    await world.announce('operation-1');
    await world.broker.settle();
    for (const settled of settlements()) expect(settled).toEqual(announced);
  });

  it('is settled by the service when the tool ended before it did', async () => {
    const planned = await deliveryWaiver.plan(ports, {
      ...waiverOf('operation-1', 'storage'),
      stillRegistered: true,
    });
    if (!planned.ok) throw new Error(planned.error);
    const ending = { ...ports, hasOpenDelivery: () => Promise.reject(new Error('the tool ended')) };
    expect(await deliveryWaiver.record(ending, planned.value)).toMatchObject({ ok: true });
    // Far older than the messages that every round checks.
    world.clock.advance(7_200_000);
    await retryDeliveries(running.ports, world.store, { kind: 'due' });
    await running.relay.sweep();
    await world.broker.settle();
    expect(settlements()).toMatchObject([{ operationId: 'operation-1', waived: [{ consumer: 'storage' }] }]);
  });

  it.each([
    ['tries again until the settlement is known', 2, 5],
    ['gives up after as many tries as it has', 9, 3],
  ])('%s, because the next round of the service completes it', async (_what, failures, tries) => {
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
    if (!planned.ok) throw new Error(planned.error);
    const pause = jest.fn(async () => undefined);
    const hasOpenDelivery = jest.fn(ports.hasOpenDelivery);
    for (let failure = 0; failure < failures; failure += 1)
      hasOpenDelivery.mockRejectedValueOnce(new Error('no answer'));
    const trying = { ...ports, hasOpenDelivery, retryPolicy: { tries, pause } };
    expect(await deliveryWaiver.record(trying, planned.value)).toMatchObject({ ok: true });
    expect(hasOpenDelivery).toHaveBeenCalledTimes(3);
    expect(pause.mock.calls).toEqual([[1], [2]]);
    const settled = (await running.ports.messages.findById('operation-1'))?.status === 'settled';
    expect(settled).toBe(failures < tries);
  });

  it('tries again where the write of the settlement has no answer', async () => {
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
    if (!planned.ok) throw new Error(planned.error);
    const { messages } = answering(running.ports, 'messages', 'unknown');
    const pause = jest.fn(async () => undefined);
    const trying = { ...ports, messages, retryPolicy: { tries: 3, pause } };
    expect(await deliveryWaiver.record(trying, planned.value)).toMatchObject({ ok: true });
    expect(pause.mock.calls).toEqual([[1], [2]]);
  });

  it.each([
    ['of 9 characters', 9, false],
    ['of 10 characters', 10, true],
    ['of 2,000 characters', 2_000, true],
    ['of 2,001 characters', 2_001, false],
  ])('with a reason %s, without the blanks around it, is judged by its length', async (_length, length, accepted) => {
    const reason = 'x'.repeat(length);
    const answer = await waive({ reason: ` ${reason}\n`, stillRegistered: true });
    expect(answer).toEqual(accepted ? 'waived' : expect.stringContaining('(--reason)'));
    expect((await stored()) as { resolution?: object }).toMatchObject(
      accepted ? { resolution: { reason } } : { status: 'pending' },
    );
  });

  it('warns that the consumer may still act on what it was sent, and how often it was sent', async () => {
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
    expect(planned).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringMatching(/^storage was sent this 1 time and may still act on it\./)] },
    });
  });

  it('of a consumer without a record is like that of one that is not registered', async () => {
    const consumers = { ...running.ports.consumers, findById: async () => null };
    const planned = (over: Partial<WaiverProofs>) =>
      deliveryWaiver.plan({ ...ports, consumers }, { ...waiverOf('operation-1', 'storage'), ...over });
    expect(await planned({})).toMatchObject({ ok: true });
    const error = expect.stringContaining('storage is not registered');
    expect(await planned({ stillRegistered: true })).toEqual({ ok: false, error });
  });

  it('is tried once without a policy', async () => {
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
    if (!planned.ok) throw new Error(planned.error);
    const { retryPolicy: _policy, ...alone } = ports;
    const { messages } = answering(running.ports, 'messages', 'unknown');
    const mutate = jest.fn(messages.mutate);
    const unsettled = { ...alone, messages: { ...messages, mutate } };
    expect(await deliveryWaiver.record(unsettled, planned.value)).toMatchObject({ ok: true });
    expect(mutate).toHaveBeenCalledTimes(1);
  });

  it.each([
    [0, [null]],
    [199, [null]],
    [200, [null, 199]],
    [201, [null, 199]],
  ])('has a list of all %i deliveries that wait for one consumer, read page by page', async (count, pages) => {
    const createdAt = new Date(0);
    const all = Array.from({ length: count }, (_, index) => ({ _id: String(index), createdAt }));
    const asked: unknown[] = [];
    const find = async (_filter: object, { limit, after }: { limit: number; after?: readonly [Date, string] }) => {
      asked.push(after ?? null);
      const from = after ? Number(after[1]) + 1 : 0;
      return all.slice(from, from + limit);
    };
    const deliveries = { ...running.ports.deliveries, find: find as never };
    const listed: string[] = [];
    for await (const { _id } of waitingDeliveriesOf({ deliveries }, 'storage')) listed.push(_id);
    expect(listed).toEqual(all.map(({ _id }) => _id));
    expect(asked).toEqual(pages.map((last) => (last === null ? null : [createdAt, String(last)])));
  });
});
