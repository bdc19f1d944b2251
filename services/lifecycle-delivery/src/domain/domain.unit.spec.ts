import { InvariantError } from '@platform/kernel';
import type { ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import { decideRegistration, decideRemoval, requiredFor, type ConsumerRecord } from './consumer';
import {
  beginAttempt,
  decideFailure,
  decideReceipt,
  deliveryIdOf,
  newDelivery,
  publicationOf,
  skipDeleted,
  viewOfDelivery,
  type Delivery,
  type OpenDelivery,
  type PendingDelivery,
} from './delivery';
import { acceptMessage, conflictWith, decideSettlement, type AwaitingMessage } from './lifecycle-message';
import { isFresh, leavesAgain, nextAttemptAfter, repeatIsFree, RETRY_LIMITS } from './retry';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
const stamp = { revision: 'r1', createdAt: at(0), updatedAt: at(0) };
const message = { _id: 'operation-1', tenantId: 'acme', transition: 'suspended' as const, requestedAt: at(0) };
const pending = (consumer = 'storage'): PendingDelivery => ({
  ...(newDelivery(message, consumer, { now: at(0), nextAttemptAt: at(5) }, false) as PendingDelivery),
  ...stamp,
});
const receipt: ReceiptMessage = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended',
  receiptId: 'r-1',
  effectiveAt: at(1).toISOString(),
};
const report = {
  reportId: 'f-1',
  tenantId: 'acme',
  transition: 'suspended' as const,
  error: 'Error: disk full',
  failedAt: at(1),
};

function recorded<T extends Delivery>(decision: { decision: string; next?: T }): T {
  if (decision.decision !== 'record' || !decision.next) throw new Error(`expected a record, got ${decision.decision}`);
  return decision.next;
}

