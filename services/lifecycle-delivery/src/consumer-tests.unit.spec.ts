/** A person sends a test to a consumer: what is refused, what people see of it, and what an answer may change. */
import { consumersListSchema, lifecycleRequests, lifecycleSubjects } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from './testing/fake-world';
import { actOnConsumer } from './workflows/act-on-consumer';
import { takeUpActions } from './workflows/consumer-worker';

describe('a test of a consumer', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    await world.register('storage', ['suspended'], 'storage-1', { answersTests: true });
  });
  afterEach(() => running.close());

  const act = (over: Record<string, unknown> = {}) =>
    world.operator.request(
      lifecycleRequests.act,
      { requestId: 't-1', action: 'test', reason: 'a look', by: 'ann@example.com', consumer: 'storage', ...over },
      1_000,
    );
  const answer = async (type: 'test_receipt' | 'test_failed', body: Record<string, unknown>, id = `a:${type}`) => {
    await world.consumers.publish({
      ...{ subject: lifecycleSubjects.receipt('storage'), id, type: `tenant.${type}.v1`, repeats: 'stored' as const },
      body: { testId: 't-1', ...body },
    });
    await world.broker.settle();
  };
  const receipt = { receiptId: 'r-1', effectiveAt: requestedAt };
  const consumer = async () =>
    consumersListSchema.parse(await world.sendRequest(lifecycleRequests.consumers)).consumers[0]!;

  it('is one message that names no workspace, and its receipt is shown with its time', async () => {
    expect(await act()).toMatchObject({ ok: true, value: { tests: [{ testId: 't-1', by: 'ann@example.com' }] } });
    expect(world.sent('tenant.lifecycle')).toMatchObject([
      { subject: 'tenant.lifecycle.test.storage', type: 'tenant.lifecycle_test.v1' },
    ]);
    expect(Object.keys(world.sent('tenant.lifecycle')[0]!.body as object).sort()).toEqual([
      'consumer',
      'requestedAt',
      'testId',
    ]);
    await answer('test_failed', { error: 'no disk', failedAt: requestedAt });
    expect((await consumer()).tests).toMatchObject([{ sentAt: expect.any(String), failure: { error: 'no disk' } }]);
    world.clock.advance(1_000);
    await answer('test_receipt', receipt);
    const acceptedAt = world.clock.now().toISOString();
    expect((await consumer()).tests).toMatchObject([{ receipt: { ...receipt, acceptedAt } }]);
    expect(await world.sendRequest(lifecycleRequests.deliveries)).toEqual({ deliveries: [] });
    expect(world.sent('lifecycle.settled')).toEqual([]);
  });

  it('keeps its first receipt, whatever is answered later', async () => {
    await act();
    await answer('test_receipt', receipt);
    const before = await consumer();
    await answer('test_receipt', { ...receipt, receiptId: 'r-2' }, 'second');
    await answer('test_failed', { error: 'no disk', failedAt: requestedAt });
    expect(await consumer()).toEqual(before);
  });

  it('that is asked for twice under its id leaves once', async () => {
    await act();
    world.clock.advance(600_000);
    expect(await act()).toMatchObject({ ok: true });
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
  });

  it.each([
    ['of a consumer that is not registered', { consumer: 'search-index' }, 'unknown_consumer'],
    ['under an id that names another one', { reason: 'another look' }, 'request_id_reused'],
    ['within ten seconds of the last one', { requestId: 't-2' }, 'test_too_soon'],
    ['without a reason', { requestId: 't-2', reason: ' ' }, 'invalid_request'],
  ])('%s is refused and changes nothing', async (_what, over, code) => {
    await act();
    const before = await consumer();
    expect(await act(over)).toMatchObject({ ok: false, error: { serverCode: code } });
    expect(await consumer()).toEqual(before);
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
  });

  it('follows another one after ten seconds', async () => {
    await act();
    world.clock.advance(10_000);
    expect(await act({ requestId: 't-2' })).toMatchObject({ ok: true });
    expect(world.sent('tenant.lifecycle')).toHaveLength(2);
  });

  it('goes to no consumer that does not say that it answers tests, nor to one that is paused', async () => {
    await world.register('legacy');
    expect(await act({ consumer: 'legacy' })).toMatchObject({ error: { serverCode: 'tests_not_answered' } });
    await act({ requestId: 'p-1', action: 'pause' });
    expect(await act()).toMatchObject({ error: { serverCode: 'consumer_paused' } });
    expect(world.sent('tenant.lifecycle')).toEqual([]);
  });

  it('that the broker did not take is sent later, yet not while its consumer is paused', async () => {
    const deaf = { ...running.ports.broker, publish: async () => 'unknown' as const };
    const asked = { requestId: 't-1', action: 'test' as const, reason: 'a look', by: 'ann@example.com' };
    expect(await actOnConsumer({ ...running.ports, broker: deaf }, { ...asked, consumer: 'storage' })).toMatchObject({
      ok: false,
      error: { code: 'broker_unavailable' },
    });
    await act({ requestId: 'p-1', action: 'pause' });
    await takeUpActions(running.ports);
    expect(await act()).toMatchObject({ error: { serverCode: 'broker_unavailable' } });
    expect(world.sent('tenant.lifecycle')).toEqual([]);
    await act({ requestId: 'r-1', action: 'resume' });
    await takeUpActions(running.ports);
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
    expect((await consumer()).tests).toMatchObject([{ sentAt: expect.any(String) }]);
  });

  it('that no test is on record for is refused with its reason, and the refusal is counted', async () => {
    await answer('test_receipt', receipt);
    expect((await consumer()).refusedReceipts).toMatchObject({
      count: 1,
      last: { reason: 'no test of this id was sent to this consumer' },
    });
  });
});
