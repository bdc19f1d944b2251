/** A test on its way: when it is sent, what is known of that, and what its answer writes and costs. */
import { decideAction } from '../domain/consumer-actions';
import type { ConsumerRecord } from '../domain/consumer';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { startService, type StartedService } from '../testing/started-service';
import type { DeliveryPorts } from './ports';
import { recordTestAnswer, sendTest, sendUnsentTests } from './send-test';

const asked = {
  requestId: 't-1',
  action: 'test' as const,
  reason: 'a look',
  by: 'ann@example.com',
  consumer: 'storage',
};
const receipt = { kind: 'receipt' as const, body: { testId: 't-1', receiptId: 'r-1', effectiveAt: requestedAt } };
const failure = { kind: 'failure' as const, body: { testId: 't-1', error: 'no disk', failedAt: requestedAt } };

describe('a test on record', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
    await world.register('storage', ['suspended'], 'storage-1', { answersTests: true });
    const decision = decideAction(await record(), asked, world.clock.now());
    if (!('next' in decision)) throw new Error('the test is refused');
    await ports.consumers.mutate(await record(), decision.next);
  });
  afterEach(() => running.close());

  const record = async (): Promise<ConsumerRecord> => (await ports.consumers.findById('storage'))!;
  const sent = () => world.sent('tenant.lifecycle.test').map(({ id }) => id);
  /** The same ports, where the record of the consumer is read with these changes. */
  const reading = async (over: Partial<ConsumerRecord>): Promise<DeliveryPorts> => {
    const read = { ...(await record()), ...over } as ConsumerRecord;
    return { ...ports, consumers: { ...ports.consumers, findById: async () => read } };
  };

  it('is sent, and the record says when', async () => {
    world.clock.advance(1_000);
    const noted = await sendTest(ports, 'storage', 't-1');
    expect(noted).toEqual(await record());
    expect(noted?.tests).toMatchObject([{ testId: 't-1', sentAt: world.clock.now() }]);
    expect(sent()).toEqual(['test:storage:t-1']);
    expect(await sendTest(ports, 'storage', 't-1')).toEqual(noted);
    world.clock.advance(300_000);
    expect(await sendTest(ports, 'storage', 't-1')).toEqual(noted);
    expect(sent()).toHaveLength(1);
  });

  it('is not sent when its answer is there', async () => {
    await recordTestAnswer(ports, 'storage', receipt);
    expect(await sendTest(ports, 'storage', 't-1')).toEqual(await record());
    expect(sent()).toEqual([]);
  });

  it('is not sent to a consumer that is paused or has left, nor when it is of another id', async () => {
    expect(await sendTest(await reading({ paused: true }), 'storage', 't-1')).toBeNull();
    expect(await sendTest(await reading({ status: 'unregistered' }), 'storage', 't-1')).toBeNull();
    expect(await sendTest(ports, 'storage', 't-2')).toBeNull();
    expect(await sendTest(ports, 'stranger', 't-1')).toBeNull();
    await world.register('untested');
    expect(await sendTest(ports, 'untested', 't-1')).toBeNull();
    expect(sent()).toEqual([]);
  });

  it('is unknown to be sent while the broker does not acknowledge it, or the record cannot be written', async () => {
    const deaf = { ...ports, broker: { ...ports.broker, publish: async () => 'unknown' as const } };
    expect(await sendTest(deaf, 'storage', 't-1')).toBeNull();
    expect(await sendTest(answering(ports, 'consumers', 'unknown'), 'storage', 't-1')).toBeNull();
    expect((await record()).tests?.[0]).not.toHaveProperty('sentAt');
    expect(sent()).toHaveLength(1);
  });

  it('that another process has sent meanwhile keeps the time of that one', async () => {
    const overtaken: typeof ports.broker.publish = async (message) => {
      await sendTest(ports, 'storage', 't-1');
      world.clock.advance(1_000);
      return ports.broker.publish(message);
    };
    const before = world.clock.now();
    const slow = { ...ports, broker: { ...ports.broker, publish: overtaken } };
    expect(await sendTest(slow, 'storage', 't-1')).toEqual(await record());
    expect((await record()).tests).toMatchObject([{ sentAt: before }]);
  });

  it('is sent in the next round when the process of its request ended before', async () => {
    await sendUnsentTests(ports, await ports.readConsumers());
    expect(sent()).toEqual(['test:storage:t-1']);
  });

  it('takes its first receipt for nothing; every other answer costs its consumer one report', async () => {
    const charge = jest.spyOn(ports.reports, 'charge');
    const costs = async (answer: typeof receipt | typeof failure) => {
      charge.mockClear();
      expect(await recordTestAnswer(ports, 'storage', answer)).toEqual({ kind: 'ack' });
      return charge.mock.calls;
    };
    expect(await costs(failure)).toEqual([['storage']]);
    expect(await costs(receipt)).toEqual([]);
    expect((await record()).tests).toMatchObject([{ failure: { error: 'no disk' }, receipt: { receiptId: 'r-1' } }]);
    expect(await costs(receipt)).toEqual([['storage']]);
    expect(await costs(failure)).toEqual([['storage']]);
  });

  it('has an answer that comes again until it is known to be written, and is refused without that test', async () => {
    const charge = jest.spyOn(ports.reports, 'charge');
    expect(await recordTestAnswer(answering(ports, 'consumers', 'unknown'), 'storage', receipt)).toEqual({
      kind: 'nak',
      reason: 'the answer was lost',
    });
    const refused = { kind: 'dead_letter', reason: 'no test of this id was sent to this consumer' };
    expect(await recordTestAnswer(ports, 'stranger', receipt)).toEqual(refused);
    const other = { ...receipt, body: { ...receipt.body, testId: 't-2' } };
    expect(await recordTestAnswer(ports, 'storage', other)).toEqual(refused);
    expect(charge).not.toHaveBeenCalled();
  });
});
