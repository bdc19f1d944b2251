/** The part of the shared suite about dead letters, durables and the state of streams. */
import { ack, lifecycle, recorder, suspended } from './messaging.harness';
import type { Parts } from './messaging.harness';
import type { InboundMessage, Messaging } from './port';

export function deadLetterFeatures(parts: Parts): void {
  const deadLetters = { stream: 'DEAD_LETTERS', durable: 'reader' };
  const readDeadLetters = async (messaging: Messaging) => {
    await messaging.ensureDurable({ ...deadLetters, filterSubjects: [], ackWaitMs: 5_000, maxAckPending: 10 });
    const seen = recorder();
    await messaging.consume(deadLetters, seen.handleMessage);
    return seen;
  };

  it('copies a message that is never to be handled, with the reason, and never delivers it again', async () => {
    const { harness, operator, delivery } = parts();
    const seen = recorder(({ id }) =>
      id === 'poison' ? { kind: 'dead_letter', reason: 'tenantId is missing\nsecond line' } : ack,
    );
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

  it('hands what is not JSON to a reader that decides about it, without a body', async () => {
    const { harness, operator, delivery } = parts();
    const [seen, unread] = [recorder(), recorder()];
    const reasons: string[] = [];
    const unreadable = (message: InboundMessage, reason: string) => {
      reasons.push(reason);
      return unread.handleMessage(message);
    };
    await delivery.consume({ ...lifecycle, unreadable }, seen.handleMessage);
    await harness.publishRaw('lifecycle.message.suspended', new Uint8Array([0x7b]));
    await operator.publish(suspended('op-2'));
    await harness.until(() => seen.ids().includes('op-2') && unread.messages.length > 0);
    expect(unread.messages).toMatchObject([{ subject: 'lifecycle.message.suspended', body: undefined, type: '' }]);
    expect(reasons).toEqual(['The body is not JSON in UTF-8']);
    const state = (await operator.streamStates()).find(({ stream }) => stream === 'DEAD_LETTERS');
    expect(state?.messages).toBe(0);
  });

  it('shows stored messages in pages and takes none of them', async () => {
    const { operator } = parts();
    for (const id of ['op-1', 'op-2', 'op-3']) await operator.publish(suspended(id));
    const [first, second, ...more] = await operator.storedMessages('LIFECYCLE', 0, 2);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      sequence: 1,
      subject: 'lifecycle.message.suspended',
      headers: { 'ce-id': 'op-1', 'Nats-Msg-Id': 'op-1' },
    });
    expect(JSON.parse(first!.text)).toBeInstanceOf(Object);
    const rest = await operator.storedMessages('LIFECYCLE', second!.sequence, 10);
    expect(rest.map(({ headers }) => headers['ce-id'])).toEqual(['op-3']);
    expect(await operator.storedMessages('LIFECYCLE', 3, 10)).toEqual([]);
  });
}

