/**
 * The contract of every implementation of the messaging port; the fake and the NATS adapter both pass it, otherwise the
 * fake would prove nothing. Tests wait for conditions through the harness, never for time.
 */
import { ack, createLatch, lifecycle, recorder, suspended } from './messaging.harness';
import type { MessagingHarness, Parts } from './messaging.harness';
import { bucketFeatures } from './messaging-buckets.features';
import { deadLetterFeatures, streamFeatures } from './messaging-streams.features';
import { requestFeatures } from './messaging-requests.features';
import type { Messaging } from './port';

export function messagingFeatures(createHarness: () => Promise<MessagingHarness>): void {
  let harness: MessagingHarness;
  let operator: Messaging;
  let delivery: Messaging;
  beforeEach(async () => {
    harness = await createHarness();
    operator = await harness.connect('operator');
    delivery = await harness.connect('lifecycle-delivery');
  });
  afterEach(async () => harness.close());

  describe('publishing', () => publishingFeatures(() => ({ harness, operator, delivery })));
  describe('consuming', () => consumingFeatures(() => ({ harness, operator, delivery })));
  describe('dead letters', () => deadLetterFeatures(() => ({ harness, operator, delivery })));
  describe('durables and streams', () => streamFeatures(() => ({ harness, operator, delivery })));
  describe('buckets', () => bucketFeatures(() => ({ harness, operator, delivery })));
  describe('request and reply', () => requestFeatures(() => ({ harness, operator, delivery })));
}

function publishingFeatures(parts: Parts): void {
  it('carries body, id, type, trace context and source to the durable', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await operator.publish({ ...suspended('op-1'), traceparent })).toBe('acknowledged');
    await harness.until(() => seen.messages.length === 1);
    expect(seen.messages[0]).toMatchObject({
      subject: 'lifecycle.message.suspended',
      stream: 'LIFECYCLE',
      sequence: 1,
      id: 'op-1',
      type: 'lifecycle.message.suspended.v1',
      body: { tenantId: 'acme' },
      deliveryCount: 1,
      headers: { 'ce-id': 'op-1', 'ce-source': 'operator', 'ce-type': 'lifecycle.message.suspended.v1', traceparent },
    });
    expect(new Date(seen.messages[0]?.headers['ce-time'] ?? '').getTime()).not.toBeNaN();
  });

  it('stores the same id once within the duplicate window', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await operator.publish(suspended('op-1'));
    expect(await operator.publish(suspended('op-1'))).toBe('acknowledged');
    await operator.publish(suspended('op-2'));
    await harness.until(() => seen.ids().includes('op-2'));
    expect(seen.ids()).toEqual(['op-1', 'op-2']);
  });

  it('answers unknown when no stream takes the subject', async () => {
    const { operator } = parts();
    expect(await operator.publish({ ...suspended('op-1'), subject: 'unread.subject' })).toBe('unknown');
  });

  it.each(['lifecycle.message.*', 'lifecycle..suspended', 'lifecycle.message.a b', ''])(
    'refuses the subject %j, to which no message can be published',
    async (subject) => {
      const { operator } = parts();
      await expect(operator.publish({ ...suspended('op-1'), subject })).rejects.toThrow(
        'is not a subject to publish to',
      );
    },
  );

  it('refuses a body above 64 KiB before anything is sent, and takes one of exactly 64 KiB', async () => {
    const { operator } = parts();
    const filled = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    await expect(operator.publish(suspended('large', filled(65_537)))).rejects.toThrow(
      'has 65537 bytes; at most 65536',
    );
    expect(await operator.publish(suspended('largest', filled(65_536)))).toBe('acknowledged');
    const lifecycleState = (await operator.streamStates()).find(({ stream }) => stream === 'LIFECYCLE');
    expect(lifecycleState?.messages).toBe(1);
  });
}

