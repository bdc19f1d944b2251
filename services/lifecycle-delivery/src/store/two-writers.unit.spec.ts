/** Two writers of one record at the same moment: the revision lets one through, the other decides again on what it finds. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from '../delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import { attemptDelivery } from '../workflows/attempt-delivery';
import { recordFailure, recordReceipt } from '../workflows/record-receipt';
import { registerConsumer } from '../workflows/register-consumer';
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

  it('of a receipt and a failure: the receipt stands in the end', async () => {
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

  it('of one settlement: it is announced once', async () => {
    const settlements = () => world.broker.published.filter(({ subject }) => subject === 'lifecycle.settled.suspended');
    await recordReceipt(running.ports, 'storage', { ...body, receiptId: 'a', effectiveAt: requestedAt });
    await Promise.all([1, 2].map(() => settleMessage(running.ports, 'operation-1')));
    expect(settlements()).toHaveLength(1);
  });

  it('of one new registration: both are answered, one record stands', async () => {
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
