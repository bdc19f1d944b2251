/** When a lifecycle message waits, when it settles, and what conflicts with it. */
import { decideReceipt, skipDeleted } from './delivery';
import { acceptMessage, conflictWith, decideSettlement, type AwaitingMessage } from './lifecycle-message';
import { at, message, pending, receipt, recorded, stamped, stamp } from '../testing/delivery-records';

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
    expect(
      decideSettlement(awaiting, [done, stamped(skipDeleted(pending('search-index'), at(2)))], at(3)),
    ).toMatchObject({
      announce: { body: { receipts: [{ consumer: 'storage' }] } },
    });
  });

  it('is not settled before the receipt that another replica stamped by a later clock', () => {
    const done = recorded(decideReceipt(pending(), receipt, at(2)));
    const later = recorded(decideReceipt(pending('search-index'), { ...receipt, receiptId: 'r-9' }, at(4)));
    expect(decideSettlement(awaiting, [done, later], at(3))).toMatchObject({
      next: { settledAt: at(4) },
      announce: { createdAt: at(4), body: { settledAt: at(4).toISOString() } },
    });
  });

  it('conflicts with another tenant or transition under its operationId', () => {
    expect(conflictWith(awaiting, body)).toBeNull();
    expect(conflictWith(awaiting, { ...body, tenantId: 'globex' })).toContain('globex');
    expect(conflictWith(awaiting, { ...body, transition: 'created' })).toContain('created');
  });
});
