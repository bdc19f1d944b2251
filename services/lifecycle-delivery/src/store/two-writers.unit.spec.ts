/**
 * Two writers of one record at the same moment: the revision admits one, and the other decides again from the current
 * record.
 */
import { isReplayed, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { waivePortsOf } from '../cli/delivery-commands';
import type { RunningDelivery } from '../delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import { waiverOf } from '../testing/waivers';
import { actOnConsumer } from '../workflows/act-on-consumer';
import { attemptDelivery } from '../workflows/attempt-delivery';
import { takeUpActions } from '../workflows/consumer-worker';
import { recordFailure, recordReceipt } from '../workflows/record-receipt';
import { deliveryWaiver } from '../workflows/waive-delivery';
import { registerConsumer } from '../workflows/register-consumer';
import { recordTestAnswer } from '../workflows/send-test';
import { settleMessage } from '../workflows/settle-message';
import { openDeliveries } from './deliveries';

const body = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };

describe('two writers at once', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
  });
  afterEach(() => running.close());
  const delivery = async () => (await openDeliveries(running.ports.deliveries, 'storage', null, 10))[0]!;
  const stored = async () => (await running.ports.deliveries.find({ operationId: 'operation-1' }, { limit: 10 }))[0];

  it('of one delivery’s receipt: one is written, both are acknowledged', async () => {
    const answers = await Promise.all(
      ['a', 'b'].map((receiptId) =>
        recordReceipt(running.ports, 'storage', { ...body, receiptId, effectiveAt: requestedAt }),
      ),
    );
    expect(answers).toEqual([{ kind: 'ack' }, { kind: 'ack' }]);
    expect(await stored()).toMatchObject({
      status: 'succeeded',
      receipt: { receiptId: expect.stringMatching(/^[ab]$/) },
    });
  });

  it('of a receipt and a failure: the receipt remains in the end', async () => {
    await Promise.all([
      recordFailure(running.ports, 'storage', { ...body, error: 'disk full', failedAt: requestedAt }, 'f-1'),
      recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt }),
    ]);
    expect(await stored()).toMatchObject({ status: 'succeeded', receipt: { receiptId: 'a' } });
  });

  it('of one delivery’s further attempt: one begins, the other one lost the race', async () => {
    const read = await delivery();
    const results = await Promise.all([1, 2].map(() => attemptDelivery(running.ports, read, world.clock.now())));
    expect(results.sort()).toEqual(['lost_race', 'published']);
    expect((await delivery()).attemptCount).toBe(read.attemptCount + 1);
  });

  it('of a receipt and an attempt: the receipt stays, and nothing is attempted on it', async () => {
    const read = await delivery();
    const [, attempted] = await Promise.all([
      recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt }),
      attemptDelivery(running.ports, read, world.clock.now()),
    ]);
    expect(['lost_race', 'published']).toContain(attempted);
    expect(await stored()).toMatchObject({ status: 'succeeded' });
    expect(await attemptDelivery(running.ports, read, world.clock.now())).toBe('lost_race');
  });

  it.each(['receipt', 'waiver'])(
    'of a receipt and a waiver, the %s first: one wins, and the other is on record or refused',
    async (first) => {
      const ports = waivePortsOf(world.store, world.clock);
      const planned = await deliveryWaiver.plan(ports, {
        ...waiverOf('operation-1', 'storage'),
        stillRegistered: true,
      });
      if (!planned.ok) throw new Error(planned.error);
      const once = { ...ports, retryPolicy: { tries: 1, pause: async () => {} } };
      const receive = () =>
        recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt });
      const waive = () => deliveryWaiver.record(once, planned.value);
      const [received, waived] =
        first === 'receipt'
          ? [await receive(), await waive()]
          : await waive().then(async (answer) => [await receive(), answer] as const);
      expect(received).toEqual({ kind: 'ack' });
      expect(waived.ok).toBe(first === 'waiver');
      expect(await stored()).toMatchObject(
        first === 'waiver'
          ? { status: 'waived', lateReceipt: { receiptId: 'a' } }
          : { status: 'succeeded', receipt: { receiptId: 'a' } },
      );
    },
  );

  it('of a receipt and a waiver at the same moment: exactly one of them ends the delivery', async () => {
    const ports = { ...waivePortsOf(world.store, world.clock), retryPolicy: { tries: 1, pause: async () => {} } };
    const planned = await deliveryWaiver.plan(ports, { ...waiverOf('operation-1', 'storage'), stillRegistered: true });
    if (!planned.ok) throw new Error(planned.error);
    const [, waived] = await Promise.all([
      recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt }),
      deliveryWaiver.record(ports, planned.value),
    ]);
    await running.relay.sweep();
    const settled = world.broker.published.filter(({ subject }) => subject === 'lifecycle.settled.suspended');
    expect(settled).toHaveLength(1);
    expect(await stored()).toMatchObject(waived.ok ? { status: 'waived' } : { status: 'succeeded' });
    expect((settled[0]!.body as { waived?: unknown[] }).waived ?? []).toHaveLength(waived.ok ? 1 : 0);
  });

  it('of one settlement: it is announced once', async () => {
    const settlements = () => world.broker.published.filter(({ subject }) => subject === 'lifecycle.settled.suspended');
    await recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt });
    await Promise.all([1, 2].map(() => settleMessage(running.ports, 'operation-1')));
    expect(settlements()).toHaveLength(1);
  });

  it('of two actions on a consumer: both are on record, and the last one written decides', async () => {
    const act = (action: 'pause' | 'resume', requestId: string) =>
      actOnConsumer(running.ports, { requestId, action, reason: 'a move', by: 'ann@example.com', consumer: 'storage' });
    const answers = await Promise.all([act('pause', 'one'), act('resume', 'two'), act('pause', 'one')]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
    const record = await running.ports.consumers.findById('storage');
    const actions = record?.actions ?? [];
    expect(actions.map(({ requestId }) => requestId).sort()).toEqual(['one', 'two']);
    expect(record?.paused).toBe(actions.at(-1)?.action === 'pause');
  });

  it('of one test: both are answered, one is on record', async () => {
    await world.register('storage', ['suspended'], 'storage-1', { answersTests: true });
    const asked = { requestId: 't-1', action: 'test', reason: 'a look', by: 'ann@example.com' } as const;
    const answers = await Promise.all(
      [1, 2].map(() => actOnConsumer(running.ports, { ...asked, consumer: 'storage' })),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    expect((await running.ports.consumers.findById('storage'))?.tests).toMatchObject([{ testId: 't-1' }]);
    const tests = world.broker.published.filter(
      ({ subject, duplicate }) => subject === 'tenant.lifecycle.test.storage' && !duplicate,
    );
    expect(tests).toHaveLength(1);
  });

  it('of a test’s receipt and its failure: the receipt remains in the end', async () => {
    await world.register('storage', ['suspended'], 'storage-1', { answersTests: true });
    const asked = { requestId: 't-1', action: 'test', reason: 'a look', by: 'ann@example.com' } as const;
    await actOnConsumer(running.ports, { ...asked, consumer: 'storage' });
    const testId = 't-1';
    await Promise.all([
      recordTestAnswer(running.ports, 'storage', {
        kind: 'failure',
        body: { testId, error: 'no disk', failedAt: requestedAt },
      }),
      recordTestAnswer(running.ports, 'storage', {
        kind: 'receipt',
        body: { testId, receiptId: 'a', effectiveAt: requestedAt },
      }),
    ]);
    expect((await running.ports.consumers.findById('storage'))?.tests).toMatchObject([{ receipt: { receiptId: 'a' } }]);
  });

  it('of one page of a replay: it leaves once under its ids, and the replay moves on once', async () => {
    await recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt });
    const since = '2025-01-01T00:00:00.000Z';
    const asked = { requestId: 'r-1', action: 'replay', reason: 'a restore', by: 'ann@example.com', since } as const;
    await actOnConsumer(running.ports, { ...asked, consumer: 'storage' });
    world.broker.wipe();
    world.broker.applyTopology();
    await world.register('storage');
    const round = () => Promise.all([1, 2].map(() => takeUpActions(running.ports)));
    await round();
    const pages = world.broker.published.filter(({ id, duplicate }) => isReplayed(id) && !duplicate);
    expect(pages).toHaveLength(1);
    await world.consumeAll('storage', []);
    await world.broker.settle();
    world.clock.advance(10_000);
    await round();
    const { replay } = (await running.ports.consumers.findById('storage'))!;
    expect(replay).toMatchObject({ status: 'completed', received: 1 });
  });

  it('of a replay’s page and its cancellation: it stays cancelled', async () => {
    await recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt });
    const by = { by: 'ann@example.com', reason: 'a restore', consumer: 'storage' };
    const since = '2025-01-01T00:00:00.000Z';
    await actOnConsumer(running.ports, { ...by, requestId: 'r-1', action: 'replay', since });
    world.broker.wipe();
    world.broker.applyTopology();
    await world.register('storage');
    await Promise.all([
      takeUpActions(running.ports),
      actOnConsumer(running.ports, { ...by, requestId: 'c-1', action: 'cancel_replay' }),
    ]);
    expect((await running.ports.consumers.findById('storage'))?.replay?.status).toBe('cancelled');
  });

  it('of two replays: one begins, the other one is refused', async () => {
    const by = { by: 'ann@example.com', reason: 'a restore', consumer: 'storage', action: 'replay' } as const;
    const since = '2025-01-01T00:00:00.000Z';
    const answers = await Promise.all(
      ['one', 'two'].map((requestId) => actOnConsumer(running.ports, { ...by, requestId, since })),
    );
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'replay_running' } });
  });

  it('of one new registration: both are answered, one record remains', async () => {
    const request = { name: 'search-index', transitions: ['suspended' as const], renew: false };
    const answers = await Promise.all(
      ['one', 'two'].map((registeredBy) => registerConsumer(running.ports, { ...request, registeredBy })),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    const listed = (await world.sendRequest(lifecycleRequests.consumers)).consumers.filter(
      ({ name }) => name === 'search-index',
    );
    expect(listed).toMatchObject([{ status: 'registered', registeredBy: expect.stringMatching(/^(one|two)$/) }]);
  });
});
