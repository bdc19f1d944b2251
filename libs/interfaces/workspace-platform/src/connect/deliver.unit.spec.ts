import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import type { InboundMessage, OutboundMessage, PublishOutcome } from '@platform/messaging';
import { createLatch } from '@platform/testing';
import type { TenantLifecycleConsumer, TenantLifecycleConsumerReceipt } from '../tenant-lifecycle/types';
import { deliverTo } from './deliver';

const body = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended',
  requestedAt: '2026-01-01T00:00:00.000Z',
};
const inbound = (over: Partial<InboundMessage> = {}): InboundMessage => ({
  subject: 'tenant.lifecycle.suspended.storage',
  stream: 'TENANT_LIFECYCLE',
  sequence: 1,
  id: 'd-1',
  type: 'tenant.lifecycle.v1',
  body,
  headers: {},
  deliveryCount: 1,
  publishedAt: new Date(0),
  ...over,
});

function createDelivery(
  consume: TenantLifecycleConsumer['consume'],
  {
    outcome = 'acknowledged' as PublishOutcome,
    consumeTimeoutMs = 10_000,
    transitions = ['suspended'] as TenantLifecycleConsumer['transitions'],
  } = {},
) {
  const published: OutboundMessage[] = [];
  const abandon = new AbortController();
  const publish = async (message: OutboundMessage) => (published.push(message), outcome);
  const handle = deliverTo(
    { name: 'storage', transitions, consume },
    {
      broker: { publish },
      clock: createManualClock(),
      ids: createSequentialIds(),
      log: silentLog,
      limits: { consumeTimeoutMs, runsMax: 8 },
      abandon: abandon.signal,
    },
  );
  return { handle, published, abandon };
}

const good: TenantLifecycleConsumerReceipt = { receiptId: 'r-1', effectiveAt: new Date(1_000) };