describe('a delivery', () => {
  it('has one id per operation and consumer, and none that two pairs share', () => {
    expect(deliveryIdOf('a', 'bc')).not.toBe(deliveryIdOf('ab', 'c'));
    expect(deliveryIdOf('operation-1', 'storage')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('begins with its first publication, and a further attempt has an id of its own', () => {
    const first = publicationOf(pending());
    expect(first).toMatchObject({
      subject: 'tenant.lifecycle.suspended.storage',
      type: 'tenant.lifecycle.v1',
      body: { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended', requestedAt: at(0).toISOString() },
    });
    const second = beginAttempt(pending(), at(5), at(10));
    expect(second).toMatchObject({ attemptCount: 2, attemptedAt: at(5), nextAttemptAt: at(10), status: 'pending' });
    expect(publicationOf(second).id).not.toBe(first.id);
    expect(publicationOf(pending()).id).toBe(first.id);
  });

  it('of a deleted tenant is skipped from the start, with no attempt', () => {
    const skipped = newDelivery(message, 'storage', { now: at(0), nextAttemptAt: at(5) }, true);
    expect(skipped).toMatchObject({ status: 'skipped_deleted', attemptCount: 0, skippedAt: at(0) });
    expect(skipped).not.toHaveProperty('nextAttemptAt');
  });

  it('takes the first receipt and stays with it', () => {
    const succeeded = recorded(decideReceipt(pending(), receipt, at(2)));
    expect(succeeded).toMatchObject({
      status: 'succeeded',
      receipt: { receiptId: 'r-1', effectiveAt: at(1), acceptedAt: at(2) },
    });
    expect(succeeded).not.toHaveProperty('nextAttemptAt');
    expect(decideReceipt(succeeded, { ...receipt, receiptId: 'r-2' }, at(3))).toEqual({ decision: 'already_recorded' });
    expect(decideFailure(succeeded, report)).toEqual({ decision: 'already_recorded' });
  });

  it('shows a failure, stays due, counts each report once, and takes a receipt afterwards', () => {
    const failed = recorded(decideFailure(pending(), report));
    expect(failed).toMatchObject({
      status: 'failed',
      lastError: 'Error: disk full',
      failureCount: 1,
      nextAttemptAt: at(5),
    });
    expect(decideFailure(failed, report)).toEqual({ decision: 'already_recorded' });
    expect(recorded(decideFailure(failed, { ...report, reportId: 'f-2' })).failureCount).toBe(2);
    expect(beginAttempt(failed, at(5), at(10))).toMatchObject({
      status: 'failed',
      lastError: 'Error: disk full',
      attemptCount: 2,
    });
    const succeeded = recorded(decideReceipt(failed, receipt, at(2)));
    expect(succeeded).toMatchObject({ status: 'succeeded', failureCount: 1 });
    expect(succeeded).not.toHaveProperty('lastError');
  });

  it('refuses what speaks of another tenant or transition', () => {
    expect(decideReceipt(pending(), { ...receipt, tenantId: 'globex' }, at(2))).toMatchObject({
      decision: 'refuse',
      reason: expect.stringContaining('globex'),
    });
    expect(decideFailure(pending(), { ...report, transition: 'created' })).toMatchObject({
      decision: 'refuse',
      reason: expect.stringContaining('created'),
    });
  });

  it('is never skipped or attempted once it is settled', () => {
    const succeeded = recorded(decideReceipt(pending(), receipt, at(2))) as unknown as OpenDelivery;
    expect(() => skipDeleted(succeeded, at(3))).toThrow(InvariantError);
    expect(() => beginAttempt(succeeded, at(3), at(8))).toThrow(InvariantError);
  });

  it('says what it waits for', () => {
    const registered = new Set(['storage']);
    expect(viewOfDelivery(pending(), registered)).toMatchObject({ status: 'pending', waitingFor: 'receipt' });
    expect(viewOfDelivery(recorded(decideFailure(pending(), report)), registered)).toMatchObject({
      waitingFor: 'retry',
      lastError: 'Error: disk full',
    });
    expect(viewOfDelivery(pending(), new Set())).toMatchObject({ waitingFor: 'consumer_unregistered' });
    expect(viewOfDelivery(recorded(decideReceipt(pending(), receipt, at(2))), registered)).not.toHaveProperty(
      'waitingFor',
    );
    expect(viewOfDelivery({ ...skipDeleted(pending(), at(1)) }, registered)).toMatchObject({
      status: 'skipped_deleted',
    });
  });
});

describe('a lifecycle message', () => {
  const body = {
    tenantId: 'acme',
    operationId: 'operation-1',
    transition: 'suspended' as const,
    requestedAt: at(0).toISOString(),
  };
  const awaiting: AwaitingMessage = {
    ...message,
    ...stamp,
    status: 'awaiting_receipts',
    required: ['search-index', 'storage'],
  };

  it('with nobody required is settled when it is accepted, and says so', () => {
    const { draft, announce } = acceptMessage(body, [], at(1));
    expect(draft).toMatchObject({ status: 'settled', settledAt: at(1), required: [] });
    expect(announce).toMatchObject([
      {
        id: 'settled:operation-1',
        subject: 'lifecycle.settled.suspended',
        closesOn: 'publish_ack',
        body: { receipts: [] },
      },
    ]);
  });

  it('waits for every required consumer', () => {
    const done = recorded(decideReceipt(pending(), receipt, at(2)));
    expect(decideSettlement(awaiting, [done], at(3))).toEqual({ decision: 'wait', missing: ['search-index'] });
    expect(decideSettlement(awaiting, [done, pending('search-index')], at(3))).toEqual({
      decision: 'wait',
      missing: ['search-index'],
    });
  });

  it('settles with the receipts in the order of names, and without those skipped', () => {
    const done = recorded(decideReceipt(pending(), receipt, at(2)));
    const other = recorded(decideReceipt(pending('search-index'), { ...receipt, receiptId: 'r-9' }, at(2)));
    expect(decideSettlement(awaiting, [done, other], at(3))).toMatchObject({
      decision: 'settle',
      next: { status: 'settled', settledAt: at(3) },
      announce: {
        type: 'lifecycle.settled.suspended.v1',
        body: {
          receipts: [
            { consumer: 'search-index', receiptId: 'r-9' },
            { consumer: 'storage', receiptId: 'r-1' },
          ],
        },
      },
    });
    expect(decideSettlement(awaiting, [done, skipDeleted(pending('search-index'), at(2))], at(3))).toMatchObject({
      announce: { body: { receipts: [{ consumer: 'storage' }] } },
    });
  });

  it('conflicts with another tenant or transition under its operationId', () => {
    expect(conflictWith(awaiting, body)).toBeNull();
    expect(conflictWith(awaiting, { ...body, tenantId: 'globex' })).toContain('globex');
    expect(conflictWith(awaiting, { ...body, transition: 'created' })).toContain('created');
  });
});

describe('a consumer registration', () => {
  const request = {
    name: 'storage',
    transitions: ['suspended', 'created'] as ('suspended' | 'created')[],
    registeredBy: 'storage-1',
    renew: false,
  };
  const registered: ConsumerRecord = {
    _id: 'storage',
    ...stamp,
    status: 'registered',
    transitions: ['created', 'suspended'],
    registeredBy: 'storage-1',
    registeredAt: at(0),
  };
  const unregistered: ConsumerRecord = { ...registered, status: 'unregistered', unregisteredAt: at(1) };

  it('is written for a new name, and for one that comes back', () => {
    expect(decideRegistration(null, request, at(0))).toMatchObject({
      next: { status: 'registered', transitions: ['created', 'suspended'] },
      returned: false,
      replaced: false,
    });
    expect(decideRegistration(unregistered, request, at(2))).toMatchObject({
      next: { registeredAt: at(2) },
      returned: true,
      replaced: false,
    });
  });

  it('replaces a former one of another instance or with other transitions, and leaves an equal one alone', () => {
    expect(decideRegistration(registered, request, at(2))).toEqual({ replaced: false, returned: false });
    expect(decideRegistration(registered, { ...request, registeredBy: 'storage-2' }, at(2))).toMatchObject({
      replaced: true,
      next: { registeredBy: 'storage-2' },
    });
    expect(decideRegistration(registered, { ...request, transitions: ['created'] }, at(2))).toMatchObject({
      replaced: true,
      next: { transitions: ['created'] },
    });
  });

  it('is not taken from another instance by a renewal', () => {
    expect(decideRegistration(registered, { ...request, registeredBy: 'storage-2', renew: true }, at(2))).toEqual({
      replaced: false,
      returned: false,
    });
    expect(
      decideRegistration(unregistered, { ...request, registeredBy: 'storage-2', renew: true }, at(2)),
    ).toMatchObject({ returned: true });
  });

  it('is removed by the instance that holds it only, and its row stays', () => {
    expect(decideRemoval(registered, request, at(3))).toMatchObject({
      _id: 'storage',
      status: 'unregistered',
      unregisteredAt: at(3),
    });
    expect(decideRemoval(registered, { ...request, registeredBy: 'storage-2' }, at(3))).toBeNull();
    expect(decideRemoval(unregistered, request, at(3))).toBeNull();
    expect(decideRemoval(null, request, at(3))).toBeNull();
  });

  it('makes required who is registered for the transition at that moment', () => {
    const other: ConsumerRecord = { ...registered, _id: 'billing', transitions: ['created'] };
    expect(requiredFor('created', [registered, other, { ...unregistered, _id: 'gone' }])).toEqual([
      'billing',
      'storage',
    ]);
    expect(requiredFor('suspended', [registered, other])).toEqual(['storage']);
    expect(requiredFor('reactivation_requested', [registered])).toEqual([]);
  });
});

describe('the retry of a delivery', () => {
  it('is due after five minutes and up to a tenth more', () => {
    expect(nextAttemptAfter(at(0), () => 0)).toEqual(at(5));
    expect(nextAttemptAfter(at(0), () => 0.999).getTime() - at(0).getTime()).toBeLessThan(
      RETRY_LIMITS.intervalMs * 1.1,
    );
  });

  it('is no matter of a repeated message, unless the broker still knows the id of the last publication', () => {
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 99_999))).toBe(true);
    expect(repeatIsFree({ attemptedAt: at(0) }, new Date(at(0).getTime() + 100_000))).toBe(false);
  });

  it('leaves alone what was accepted since the round began, unless a clock has jumped', () => {
    expect(isFresh({ createdAt: at(0) }, at(0))).toBe(false);
    expect(isFresh({ createdAt: at(1) }, at(0))).toBe(true);
    expect(isFresh({ createdAt: at(16) }, at(0))).toBe(false);
  });

  it('trusts the broker with what may still be among the messages that it holds', () => {
    const holding = (outstanding: number, oldest: number | null) => ({
      outstanding,
      oldestAt: oldest === null ? null : at(oldest),
    });
    expect(leavesAgain({ attemptedAt: at(0) }, null, at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(0) }, holding(0, null), at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, 1), at(8))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, 2), at(8))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(2) }, holding(3, null), at(8))).toBe(false);
  });

  it('sends again what is older than everything that the broker holds, and anything after an hour', () => {
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(1) }, at(6))).toBe(true);
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(0) }, at(59))).toBe(false);
    expect(leavesAgain({ attemptedAt: at(0) }, { outstanding: 3, oldestAt: at(0) }, at(60))).toBe(true);
  });
});
