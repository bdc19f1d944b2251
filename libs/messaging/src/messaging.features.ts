/**
 * What every implementation of the messaging port keeps; the fake and the NATS adapter both pass it, otherwise the
 * fake would prove nothing. Tests wait for conditions through the harness, never for time.
 */
import type { Disposition, InboundMessage, Messaging, OutboundMessage } from './port';

export interface MessagingHarness {
  connect(name: string): Promise<Messaging>;
  /** Drives deliveries until the condition holds. */
  until(condition: () => boolean): Promise<void>;
  publishRaw(subject: string, bytes: Uint8Array): Promise<void>;
  /** Loses all streams, durables and messages. */
  wipe(): Promise<void>;
  applyTopology(): Promise<void>;
  close(): Promise<void>;
}

const ack: Disposition = { kind: 'ack' };
const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };

export function suspended(id: string, body: Record<string, unknown> = { tenantId: 'acme' }): OutboundMessage {
  return { subject: 'lifecycle.message.suspended', id, type: 'lifecycle.message.suspended.v1', body };
}

/** Collects what a handler receives. */
export function recorder(decide: (message: InboundMessage) => Disposition | Promise<Disposition> = () => ack) {
  const messages: InboundMessage[] = [];
  return {
    messages,
    ids: () => messages.map(({ id }) => id),
    handleMessage: async (message: InboundMessage): Promise<Disposition> => {
      messages.push(message);
      return decide(message);
    },
  };
}

export function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((settle) => (open = settle));
  return { opened, open };
}

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
  describe('request and reply', () => requestFeatures(() => ({ harness, operator, delivery })));
}

type Parts = () => { harness: MessagingHarness; operator: Messaging; delivery: Messaging };

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
    expect(await operator.publish({ ...suspended('op-1'), subject: 'nobody.listens' })).toBe('unknown');
  });

  it('refuses a body above 64 KiB before anything is sent, and takes one of exactly 64 KiB', async () => {
    const { operator } = parts();
    const filled = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    await expect(operator.publish(suspended('large', filled(65_537)))).rejects.toThrow('has 65537 bytes; at most 65536');
    expect(await operator.publish(suspended('largest', filled(65_536)))).toBe('acknowledged');
    const lifecycleState = (await operator.streamStates()).find(({ stream }) => stream === 'LIFECYCLE');
    expect(lifecycleState?.messages).toBe(1);
  });
}

