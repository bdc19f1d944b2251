import { transitionKinds } from '@platform/contracts-operator';
import {
  admitTransition,
  clearTransition,
  fenceRefusal,
  holdsTransition,
  investigateTransition,
  leftTransition,
  mirror,
  withCustomer,
  writesUnderTransition,
  type Subscription,
} from './subscription';

const at = new Date('2026-03-01T00:00:00.000Z');
const subscription: Subscription = {
  _id: 'acme',
  revision: 'r',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  planId: 'starter',
  provider: { customerId: 'cus_1' },
  isComplimentary: false,
};
const transition = { operationId: 'op-00000001', kind: 'suspend', requestedAt: at } as const;

describe('the fences of a subscription', () => {
  it('let a free subscription through', () => expect(fenceRefusal(subscription, 'op-00000001', 'suspend')).toBeNull());

  it("let the same operation's transition through again", () =>
    expect(fenceRefusal({ ...subscription, transition }, 'op-00000001', 'suspend')).toBeNull());

  it("refuse another operation's transition and name it", () => {
    expect(fenceRefusal({ ...subscription, transition }, 'op-00000002', 'suspend')).toEqual({
      code: 'transition_pending',
      detail: 'Operation op-00000001 (suspend) holds this subscription.',
    });
    expect(
      fenceRefusal({ ...subscription, transition: { ...transition, kind: 'checkout' } }, 'op-00000002', 'suspend')
        ?.code,
    ).toBe('checkout_in_progress');
  });

  it('refuse everything once deletion has started, before anything else', () => {
    const deleted = { ...subscription, transition, deletion: { startedAt: at, operationId: 'op-delete-01' } };
    for (const kind of [...transitionKinds, null]) {
      if (kind === 'deletion') continue;
      expect(fenceRefusal(deleted, 'op-00000001', kind)?.code).toBe('deletion_started');
      expect(fenceRefusal(deleted, 'op-00000002', kind)?.code).toBe('deletion_started');
    }
  });

  it('let another deletion go on from the marker, unless an operation holds the subscription', () => {
    const deleted = { ...subscription, deletion: { startedAt: at, operationId: 'op-delete-01' } };
    expect(fenceRefusal(deleted, 'op-delete-02', 'deletion')).toBeNull();
    expect(fenceRefusal({ ...deleted, transition }, 'op-delete-02', 'deletion')?.code).toBe('transition_pending');
  });
});

describe('a deletion marker', () => {
  const deletion = { startedAt: at, operationId: 'op-delete-01' };
  const closed = { state: 'closed', since: at, operationId: 'op-delete-01' } as const;
  const deleted: Subscription = { ...subscription, access: closed, deletion, transition };

  it.each([
    ['takes it away', { deletion: undefined }, /irreversible/],
    ['gives it another operation', { deletion: { ...deletion, operationId: 'op-delete-02' } }, /irreversible/],
    ['gives it another time', { deletion: { ...deletion, startedAt: new Date(0) } }, /irreversible/],
    ['opens access', { access: { state: 'open', since: at, operationId: null } }, /stays closed/],
  ] as const)('refuses a write that %s', (_what, patch, refusal) => {
    expect(() => clearTransition(deleted, patch)).toThrow(refusal);
    expect(() => mirror(deleted, patch)).toThrow(refusal);
  });

  it('may be completed, and passes through every other change', () => {
    expect(clearTransition(deleted, { deletion: { ...deletion, completedAt: at } }).deletion?.completedAt).toEqual(at);
    expect(mirror(deleted, { status: 'cancelled' }).deletion).toEqual(deletion);
  });
});

describe('a transition', () => {
  it('is admitted with the change that must be recorded before any effect', () => {
    const admitted = admitTransition(subscription, transition, {
      access: { state: 'closed', since: at, operationId: 'op-00000001' },
    });
    expect(admitted).toMatchObject({ transition, access: { state: 'closed' }, status: 'active' });
    expect(holdsTransition(admitted, 'op-00000001')).toBe(true);
  });

  it('is never admitted over another one', () => {
    expect(() =>
      admitTransition({ ...subscription, transition }, { ...transition, operationId: 'op-00000002' }, {}),
    ).toThrow('is fenced: transition_pending');
  });

  it('leaves nothing behind when it is cleared', () => {
    const cleared = clearTransition({ ...subscription, transition }, { status: 'suspended' });
    expect(cleared).not.toHaveProperty('transition');
    expect(cleared.status).toBe('suspended');
  });
});

