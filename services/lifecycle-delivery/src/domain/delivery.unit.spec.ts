/** What a delivery accepts and refuses: publications, receipts, failures and the deletion of its tenant. */
import type { Checked } from '@platform/durable/steps';
import { InvariantError } from '@platform/kernel';
import {
  beginAttempt,
  decideFailure,
  decideReceipt,
  deliveryIdOf,
  newDelivery,
  publicationOf,
  receiptOf,
  skipDeleted,
  waive,
  type OpenDelivery,
  type PendingDelivery,
} from './delivery';
import { viewOfDelivery } from './delivery-view';
import { at, message, pending, receipt, recorded, stamped, report } from '../testing/delivery-records';

describe('a delivery', () => {
  it('has one id per operation and consumer, and none that two pairs share', () => {
    expect(deliveryIdOf('a', 'bc')).not.toBe(deliveryIdOf('ab', 'c'));
    expect(deliveryIdOf('operation-1', 'storage')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('passes the trace of its message on, where there is one', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const times = { now: at(0), nextAttemptAt: at(5) };
    const known = { tenantDeleted: false, paused: false };
    expect(newDelivery({ ...message, traceparent }, 'storage', times, known)).toMatchObject({ traceparent });
    expect(newDelivery(message, 'storage', times, known)).not.toHaveProperty('traceparent');
    const untraced = publicationOf(pending());
    expect(publicationOf({ ...pending(), traceparent })).toStrictEqual({ ...untraced, traceparent });
  });

  it('begins with its first publication, and a further attempt has an id of its own', () => {
    const first = publicationOf(pending());
    expect(first).toStrictEqual({
      id: `delivery:${deliveryIdOf('operation-1', 'storage')}:1`,
      subject: 'tenant.lifecycle.suspended.storage',
      type: 'tenant.lifecycle.v1',
      body: { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended', requestedAt: at(0).toISOString() },
    });
    const second = beginAttempt(pending(), at(5), at(10));
    expect(second).toMatchObject({ attemptCount: 2, attemptedAt: at(5), nextAttemptAt: at(10), status: 'pending' });
    expect(publicationOf(stamped(second)).id).not.toBe(first.id);
    expect(publicationOf(pending()).id).toBe(first.id);
  });

  const fields = {
    _id: deliveryIdOf('operation-1', 'storage'),
    ...{ operationId: 'operation-1', tenantId: 'acme', transition: 'suspended', requestedAt: at(0) },
    ...{ consumer: 'storage', failureCount: 0 },
  };

  it('of a deleted tenant is skipped from the start, with no attempt', () => {
    const known = { tenantDeleted: true, paused: false };
    const skipped = newDelivery(message, 'storage', { now: at(0), nextAttemptAt: at(5) }, known);
    expect(skipped).toStrictEqual({ ...fields, status: 'skipped_deleted', attemptCount: 0, skippedAt: at(0) });
  });

  it('whose tenant is deleted later, or that a person waives, ends with the time and the proof, and is not due', () => {
    const ended = { ...fields, attemptCount: 1, attempts: [{ number: 1, startedAt: at(0), failures: 0 }] };
    expect(skipDeleted(pending(), at(3))).toEqual({ ...ended, status: 'skipped_deleted', skippedAt: at(3) });
    const proofs = { executorStopped: 'switched off', reason: 'dropped', stillRegistered: false, by: 'ann', at: at(3) };
    expect(waive(pending(), proofs)).toEqual({
      ...ended,
      status: 'waived',
      resolution: { outcome: 'waived', ...proofs },
    });
  });

  it('takes the first receipt and stays with it', () => {
    const succeeded = recorded(decideReceipt(pending(), receipt, at(2)));
    expect(succeeded).toMatchObject({
      status: 'succeeded',
      receipt: { receiptId: 'r-1', effectiveAt: at(1), acceptedAt: at(2) },
    });
    expect(succeeded).not.toHaveProperty('nextAttemptAt');
    expect(decideReceipt(succeeded, { ...receipt, receiptId: 'r-2' }, at(3))).toEqual({ decision: 'already_recorded' });
    expect(decideFailure(succeeded, report, at(2))).toEqual({ decision: 'already_recorded' });
  });

  it('shows a failure, stays due, counts each report once, and takes a receipt afterwards', () => {
    const failed = recorded(decideFailure(pending(), report, at(2)));
    expect(failed).toMatchObject({
      status: 'failed',
      lastError: 'Error: disk full',
      failureCount: 1,
      nextAttemptAt: at(5),
    });
    expect(decideFailure(failed, report, at(2))).toEqual({ decision: 'already_recorded' });
    expect(recorded(decideFailure(failed, { ...report, reportId: 'f-2' }, at(2))).failureCount).toBe(2);
    expect(beginAttempt(failed as OpenDelivery, at(5), at(10))).toMatchObject({
      status: 'failed',
      lastError: 'Error: disk full',
      attemptCount: 2,
    });
    const succeeded = recorded(decideReceipt(failed, receipt, at(2)));
    expect(succeeded).toMatchObject({ status: 'succeeded', failureCount: 1 });
    expect(succeeded).not.toHaveProperty('lastError');
  });

  it('has a receipt when its consumer gave one, also after a waiver', () => {
    const accepted = { receiptId: 'r-1', effectiveAt: at(1), acceptedAt: at(2) };
    const proofs = { executorStopped: 'switched off', reason: 'dropped', stillRegistered: false, by: 'ann', at: at(1) };
    const waived = stamped(waive(pending(), proofs));
    expect([pending(), waived].map(receiptOf)).toEqual([null, null]);
    for (const each of [pending(), waived])
      expect(receiptOf(recorded(decideReceipt(each, receipt, at(2))))).toEqual(accepted);
  });

  it('refuses what speaks of another tenant or transition', () => {
    expect(decideReceipt(pending(), { ...receipt, tenantId: 'globex' }, at(2))).toMatchObject({
      decision: 'refuse',
      reason: expect.stringContaining('globex'),
    });
    expect(decideFailure(pending(), { ...report, transition: 'created' }, at(2))).toMatchObject({
      decision: 'refuse',
      reason: expect.stringContaining('created'),
    });
  });

  it('to a consumer that is paused waits with no attempt, due at once, and the first one begins after the pause', () => {
    const known = { tenantDeleted: false, paused: true };
    const held = stamped(
      newDelivery(message, 'storage', { now: at(1), nextAttemptAt: at(6) }, known) as Checked<PendingDelivery>,
    );
    expect(held).toMatchObject({ status: 'pending', attemptCount: 0, nextAttemptAt: at(1) });
    expect(viewOfDelivery(held, new Map([['storage', { paused: true }]]), 20)).toMatchObject({
      waitingFor: 'consumer_paused',
      attempts: [],
    });
    expect(beginAttempt(held, at(5), at(10))).toMatchObject({
      attemptCount: 1,
      attempts: [{ number: 1, startedAt: at(5) }],
    });
  });

  it('is never skipped or attempted once it is settled', () => {
    const succeeded = recorded(decideReceipt(pending(), receipt, at(2))) as unknown as OpenDelivery;
    expect(() => skipDeleted(succeeded, at(3))).toThrow(InvariantError);
    expect(() => beginAttempt(succeeded, at(3), at(8))).toThrow(InvariantError);
  });
});