function consumingFeatures(parts: Parts): void {
  it('keeps messages for a durable that nobody consumes yet', async () => {
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
    const gate = createGate();
    let running = 0;
    let most = 0;
    let ended = 0;
    await delivery.consume({ ...lifecycle, concurrency: 3 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.opened;
      running -= 1;
      ended += 1;
      return ack;
    });
    for (let index = 0; index < 9; index += 1) await operator.publish(suspended(`op-${index}`));
    await harness.until(() => running === 3);
    gate.open();
    await harness.until(() => ended === 9);
    expect(most).toBe(3);
  });

  it('waits on close for the handler under way and takes no further message', async () => {
    const { harness, operator, delivery } = parts();
    const gate = createGate();
    const order: string[] = [];
    const first = recorder(async () => {
      await gate.opened;
      order.push('handled');
      return ack;
    });
    const subscription = await delivery.consume(lifecycle, first.handleMessage);
    await operator.publish(suspended('op-1'));
    await operator.publish(suspended('op-2'));
    await harness.until(() => first.messages.length === 1);
    const closing = subscription.close().then(() => order.push('closed'));
    gate.open();
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

function deadLetterFeatures(parts: Parts): void {
  const deadLetters = { stream: 'DEAD_LETTERS', durable: 'reader' };
  const readDeadLetters = async (messaging: Messaging) => {
    await messaging.ensureDurable({ ...deadLetters, filterSubjects: [], ackWaitMs: 5_000, maxAckPending: 10 });
    const seen = recorder();
    await messaging.consume(deadLetters, seen.handleMessage);
    return seen;
  };

  it('copies a message that is never to be handled, with the reason, and never delivers it again', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder(({ id }) => (id === 'poison' ? { kind: 'dead_letter', reason: 'tenantId is missing\nsecond line' } : ack));
    await delivery.consume(lifecycle, seen.handleMessage);
    await operator.publish(suspended('poison', { tenantId: null }));
    const dead = await readDeadLetters(operator);
    await harness.until(() => dead.messages.length === 1);
    await operator.publish(suspended('op-2'));
    await harness.until(() => seen.ids().includes('op-2'));
    expect(seen.ids()).toEqual(['poison', 'op-2']);
    expect(dead.messages[0]).toMatchObject({
      subject: 'dead_letter.LIFECYCLE.lifecycle-delivery',
      id: 'poison',
      body: { tenantId: null },
      headers: {
        'dead-letter-reason': 'tenantId is missing second line',
        'dead-letter-stream': 'LIFECYCLE',
        'dead-letter-durable': 'lifecycle-delivery',
        'dead-letter-subject': 'lifecycle.message.suspended',
        'dead-letter-sequence': '1',
        'dead-letter-delivery-count': '1',
        'ce-type': 'lifecycle.message.suspended.v1',
      },
    });
  });

  it('copies what is not JSON without troubling the handler', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await harness.publishRaw('lifecycle.message.suspended', new Uint8Array([0x7b, 0xff, 0x00]));
    await operator.publish(suspended('op-2'));
    await harness.until(() => seen.ids().includes('op-2'));
    expect(seen.ids()).toEqual(['op-2']);
    const state = (await operator.streamStates()).find(({ stream }) => stream === 'DEAD_LETTERS');
    expect(state?.messages).toBe(1);
  });
}

function streamFeatures(parts: Parts): void {
  const storage = { stream: 'TENANT_LIFECYCLE', durable: 'storage', filterSubjects: ['tenant.lifecycle.*.storage'], ackWaitMs: 5_000, maxAckPending: 10 };

  it('declares a durable twice without effect and changes its filter when asked', async () => {
    const { harness, operator, delivery } = parts();
    await delivery.ensureDurable(storage);
    await delivery.ensureDurable(storage);
    await delivery.ensureDurable({ ...storage, filterSubjects: ['tenant.lifecycle.suspended.storage'] });
    const seen = recorder();
    await delivery.consume({ stream: 'TENANT_LIFECYCLE', durable: 'storage' }, seen.handleMessage);
    await operator.publish({ ...suspended('other'), subject: 'tenant.lifecycle.created.storage' });
    await operator.publish({ ...suspended('mine'), subject: 'tenant.lifecycle.suspended.storage' });
    await harness.until(() => seen.messages.length > 0);
    expect(seen.ids()).toEqual(['mine']);
  });

  it('refuses a durable on a stream that is not there, and removes an absent one quietly', async () => {
    const { delivery } = parts();
    await expect(delivery.ensureDurable({ ...storage, stream: 'NOT_THERE' })).rejects.toThrow('stream not found');
    await delivery.removeDurable('TENANT_LIFECYCLE', 'storage');
    await delivery.removeDurable('NOT_THERE', 'storage');
  });

  it('does not repeat acknowledged deliveries to a consumer whose durable is made anew', async () => {
    const { harness, operator, delivery } = parts();
    const consume = { stream: 'TENANT_LIFECYCLE', durable: 'storage' };
    const seen = recorder();
    await delivery.ensureDurable(storage);
    const subscription = await delivery.consume(consume, seen.handleMessage);
    await operator.publish({ ...suspended('old'), subject: 'tenant.lifecycle.suspended.storage' });
    await harness.until(() => seen.messages.length === 1);
    await subscription.close();
    await delivery.removeDurable('TENANT_LIFECYCLE', 'storage');
    await delivery.ensureDurable(storage);
    await delivery.consume(consume, seen.handleMessage);
    await operator.publish({ ...suspended('new'), subject: 'tenant.lifecycle.suspended.storage' });
    await harness.until(() => seen.ids().includes('new'));
    expect(seen.ids()).toEqual(['old', 'new']);
  });

  it('shows what waits, for whom, and since when', async () => {
    const { harness, operator, delivery } = parts();
    const before = await operator.streamStates();
    expect(before.find(({ stream }) => stream === 'LIFECYCLE')).toMatchObject({ messages: 0, oldestAt: null });
    await operator.publish(suspended('op-1'));
    await operator.publish(suspended('op-2'));
    const [waiting, ...others] = await operator.streamStates(['LIFECYCLE']);
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({ messages: 2, lastSequence: 2, durables: [{ durable: 'lifecycle-delivery', pending: 2, ackPending: 0 }] });
    expect(waiting?.durables[0]?.oldestPendingAt).toEqual(waiting?.oldestAt);
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await harness.until(() => seen.messages.length === 2);
  });

  it('names each durable and stream that is missing', async () => {
    const { harness, operator } = parts();
    await expect(operator.assertTopology()).resolves.toBeUndefined();
    await operator.removeDurable('LIFECYCLE_SETTLED', 'operator');
    await expect(operator.assertTopology()).rejects.toThrow('LIFECYCLE_SETTLED/operator is missing');
    await harness.wipe();
    await expect(operator.assertTopology()).rejects.toThrow(/LIFECYCLE is missing; .*WORKSPACES is missing/);
  });
}

function requestFeatures(parts: Parts): void {
  const gate = {
    name: 'gate',
    subject: 'query.gate',
    answer: async (body: unknown) => {
      const { tenantId } = body as { tenantId: string };
      if (tenantId === 'broken') throw new Error('store away, password hunter2');
      if (tenantId === 'none') return { ok: false as const, error: { code: 'tenant_not_found', message: 'No tenant “none”' } };
      return { ok: true as const, value: { committed: tenantId === 'acme' } };
    },
  };
  const description = { name: 'provisioning', version: '1.0.0', description: 'Answers the gate' };

  it('answers, refuses with the serving side’s code, and hides what an endpoint threw', async () => {
    const { operator, delivery } = parts();
    await delivery.serve(description, [gate]);
    expect(await operator.request('query.gate', { tenantId: 'acme' }, 5_000)).toEqual({ ok: true, value: { committed: true } });
    expect(await operator.request('query.gate', { tenantId: 'none' }, 5_000)).toEqual({
      ok: false,
      error: { code: 'refused', serverCode: 'tenant_not_found', message: 'No tenant “none”' },
    });
    const broken = await operator.request('query.gate', { tenantId: 'broken' }, 5_000);
    expect(broken).toMatchObject({ ok: false, error: { code: 'refused', serverCode: 'internal_error' } });
    expect(JSON.stringify(broken)).not.toContain('hunter2');
  });

  it('says that nobody serves, before the service opens and after it closed', async () => {
    const { operator, delivery } = parts();
    expect(await operator.request('query.gate', {}, 5_000)).toMatchObject({ ok: false, error: { code: 'no_responders' } });
    const service = await delivery.serve(description, [gate]);
    await service.close();
    expect(await operator.request('query.gate', {}, 5_000)).toMatchObject({ ok: false, error: { code: 'no_responders' } });
  });

  it('settles closed when it is closed on purpose, and is unreachable then', async () => {
    const { operator } = parts();
    expect(operator.connected()).toBe(true);
    await operator.close();
    expect(await operator.closed).toBeUndefined();
    expect(operator.connected()).toBe(false);
    expect(await operator.publish(suspended('late'))).toBe('unknown');
    expect(await operator.request('query.gate', {}, 1_000)).toMatchObject({ ok: false, error: { code: 'disconnected' } });
  });
}
