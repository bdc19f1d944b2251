import { admitTransition, clearTransition, fenceRefusal, holdsTransition, type Subscription } from './subscription';

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
  it('let a free subscription through', () => expect(fenceRefusal(subscription, 'op-00000001')).toBeNull());

  it("let the same operation's transition through again", () =>
    expect(fenceRefusal({ ...subscription, transition }, 'op-00000001')).toBeNull());

  it("refuse another operation's transition and name it", () => {
    expect(fenceRefusal({ ...subscription, transition }, 'op-00000002')).toEqual({
      code: 'transition_pending',
      detail: 'Operation op-00000001 (suspend) holds this subscription.',
    });
    expect(
      fenceRefusal({ ...subscription, transition: { ...transition, kind: 'checkout' } }, 'op-00000002')?.code,
    ).toBe('checkout_in_progress');
  });

  it('refuse everything once deletion has started, before anything else', () => {
    const deleted = { ...subscription, transition, deletion: { startedAt: at, operationId: 'op-delete-01' } };
    expect(fenceRefusal(deleted, 'op-00000001')?.code).toBe('deletion_started');
    expect(fenceRefusal(deleted, 'op-00000002')?.code).toBe('deletion_started');
  });
});

describe('a transition', () => {
  it('is admitted with the change that must stand before any effect', () => {
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
