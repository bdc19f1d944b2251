/** The attempts of a delivery: when each was sent, under which id, and its answer, including a wrong receipt. */
import { deliveriesPageSchema, lifecycleRequests, type DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { attemptLimits, attemptsShown, viewOfAttempts, withAnswer, withAttempt } from './domain/attempts';
import { deliveryIdOf } from './domain/delivery';
import { createFakeWorld, type FakeWorld } from './testing/fake-world';
import { retryDeliveries } from './workflows/retry-deliveries';

const id = deliveryIdOf('operation-1', 'storage');

describe('the attempts of a delivery', () => {
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

  const delivery = async (): Promise<DeliveryView> => {
    const page = await world.sendRequest(lifecycleRequests.deliveries, { consumer: 'storage' });
    return deliveriesPageSchema.parse(page).deliveries[0]!;
  };
  /** The broker lost the message, so it is sent again. */
  const repeat = async () => {
    world.clock.advance(300_000);
    world.broker.wipe();
    world.broker.applyTopology();
    expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ published: 1 });
  };

  it('begin with the first message, to which nothing has come back', async () => {
    const startedAt = world.clock.now().toISOString();
    const [sent] = world.sent('tenant.lifecycle');
    expect((await delivery()).attempts).toEqual([{ number: 1, messageId: sent!.id, startedAt, failures: 0 }]);
  });

  it('keep what came back to each: a failed run, a receipt that was refused, and the receipt', async () => {
    await world.failure('storage', 'operation-1', 'Error: disk full', 'f-1');
    await world.failure('storage', 'operation-1', 'Error: disk still full', 'f-2');
    await world.broker.settle();
    await repeat();
    await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-wrong');
    await world.broker.settle();
    await repeat();
    const at = world.clock.now().toISOString();
    await world.receipt('storage', 'operation-1', {}, 'r-right');
    await world.broker.settle();
    const { status, attemptCount, failureCount, attempts } = await delivery();
    expect({ status, attemptCount, failureCount }).toEqual({ status: 'succeeded', attemptCount: 3, failureCount: 3 });
    expect(attempts).toMatchObject([
      { number: 1, failures: 2, answer: { kind: 'run_failed', error: 'Error: disk still full' } },
      {
        number: 2,
        failures: 1,
        answer: { kind: 'receipt_refused', error: "receipt refused: tenantId globex is not the delivery's acme" },
      },
      { number: 3, failures: 0, startedAt: at, answer: { kind: 'receipt', at } },
    ]);
    expect(attempts?.map(({ messageId }) => messageId)).toEqual(
      world.sent('tenant.lifecycle').map(({ id: messageId }) => messageId),
    );
  });

  it('count a report once however often its message comes', async () => {
    await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-wrong');
    await world.broker.settle();
    const before = (await delivery()).attempts;
    world.broker.redeliverAll();
    await world.broker.settle();
    expect((await delivery()).attempts).toEqual(before);
    expect(before).toMatchObject([{ failures: 1 }]);
  });
});

describe('the record of attempts', () => {
  const at = new Date('2026-01-01T00:00:00.000Z');
  const first = withAttempt(undefined, 1, at);

  it('holds the last ones alone, however many there were', () => {
    let attempts = first;
    for (let number = 2; number <= 1_000; number += 1) attempts = withAttempt(attempts, number, at);
    expect(attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: attemptLimits.kept }, (_, index) => 1_001 - attemptLimits.kept + index),
    );
  });

  it('takes an answer on a record from before attempts were kept', () => {
    const former = { attemptCount: 7, attemptedAt: at };
    expect(withAnswer(former, { kind: 'run_failed', at, error: 'disk full' })).toMatchObject([
      { number: 7, startedAt: at, failures: 1, answer: { error: 'disk full' } },
    ]);
    expect(viewOfAttempts({ _id: id }, 20)).toEqual([]);
  });

  it('names no attempt for a report that comes before the first one', () => {
    const unsent = { attemptCount: 0, attemptedAt: new Date(0) };
    expect(withAnswer(unsent, { kind: 'run_failed', at, error: 'disk full' })).toEqual([]);
  });

  it('of as many deliveries as one page shows fits into one message, whatever consumers write', () => {
    const deliveries = 100;
    let attempts = first;
    for (let number = 1; number <= attemptLimits.kept; number += 1)
      attempts = withAnswer(
        { attempts: withAttempt(attempts, number, at), attemptCount: number, attemptedAt: at },
        { kind: 'run_failed', at, error: '\u0000'.repeat(500) },
      );
    const page = Array.from({ length: deliveries }, () =>
      viewOfAttempts({ _id: id, attempts }, attemptsShown(deliveries)),
    );
    expect(page[0]).toHaveLength(5);
    expect(JSON.stringify(page).length).toBeLessThan(512 * 1_024);
    expect([attemptsShown(0), attemptsShown(25), attemptsShown(500), attemptsShown(5_000)]).toEqual([20, 20, 1, 1]);
  });
});
