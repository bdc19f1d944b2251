/** A test never reaches `consume`: the package answers it, with the consumer's own check if it has one. */
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import type { InboundMessage, OutboundMessage, PublishOutcome } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { deliverTo } from './deliver';

const body = { testId: 't-1', consumer: 'storage', requestedAt: '2026-01-01T00:00:00.000Z' };
const inbound = (over: Partial<InboundMessage> = {}): InboundMessage => ({
  ...{ subject: 'tenant.lifecycle.test.storage', stream: 'TENANT_LIFECYCLE', sequence: 1, id: 'test:storage:t-1' },
  ...{ type: 'tenant.lifecycle_test.v1', body, headers: {}, deliveryCount: 1, publishedAt: new Date(0) },
  ...over,
});

function open(answerTest?: TenantLifecycleConsumer['answerTest'], outcome: PublishOutcome = 'acknowledged') {
  const published: OutboundMessage[] = [];
  const consume = jest.fn(() => Promise.reject(new Error('no lifecycle message')));
  const handle = deliverTo(
    { name: 'storage', transitions: ['suspended'], consume, ...(answerTest && { answerTest }) },
    {
      broker: { publish: async (message) => (published.push(message), outcome) },
      clock: createManualClock(),
      ids: createSequentialIds(),
      log: silentLog,
      limits: { consumeTimeoutMs: 10_000, runsMax: 8 },
      abandon: new AbortController().signal,
    },
  );
  return { handle, published, consume };
}

describe('a test', () => {
  it('is answered with a receipt that names it, and consume is not called', async () => {
    const { handle, published, consume } = open();
    expect(await handle(inbound())).toEqual({ kind: 'ack' });
    expect(published).toMatchObject([
      {
        subject: 'tenant.receipt.storage',
        id: 'test-receipt:storage:t-1',
        type: 'tenant.test_receipt.v1',
        body: { testId: 't-1', receiptId: 'test:t-1' },
      },
    ]);
    expect(consume).not.toHaveBeenCalled();
  });

  it('runs the check of the consumer, and its receipt is the answer', async () => {
    const { handle, published } = open(async (test) => {
      expect(test).toEqual(body);
      return { receiptId: 'disk is there', effectiveAt: new Date(1_000) };
    });
    await handle(inbound());
    expect(published[0]!.body).toEqual({
      ...{ testId: 't-1', receiptId: 'disk is there', effectiveAt: '1970-01-01T00:00:01.000Z' },
    });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no disk')), 'no disk'],
    ['gives no receipt', async () => undefined as never, 'malformed receipt'],
  ])('whose check %s is reported as failed and not run again', async (_what, check, error) => {
    const { handle, published } = open(check);
    expect(await handle(inbound())).toEqual({ kind: 'ack' });
    expect(published).toMatchObject([
      { type: 'tenant.test_failed.v1', body: { testId: 't-1', error: expect.stringContaining(error) as string } },
    ]);
  });

  it('comes again when its answer was not acknowledged', async () => {
    expect(await open(undefined, 'unknown').handle(inbound())).toMatchObject({ kind: 'nak' });
  });

  it('that cannot be read is a dead letter', async () => {
    const { handle, published } = open();
    expect(await handle(inbound({ body: { testId: '' } }))).toMatchObject({ kind: 'dead_letter' });
    expect(published).toEqual([]);
  });
});
