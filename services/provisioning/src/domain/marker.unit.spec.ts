import type { Attempt } from './attempt';
import { cancelledMessage, committedMessages, isCommitted, isOpenMarker, type CreationMarker } from './marker';

const now = new Date('2026-03-01T12:00:00.000Z');
const attempt = {
  tenantId: 'acme',
  userId: 'user-1',
  workspaceName: 'Acme',
  plan: { planId: 'pro' },
  handles: {},
  status: 'awaiting_payment',
} as unknown as Attempt;

describe('the messages of a committed creation', () => {
  const created = {
    id: 'lifecycle:workspace-created:acme',
    subject: 'lifecycle.message.created',
    type: 'lifecycle.message.created.v1',
    body: {
      tenantId: 'acme',
      operationId: 'workspace-created:acme',
      transition: 'created',
      requestedAt: now.toISOString(),
    },
    closesOn: 'receiver_record',
    createdAt: now,
  };
  const committed = (body: object) => ({
    id: 'workspace-committed:acme',
    subject: 'workspace.committed',
    type: 'workspace.committed.v1',
    body: {
      tenantId: 'acme',
      workspaceName: 'Acme',
      ownerUserId: 'user-1',
      planId: 'pro',
      committedAt: now.toISOString(),
      ...body,
    },
    closesOn: 'receiver_record',
    createdAt: now,
  });

  it('name what the attempt knows of its person and of the provider', () => {
    const known = {
      ...attempt,
      userEmail: 'ada@example.com',
      trialDays: 14,
      handles: {
        customerId: 'cus_a',
        paymentMethodId: 'pm_a',
        subscriptionId: 'sub_a',
        itemId: 'si_a',
        currentPeriodEnd: new Date('2026-04-01T00:00:00.000Z'),
        invoiceId: 'in_a',
      },
    };
    expect(committedMessages(known, now)).toStrictEqual([
      created,
      committed({
        ownerEmail: 'ada@example.com',
        provider: { customerId: 'cus_a', subscriptionId: 'sub_a', itemId: 'si_a' },
        trialing: true,
        currentPeriodEnd: '2026-04-01T00:00:00.000Z',
      }),
    ]);
  });

  it.each([[undefined], [0]])('leave out what it does not know, and name no trial of %s days', (trialDays) => {
    const plain = { ...attempt, ...(trialDays !== undefined && { trialDays }) };
    expect(committedMessages(plain, now)).toStrictEqual([created, committed({ provider: {}, trialing: false })]);
  });
});

describe('the message of a cancelled creation', () => {
  it('names the code and the time, and waits for no receiver', () => {
    expect(cancelledMessage('acme', 'card_declined', now)).toStrictEqual({
      id: 'workspace-cancelled:acme',
      subject: 'workspace.cancelled',
      type: 'workspace.cancelled.v1',
      body: { tenantId: 'acme', code: 'card_declined', cancelledAt: now.toISOString() },
      closesOn: 'publish_ack',
      createdAt: now,
    });
  });
});

describe('the commit gate', () => {
  const marker = (provisioningState: string) => ({ provisioningState }) as CreationMarker;
  const ended = (status: string) => ({ status }) as Attempt;

  it.each([
    ['preparing', true, false],
    ['awaiting_payment', true, false],
    ['committed', false, true],
    ['cancelled', false, false],
  ])('goes by a marker that is %s, whatever the attempt says', (state, open, committed) => {
    expect(isOpenMarker(marker(state))).toBe(open);
    expect(isCommitted(marker(state), null)).toBe(committed);
    expect(isCommitted(marker(state), ended(committed ? 'cancelled' : 'committed'))).toBe(committed);
  });

  it('goes by the attempt where no marker was written, and lets pass what has neither', () => {
    expect(isCommitted(null, null)).toBe(true);
    expect(isCommitted(null, ended('committed'))).toBe(true);
    expect(isCommitted(null, ended('preparing'))).toBe(false);
  });
});