describe('a patch', () => {
  const access = { state: 'closed', since: at, operationId: 'op-00000001' } as const;

  it('changes its fields and removes those that it sets to undefined', () => {
    const cancelled = { ...subscription, cancelsAt: at, transition };
    expect(mirror(cancelled, { planId: 'pro', cancelsAt: undefined })).toStrictEqual({
      ...subscription,
      planId: 'pro',
      transition,
    });
  });

  it('may set the deletion marker and close access in one write', () => {
    const deletion = { startedAt: at, operationId: 'op-delete-01' };
    expect(mirror(subscription, { deletion, access })).toStrictEqual({
      ...subscription,
      deletion,
      access,
      accessRevision: 1,
    });
  });

  it('may open access where there is no deletion', () => {
    const open = { state: 'open', since: at, operationId: 'op-00000002' } as const;
    expect(mirror({ ...subscription, access }, { access: open }).access).toEqual(open);
  });
});

describe('the transition of an operation', () => {
  const held = { ...transition, attempt: 2 } as const;
  const attempts = (count: number, _id = 'op-00000001') => ({ _id, attempts: Array.from({ length: count }) });

  it.each<[string, Subscription['transition'], ReturnType<typeof attempts>, boolean]>([
    ['of its last attempt', held, attempts(2), true],
    ['of an attempt before its last one', held, attempts(3), true],
    ['of a later attempt than it knows', held, attempts(1), false],
    ['of an earlier build, which recorded no attempt', transition, attempts(0), true],
    ['of another operation', held, attempts(2, 'op-00000002'), false],
    ['of no operation', undefined, attempts(2), false],
  ])('is its own to end or not: %s', (_of, recorded, operation, own) => {
    const { transition: _none, ...rest } = { ...subscription, transition };
    const record = recorded ? { ...rest, transition: recorded } : rest;
    expect(leftTransition(record, operation)).toBe(own);
    expect(writesUnderTransition(record, operation)).toBe(own);
    expect(holdsTransition(record, operation._id)).toBe(recorded?.operationId === operation._id);
  });

  it('admits no write of its attempts while it is investigated, and can still be ended', () => {
    const record = { ...subscription, transition: held };
    const investigated = investigateTransition(record, attempts(2));
    expect(investigated).toStrictEqual({ ...record, transition: { ...held, investigated: true } });
    expect(writesUnderTransition(investigated, attempts(2))).toBe(false);
    expect(leftTransition(investigated, attempts(2))).toBe(true);
  });

  it.each<[string, Subscription]>([
    ['there is none', subscription],
    ['it is of a later attempt', { ...subscription, transition: held }],
  ])('is not investigated when %s', (_when, record) => {
    expect(() => investigateTransition(record, attempts(1))).toThrow('operation op-00000001 holds no transition here');
  });
});

describe('the customer of a workspace', () => {
  it('leaves each one before it on record, once, and is not among them', () => {
    expect(withCustomer({}, 'cus_1')).toEqual({ customerId: 'cus_1' });
    expect(withCustomer({ customerId: 'cus_1', itemId: 'si_1' }, 'cus_1')).toEqual({
      customerId: 'cus_1',
      itemId: 'si_1',
    });
    const second = withCustomer({ customerId: 'cus_1' }, 'cus_2');
    expect(second).toEqual({ customerId: 'cus_2', formerCustomerIds: ['cus_1'] });
    expect(withCustomer(second, 'cus_3').formerCustomerIds).toEqual(['cus_1', 'cus_2']);
    expect(withCustomer(second, 'cus_1')).toEqual({ customerId: 'cus_1', formerCustomerIds: ['cus_2'] });
  });
});
