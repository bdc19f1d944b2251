/** The case of a delivery shows each attempt and the answer to it; a wrong receipt is shown with the reason. */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import { caseOfDelivery } from './delivery-case';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const delivery: DeliveryView = {
  operationId: 'op-1',
  tenantId: 'acme',
  transition: 'suspended',
  consumer: 'storage',
  status: 'failed',
  attemptCount: 2,
  failureCount: 3,
  lastError: 'receipt refused: tenantId globex is not the delivery’s acme',
  waitingFor: 'retry',
  createdAt: at(0),
};
const timelineOf = (over: Partial<DeliveryView>) => {
  const shown = { ...delivery, ...over };
  return caseOfDelivery(shown, { deliveries: [shown] }, { collectedAt: at(9), money: null }).timeline;
};

describe('the timeline of a delivery', () => {
  it('tells each attempt, and a receipt that was refused as a failure with its reason', () => {
    const attempts: DeliveryView['attempts'] = [
      {
        ...{ number: 1, messageId: 'delivery:x:1', startedAt: at(0), failures: 2 },
        answer: { kind: 'run_failed', at: at(1), error: 'disk full' },
      },
      {
        ...{ number: 2, messageId: 'delivery:x:2', startedAt: at(5), failures: 1 },
        answer: { kind: 'receipt_refused', at: at(6), error: 'receipt refused: tenantId globex' },
      },
    ];
    expect(timelineOf({ attempts })).toEqual([
      expect.objectContaining({ what: 'Delivery to storage begun' }),
      { at: at(0), what: 'Attempt 1 sent to storage', detail: 'delivery:x:1', tone: 'neutral' },
      { at: at(1), what: 'storage failed', detail: 'the last of 2 failures: disk full', tone: 'bad' },
      { at: at(5), what: 'Attempt 2 sent to storage', detail: 'delivery:x:2', tone: 'neutral' },
      { at: at(6), what: 'Receipt of storage refused', detail: 'receipt refused: tenantId globex', tone: 'bad' },
    ]);
  });

  it('tells the receipt once, by the event that it has of its own', () => {
    const receipt = { receiptId: 'r-1', effectiveAt: at(2), acceptedAt: at(3) };
    const attempts: DeliveryView['attempts'] = [
      { number: 1, messageId: 'delivery:x:1', startedAt: at(0), failures: 0, answer: { kind: 'receipt', at: at(3) } },
    ];
    expect(timelineOf({ status: 'succeeded', attempts, receipt }).map(({ what }) => what)).toEqual([
      'Delivery to storage begun',
      'Attempt 1 sent to storage',
      'Receipt of storage',
    ]);
  });

  it('goes without attempts while delivery is of a former release', () => {
    expect(timelineOf({}).map(({ what }) => what)).toEqual(['Delivery to storage begun']);
  });
});