describe('a delivery to a consumer', () => {
  it('publishes the receipt and acknowledges only with its acknowledgement', async () => {
    const { handle, published } = createDelivery(async () => good);
    expect(await handle(inbound())).toEqual({ kind: 'ack' });
    expect(published).toEqual([
      {
        subject: 'tenant.receipt.storage',
        id: 'receipt:storage:operation-1',
        repeats: 'stored',
        type: 'tenant.receipt.v1',
        body: {
          tenantId: 'acme',
          operationId: 'operation-1',
          transition: 'suspended',
          receiptId: 'r-1',
          effectiveAt: '1970-01-01T00:00:01.000Z',
        },
      },
    ]);
    const lost = createDelivery(async () => good, { outcome: 'unknown' });
    expect(await lost.handle(inbound())).toMatchObject({ kind: 'nak' });
  });

  it('answers a repeat with the remembered receipt instead of running again', async () => {
    const consume = jest.fn(async () => good);
    const { handle, published } = createDelivery(consume, { outcome: 'unknown' });
    await handle(inbound());
    await handle(inbound({ deliveryCount: 2 }));
    expect(consume).toHaveBeenCalledTimes(1);
    expect(published[1]).toEqual(published[0]);
  });

  it('runs again for a replay, once for each message of it', async () => {
    const consume = jest.fn(async () => good);
    const { handle, published } = createDelivery(consume);
    await handle(inbound());
    await handle(inbound({ id: 'replay:r-1:d-1' }));
    await handle(inbound({ id: 'replay:r-1:d-1', deliveryCount: 2 }));
    expect(consume).toHaveBeenCalledTimes(2);
    await handle(inbound({ id: 'replay:r-2:d-1' }));
    expect(consume).toHaveBeenCalledTimes(3);
    expect(published).toHaveLength(4);
  });

  it('gives the consumer a message that it cannot change', async () => {
    const { handle } = createDelivery(
      async (message) => (expect(Object.isFrozen(message)).toBe(true), expect(message).toEqual(body), good),
    );
    expect(await handle(inbound())).toEqual({ kind: 'ack' });
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
      'Error: disk full',
    ],
    ['rejects with a text', () => Promise.reject('no'), 'no'],
    ['returns nothing', () => undefined, 'receiptId'],
    ['returns an empty id', () => ({ ...good, receiptId: '' }), 'receiptId'],
    ['returns a long id', () => ({ ...good, receiptId: 'x'.repeat(201) }), 'receiptId'],
    ['returns no date', () => ({ ...good, effectiveAt: 'yesterday' }), 'effectiveAt'],
    ['returns an invalid date', () => ({ ...good, effectiveAt: new Date(Number.NaN) }), 'effectiveAt'],
  ])('reports a run that %s and asks for another one later', async (_how, consume, reason) => {
    const { handle, published } = createDelivery(async () => consume() as TenantLifecycleConsumerReceipt);
    expect(await handle(inbound())).toMatchObject({ kind: 'nak', delayMs: expect.any(Number) });
    expect(published).toMatchObject([
      {
        type: 'tenant.delivery_failed.v1',
        body: { operationId: 'operation-1', error: expect.stringContaining(reason) },
      },
    ]);
  });

  it.each([
    ['2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.123456-05:30', '2026-01-01T05:30:00.123Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
  ])('publishes a receipt of %s as of %s', async (effectiveAt, inUtc) => {
    const { handle, published } = createDelivery(async () => ({ ...good, effectiveAt }));
    expect(await handle(inbound())).toEqual({ kind: 'ack' });
    expect(published).toMatchObject([{ type: 'tenant.receipt.v1', body: { effectiveAt: inUtc } }]);
  });

  it('cuts a long error to what a message may carry', async () => {
    const { handle, published } = createDelivery(() => Promise.reject(new Error('x'.repeat(5_000))));
    await handle(inbound());
    expect(String(published[0]!.body['error'])).toHaveLength(500);
  });

  it('leaves the delivery to the retry worker after eight failed runs, when the failure is recorded', async () => {
    const failing = () => Promise.reject(new Error('disk full'));
    expect(await createDelivery(failing).handle(inbound({ deliveryCount: 8 }))).toEqual({ kind: 'ack' });
    expect(await createDelivery(failing).handle(inbound({ deliveryCount: 7 }))).toMatchObject({ kind: 'nak' });
    expect(await createDelivery(failing, { outcome: 'unknown' }).handle(inbound({ deliveryCount: 9 }))).toMatchObject({
      kind: 'nak',
    });
  });

  it('reports a run that does not end in time, and publishes its receipt when it comes after all', async () => {
    const latch = createLatch();
    const { handle, published } = createDelivery(() => latch.wait().then(() => good), { consumeTimeoutMs: 1 });
    expect(await handle(inbound())).toMatchObject({ kind: 'nak', reason: 'Error: consume did not answer within 1 ms' });
    latch.open();
    await new Promise(setImmediate);
    expect(published.map(({ type }) => type)).toEqual(['tenant.delivery_failed.v1', 'tenant.receipt.v1']);
  });

  it('logs the failure of a run that it no longer waits for, and publishes nothing more', async () => {
    const latch = createLatch();
    const { handle, published } = createDelivery(() => latch.wait().then(() => Promise.reject(new Error('too late'))), {
      consumeTimeoutMs: 1,
    });
    await handle(inbound());
    latch.open();
    await new Promise(setImmediate);
    expect(published.map(({ type }) => type)).toEqual(['tenant.delivery_failed.v1']);
  });

  it('forgets the oldest receipts, so that memory is bounded', async () => {
    const consume = jest.fn(async () => good);
    const { handle } = createDelivery(consume);
    const operation = (number: number) => inbound({ body: { ...body, operationId: `operation-${number}` } });
    for (let number = 0; number <= 1_000; number += 1) await handle(operation(number));
    await handle(operation(1_000));
    expect(consume).toHaveBeenCalledTimes(1_001);
    await handle(operation(0));
    expect(consume).toHaveBeenCalledTimes(1_002);
  });

  it('hands a run back without a report when the process must stop', async () => {
    const latch = createLatch();
    const { handle, published, abandon } = createDelivery(() => latch.wait().then(() => good));
    const handled = handle(inbound());
    await latch.reached();
    abandon.abort();
    expect(await handled).toMatchObject({ kind: 'nak' });
    expect(published).toEqual([]);
    latch.open();
  });

  it('reports a transition that the consumer does not handle any more', async () => {
    const consume = jest.fn(async () => good);
    const { handle, published } = createDelivery(consume, { transitions: ['created'] });
    expect(await handle(inbound())).toMatchObject({ kind: 'nak' });
    expect(published[0]!.body['error']).toContain('does not handle suspended any more');
    expect(consume).not.toHaveBeenCalled();
  });

  it('carries the trace context of the delivery on to its receipt and its failure', async () => {
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const [answered, failed] = [
      createDelivery(async () => good),
      createDelivery(() => Promise.reject(new Error('no'))),
    ];
    await answered.handle(inbound({ headers }));
    await failed.handle(inbound({ headers }));
    expect([...answered.published, ...failed.published].map(({ traceparent }) => traceparent)).toEqual([
      headers.traceparent,
      headers.traceparent,
    ]);
  });

  it('sends what it cannot read to the dead letters', async () => {
    const { handle } = createDelivery(async () => good);
    expect(await handle(inbound({ body: {} }))).toMatchObject({ kind: 'dead_letter' });
    expect(await handle(inbound({ type: 'tenant.lifecycle.v2' }))).toMatchObject({
      kind: 'dead_letter',
      reason: expect.stringContaining('v2'),
    });
  });
});
