/** What people see of a delivery: its state, what it waits for, and its receipt or waiver. */
import { at, pending, receipt, recorded, report, stamp, stamped } from '../testing/delivery-records';
import type { ConsumerRecord } from './consumer';
import { decideFailure, decideReceipt, deliveryIdOf, skipDeleted, waive } from './delivery';
import { registeredAmong, viewOfDelivery } from './delivery-view';

const attempt = { number: 1, messageId: `delivery:${deliveryIdOf('operation-1', 'storage')}:1`, failures: 0 };
const view = {
  ...{ operationId: 'operation-1', tenantId: 'acme', transition: 'suspended', consumer: 'storage' },
  ...{ attemptCount: 1, failureCount: 0, createdAt: at(0).toISOString() },
  attempts: [{ ...attempt, startedAt: at(0).toISOString() }],
};
const registered = new Map([['storage', { paused: false }]]);
const receipted = { receiptId: 'r-1', effectiveAt: at(1).toISOString(), acceptedAt: at(2).toISOString() };

describe('the view of a delivery', () => {
  it('without a receipt names what it waits for, and when it is sent again', () => {
    const open = { ...view, status: 'pending', nextAttemptAt: at(5).toISOString() };
    expect(viewOfDelivery(pending(), registered, 20)).toStrictEqual({ ...open, waitingFor: 'receipt' });
    expect(viewOfDelivery(pending(), new Map(), 20)).toStrictEqual({ ...open, waitingFor: 'consumer_unregistered' });
    expect(viewOfDelivery(pending(), new Map([['storage', { paused: true }]]), 20)).toStrictEqual({
      ...open,
      waitingFor: 'consumer_paused',
    });
  });

  it('whose run failed shows the error', () => {
    const answer = { kind: 'run_failed', at: at(2).toISOString(), error: report.error };
    expect(viewOfDelivery(recorded(decideFailure(pending(), report, at(2))), registered, 20)).toStrictEqual({
      ...{ ...view, status: 'failed', failureCount: 1, lastError: report.error },
      ...{ nextAttemptAt: at(5).toISOString(), waitingFor: 'retry' },
      attempts: [{ ...attempt, startedAt: at(0).toISOString(), failures: 1, answer }],
    });
  });

  it('that has ended shows how', () => {
    const answer = { kind: 'receipt', at: at(2).toISOString() };
    expect(viewOfDelivery(recorded(decideReceipt(pending(), receipt, at(2))), registered, 20)).toStrictEqual({
      ...{ ...view, status: 'succeeded', receipt: receipted },
      attempts: [{ ...attempt, startedAt: at(0).toISOString(), answer }],
    });
    expect(viewOfDelivery(stamped(skipDeleted(pending(), at(1))), registered, 20)).toStrictEqual({
      ...view,
      status: 'skipped_deleted',
    });
  });

  it('that a person waived names the person and the proof, and a receipt that came later', () => {
    const proofs = { executorStopped: 'switched off', reason: 'dropped', stillRegistered: true, by: 'ann', at: at(1) };
    const waived = stamped(waive(pending(), proofs));
    const waiver = {
      ...{ by: 'ann', proof: 'switched off', reason: 'dropped', stillRegistered: true },
      waivedAt: at(1).toISOString(),
    };
    expect(viewOfDelivery(waived, registered, 20)).toStrictEqual({ ...view, status: 'waived', waiver });
    expect(viewOfDelivery(recorded(decideReceipt(waived, receipt, at(2))), registered, 20)).toStrictEqual({
      ...view,
      status: 'waived',
      waiver: { ...waiver, lateReceipt: receipted },
    });
  });
});

describe('the registered consumers', () => {
  it('are named without those that have left, with the pause of a person', () => {
    const fields = { ...stamp, transitions: [], registeredBy: 'instance', registeredAt: at(0) };
    const consumers: ConsumerRecord[] = [
      { ...fields, _id: 'billing', status: 'registered', paused: true },
      { ...fields, _id: 'gone', status: 'unregistered', unregisteredAt: at(1) },
      { ...fields, _id: 'storage', status: 'registered' },
    ];
    expect(registeredAmong(consumers)).toEqual(
      new Map([
        ['billing', { paused: true }],
        ['storage', { paused: false }],
      ]),
    );
  });
});