function consumingFeatures(parts: Parts): void {
  it('keeps messages for a durable without a consumer', async () => {
    const { harness, operator, delivery } = parts();
    await operator.publish(suspended('op-1'));
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await harness.until(() => seen.messages.length === 1);
  });

  it('delivers again after a nak and after a throw, with the count of deliveries', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder(({ deliveryCount }) => {
      if (deliveryCount === 1) return { kind: 'nak', reason: 'store away', delayMs: 10 };
      if (deliveryCount === 2) throw new Error('broken handler');
      return ack;
    });
    await delivery.consume(lifecycle, seen.handleMessage);
    await operator.publish(suspended('op-1'));
    await harness.until(() => seen.messages.length === 3);
    expect(seen.messages.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 2, 3]);
  });

  it('hands a durable only the subjects that it filters', async () => {
    const { harness, operator } = parts();
    const mine = recorder();
    const theirs = recorder();
    await operator.consume({ stream: 'PROVIDER_EVENTS', durable: 'operator' }, mine.handleMessage);
    const provisioning = await harness.connect('provisioning');
    await provisioning.consume({ stream: 'PROVIDER_EVENTS', durable: 'provisioning' }, theirs.handleMessage);
    for (const owner of ['provisioning', 'operator']) {
      await operator.publish({ ...suspended(`event-${owner}`), subject: `provider.event.${owner}.invoice.paid` });
    }
    await harness.until(() => mine.messages.length > 0 && theirs.messages.length > 0);
    expect([mine.ids(), theirs.ids()]).toEqual([['event-operator'], ['event-provisioning']]);
  });

  it('shares a durable between two connections without delivering twice', async () => {
    const { harness, operator, delivery } = parts();
    const replica = await harness.connect('lifecycle-delivery-2');
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await replica.consume(lifecycle, seen.handleMessage);
    const ids = Array.from({ length: 20 }, (_, index) => `op-${index}`);
    for (const id of ids) await operator.publish(suspended(id));
    await harness.until(() => seen.messages.length >= 20);
    expect(seen.ids().sort()).toEqual([...ids].sort());
  });

  it('runs as many handlers at a time as asked for, and no more', async () => {
    const { harness, operator, delivery } = parts();
    const latch = createLatch();
    let running = 0;
    let most = 0;
    let ended = 0;
    await delivery.consume({ ...lifecycle, concurrency: 3 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await latch.opened;
      running -= 1;
      ended += 1;
      return ack;
    });
    for (let index = 0; index < 9; index += 1) await operator.publish(suspended(`op-${index}`));
    await harness.until(() => running === 3);
    latch.open();
    await harness.until(() => ended === 9);
    expect(most).toBe(3);
  });

  it('waits on close for the handler under way and takes no further message', async () => {
    const { harness, operator, delivery } = parts();
    const latch = createLatch();
    const order: string[] = [];
    const first = recorder(async () => {
      await latch.opened;
      order.push('handled');
      return ack;
    });
    const subscription = await delivery.consume(lifecycle, first.handleMessage);
    await operator.publish(suspended('op-1'));
    await operator.publish(suspended('op-2'));
    await harness.until(() => first.messages.length === 1);
    const closing = subscription.close().then(() => order.push('closed'));
    latch.open();
    await closing;
    expect(order).toEqual(['handled', 'closed']);
    const second = recorder();
    await delivery.consume(lifecycle, second.handleMessage);
    await harness.until(() => second.messages.length === 1);
    expect([first.ids(), second.ids()]).toEqual([['op-1'], ['op-2']]);
  });

  it('goes on by itself after the broker lost everything and the topology was applied again', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await operator.publish(suspended('op-1'));
    await harness.until(() => seen.messages.length === 1);
    await harness.wipe();
    expect(await operator.publish(suspended('op-2'))).toBe('unknown');
    await harness.until(() => delivery.quietConsumers().includes('LIFECYCLE/lifecycle-delivery'));
    await harness.applyTopology();
    expect(await operator.publish(suspended('op-2'))).toBe('acknowledged');
    await harness.until(() => seen.messages.length === 2);
    expect(seen.ids()).toEqual(['op-1', 'op-2']);
    await harness.until(() => delivery.quietConsumers().length === 0);
  });
}
