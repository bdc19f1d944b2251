/** When a lifecycle message waits, when it settles, and what conflicts with it. */
import { lifecycleLimits, settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
import { maxBodyBytes } from '@platform/messaging';
import { decideReceipt, skipDeleted, waive, type Delivery } from './delivery';
import { acceptMessage, conflictWith, decideSettlement, settledEntry, type AwaitingMessage } from './lifecycle-message';
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

  const waivedFor = (consumer: string, reason: string, minute = 2): Delivery => {
    const proofs = { executorStopped: 'gone', reason, stillRegistered: false, by: 'ann@example.com', at: at(minute) };
    return stamped<Delivery>(waive(pending(consumer), proofs));
  };

  it('with required consumers waits for them, keeps its trace and says nothing yet', () => {
    const draft = { ...message, status: 'awaiting_receipts', required: ['storage'] };
    expect(acceptMessage(body, ['storage'], at(1))).toStrictEqual({ draft, announce: [] });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(acceptMessage(body, ['storage'], at(1), traceparent).draft).toStrictEqual({ ...draft, traceparent });
  });

  it('without a required consumer is settled when it is accepted, and says so', () => {
    const { draft, announce } = acceptMessage(body, [], at(1));
    expect(draft).toStrictEqual({ ...message, status: 'settled', settledAt: at(1), required: [] });
    expect(announce).toEqual([
      {
        id: 'settled:operation-1',
        subject: 'lifecycle.settled.suspended',
        type: 'lifecycle.settled.suspended.v1',
        closesOn: 'publish_ack',
        createdAt: at(1),
        body: {
          ...{ tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' },
          ...{ receipts: [], settledAt: at(1).toISOString() },
        },
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
    for (const deliveries of [
      [done, other],
      [other, done],
    ])
      expect(decideSettlement(awaiting, deliveries, at(3))).toMatchObject({
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

  it('is not settled before the last waiver, and names its waivers in the order of the consumers', () => {
    const deliveries = [waivedFor('storage', 'dropped', 4), waivedFor('search-index', 'moved', 2)];
    expect(decideSettlement(awaiting, deliveries, at(3))).toMatchObject({
      next: { settledAt: at(4) },
      announce: {
        body: {
          receipts: [],
          waived: [
            { consumer: 'search-index', by: 'ann@example.com', reason: 'moved', waivedAt: at(2).toISOString() },
            { consumer: 'storage', by: 'ann@example.com', reason: 'dropped', waivedAt: at(4).toISOString() },
          ],
        },
      },
    });
  });

  it('conflicts with another tenant or transition under its operationId', () => {
    expect(conflictWith(awaiting, body)).toBeNull();
    expect(conflictWith(awaiting, { ...body, tenantId: 'globex' })).toContain('globex');
    expect(conflictWith(awaiting, { ...body, transition: 'created' })).toContain('created');
  });

  it('settles with as many consumers as may register, in a message that can be published, and counts what it leaves out', () => {
    const names = Array.from({ length: lifecycleLimits.consumers }, (_, index) =>
      `consumer-${String(index).padStart(3, '0')}-`.padEnd(64, 'x'),
    );
    const long = { ...receipt, receiptId: '\u{1f511}'.repeat(lifecycleLimits.receiptIdCharacters / 2) };
    const deliveries = names.map((name, index) =>
      index % 2 === 0 ? recorded(decideReceipt(pending(name), long, at(2))) : waivedFor(name, 'r'.repeat(500)),
    );
    const decision = decideSettlement({ ...awaiting, required: names }, deliveries, at(3));
    if (decision.decision !== 'settle') throw new Error('it waits');
    const { body } = decision.announce;
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(maxBodyBytes);
    const { receipts, waived = [], omitted } = settledMessageSchema.parse(body);
    expect(waived.length).toBeGreaterThan(50);
    expect([omitted!.receipts + receipts.length, omitted!.waived + waived.length]).toEqual([250, 250]);
  });

  it('leaves out nothing of a settlement that fits', () => {
    const done = recorded(decideReceipt(pending(), receipt, at(2)));
    const { body } = settledEntry({ ...message, settledAt: at(3) }, [done]);
    expect(body).toEqual({
      ...{ tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' },
      receipts: [{ consumer: 'storage', receiptId: 'r-1', effectiveAt: at(1).toISOString() }],
      settledAt: at(3).toISOString(),
    });
  });

  it('fills a settlement to the last byte, and leaves out what needs one more, receipts after waivers', () => {
    const entry = { consumer: 'storage', by: 'ann@example.com', reason: '', waivedAt: at(2).toISOString() };
    const left = lifecycleLimits.settledBytes - Buffer.byteLength(JSON.stringify(entry)) - 1;
    const done = recorded(decideReceipt(pending('search-index'), receipt, at(2)));
    const settled = (characters: number) => {
      const deliveries = [done, waivedFor('storage', 'r'.repeat(characters))];
      return settledEntry({ ...message, settledAt: at(3) }, deliveries).body;
    };
    expect(settled(left)).toMatchObject({ waived: [{ consumer: 'storage' }], omitted: { receipts: 1, waived: 0 } });
    expect(settled(left + 1)).toMatchObject({ receipts: [], waived: [], omitted: { receipts: 1, waived: 1 } });
  });
});