export function streamFeatures(parts: Parts): void {
  const storage = {
    stream: 'TENANT_LIFECYCLE',
    durable: 'storage',
    filterSubjects: ['tenant.lifecycle.*.storage'],
    ackWaitMs: 5_000,
    maxAckPending: 10,
  };

  it('declares a durable twice without effect and changes its filter when asked', async () => {
    const { harness, operator, delivery } = parts();
    expect(await delivery.ensureDurable(storage)).toBe('created');
    expect(await delivery.ensureDurable(storage)).toBe('there');
    const narrower = { ...storage, filterSubjects: ['tenant.lifecycle.suspended.storage'] };
    expect(await delivery.ensureDurable(narrower)).toBe('there');
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

  it('does not repeat acknowledged deliveries to a consumer whose durable is recreated', async () => {
    const { harness, operator, delivery } = parts();
    const consume = { stream: 'TENANT_LIFECYCLE', durable: 'storage' };
    const seen = recorder();
    await delivery.ensureDurable(storage);
    const subscription = await delivery.consume(consume, seen.handleMessage);
    await operator.publish({ ...suspended('old'), subject: 'tenant.lifecycle.suspended.storage' });
    await harness.until(() => seen.messages.length === 1);
    await subscription.close();
    const madeAt = async () => (await operator.streamStates(['TENANT_LIFECYCLE']))[0]?.durables[0]?.createdAt;
    const former = (await madeAt())!;
    await delivery.ensureDurable(storage);
    expect(await madeAt()).toEqual(former);
    await delivery.removeDurable('TENANT_LIFECYCLE', 'storage');
    expect(await delivery.ensureDurable(storage)).toBe('created');
    expect((await madeAt())!.getTime()).toBeGreaterThan(former.getTime());
    await delivery.consume(consume, seen.handleMessage);
    await operator.publish({ ...suspended('new'), subject: 'tenant.lifecycle.suspended.storage' });
    await harness.until(() => seen.ids().includes('new'));
    expect(seen.ids()).toEqual(['old', 'new']);
  });

  it('keeps a delivery for the durables that want it, and none that no durable wants', async () => {
    const { operator } = parts();
    const told = (consumer: string, id: string) =>
      operator.publish({ subject: `tenant.lifecycle.suspended.${consumer}`, id, type: 'test.v1', body: {} });
    const kept = async () => (await operator.streamStates(['TENANT_LIFECYCLE']))[0]?.messages;
    expect(await told('storage', 'op-1')).toBe('acknowledged');
    expect(await kept()).toBe(0);
    await operator.ensureDurable(storage);
    await told('storage', 'op-2');
    await told('search-index', 'op-3');
    expect(await kept()).toBe(1);
    await operator.removeDurable('TENANT_LIFECYCLE', 'storage');
    expect(await kept()).toBe(0);
  });

  it('stores every repeat of a message that asks for it, and one of any other', async () => {
    const { operator } = parts();
    const said = (subject: string, repeats: object) =>
      operator.publish({ subject, id: 'one', type: 'test.v1', body: {}, ...repeats });
    for (let time = 0; time < 2; time += 1) {
      await said('tenant.receipt.storage', { repeats: 'stored' });
      await said('lifecycle.message.suspended', {});
    }
    const stored = async (stream: string) =>
      (await operator.storedMessages(stream, 0, 10)).map(({ headers }) => headers);
    expect((await stored('TENANT_RECEIPTS')).map((headers) => [headers['ce-id'], headers['Nats-Msg-Id']])).toEqual([
      ['one', undefined],
      ['one', undefined],
    ]);
    expect((await stored('LIFECYCLE')).map((headers) => headers['Nats-Msg-Id'])).toEqual(['one']);
  });

  it('shows what waits, for whom, and since when', async () => {
    const { harness, operator, delivery } = parts();
    const before = await operator.streamStates();
    expect(before.find(({ stream }) => stream === 'LIFECYCLE')).toMatchObject({ messages: 0, oldestAt: null });
    await operator.publish(suspended('op-1'));
    await operator.publish(suspended('op-2'));
    const [waiting, ...others] = await operator.streamStates(['LIFECYCLE']);
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({
      messages: 2,
      lastSequence: 2,
      durables: [{ durable: 'lifecycle-delivery', pending: 2, ackPending: 0 }],
    });
    expect(waiting?.durables[0]?.oldestPendingAt).toEqual(waiting?.oldestAt);
    const seen = recorder();
    await delivery.consume(lifecycle, seen.handleMessage);
    await harness.until(() => seen.messages.length === 2);
  });

  it('says when a durable last acknowledged anything, in whatever order, and that it never did', async () => {
    const { harness, operator, delivery } = parts();
    const lastAckAt = async () => (await operator.streamStates(['LIFECYCLE']))[0]?.durables[0]?.lastAckAt;
    expect(await lastAckAt()).toBeNull();
    await operator.publish(suspended('stuck'));
    await operator.publish(suspended('op-2'));
    expect(await lastAckAt()).toBeNull();
    const seen = recorder(({ id }) => (id === 'stuck' ? { kind: 'nak', reason: 'not now' } : ack));
    await delivery.consume(lifecycle, seen.handleMessage);
    await harness.until(() => seen.ids().includes('op-2'));
    // Messages are handled one by one, so the one before it is acknowledged.
    await operator.publish(suspended('op-3'));
    await harness.until(() => seen.ids().includes('op-3'));
    const [state] = await operator.streamStates(['LIFECYCLE']);
    expect(state?.durables[0]!.lastAckAt!.getTime()).toBeGreaterThanOrEqual(state!.oldestAt!.getTime());
  });

  it('says of the needed streams how many copies are there, and nothing of those that are gone', async () => {
    const { harness, operator } = parts();
    const one = { identity: expect.any(String) as string, declared: 1, current: 1, filled: 0 };
    const both = new Map([
      ['LIFECYCLE', one],
      ['ALERTS', one],
    ]);
    expect(await operator.streamCopies(['LIFECYCLE', 'ALERTS'])).toEqual(both);
    await harness.wipe();
    expect(await operator.streamCopies(['LIFECYCLE', 'ALERTS'])).toEqual(new Map());
    await harness.applyTopology();
    expect(await operator.streamCopies(['LIFECYCLE', 'ALERTS'])).toEqual(both);
  });

  it('knows a stream that was recreated from the one before', async () => {
    const { harness, operator } = parts();
    const identity = async () => (await operator.streamCopies(['LIFECYCLE'])).get('LIFECYCLE')!.identity;
    const before = await identity();
    expect(await identity()).toBe(before);
    await harness.wipe();
    await harness.applyTopology();
    expect(await identity()).not.toBe(before);
  });

  it('says how much of its bytes a stream holds', async () => {
    const { operator } = parts();
    const filled = async () => (await operator.streamCopies(['LIFECYCLE'])).get('LIFECYCLE')!.filled;
    expect(await filled()).toBe(0);
    await operator.publish(suspended('op-1'));
    const one = await filled();
    expect(one).toBeGreaterThan(0);
    expect(one).toBeLessThan(0.001);
    await operator.publish(suspended('op-2'));
    expect(await filled()).toBeGreaterThan(one);
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
