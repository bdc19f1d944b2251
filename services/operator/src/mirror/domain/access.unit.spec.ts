import type { Subscription } from './subscription';
import { admitTransition, clearTransition, mirror } from './subscription';
import { accessOf } from './access';

const at = new Date('2026-01-01T00:00:00.000Z');
const record = (change: Partial<Subscription> = {}): Subscription => ({
  _id: 'acme',
  revision: 'r1',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  accessRevision: 4,
  planId: 'starter',
  provider: {},
  isComplimentary: false,
  ...change,
});
const closed = { state: 'closed', since: at, operationId: 'op-suspend-1' } as const;
const deletion = { startedAt: at, operationId: 'op-delete-1' };

describe('access of a workspace', () => {
  it.each<[string, Partial<Subscription>, string | undefined]>([
    ['active', {}, undefined],
    ['on trial', { status: 'trialing' }, undefined],
    ['past due, since the provider still collects', { status: 'past_due' }, undefined],
    ['cancelled at a later day', { cancelsAt: at }, undefined],
    ['closed and not yet suspended', { access: closed }, 'suspended'],
    ['suspended', { status: 'suspended', access: closed }, 'suspended'],
    ['suspended, whatever its access says', { status: 'suspended' }, 'suspended'],
    ['ended', { status: 'cancelled' }, 'cancelled'],
    ['ended and complimentary', { status: 'cancelled', isComplimentary: true }, undefined],
    ['never paid for', { status: 'pending_payment' }, 'unpaid'],
    ['being deleted, whatever else it is', { status: 'suspended', access: closed, deletion }, 'deleted'],
  ])('of one that is %s', (_what, change, reason) => {
    const wanted = reason === undefined ? { state: 'open' } : { state: 'closed', reason };
    expect(accessOf(record(change))).toEqual({ ...wanted, revision: 4 });
  });

  it('has a new revision with each change, and keeps it otherwise', () => {
    const transition = { operationId: 'op-suspend-1', kind: 'suspend' as const, attempt: 1, requestedAt: at };
    const suspending = admitTransition(record(), transition, { access: closed });
    expect(accessOf(suspending)).toEqual({ state: 'closed', reason: 'suspended', revision: 5 });
    const suspended = clearTransition(suspending, { status: 'suspended' });
    expect(accessOf(suspended)).toEqual({ state: 'closed', reason: 'suspended', revision: 5 });
    const open = mirror(suspended, { status: 'active', access: { state: 'open', since: at, operationId: null } });
    expect(accessOf(open)).toEqual({ state: 'open', revision: 6 });
    expect(accessOf(mirror(open, { status: 'cancelled' }))).toMatchObject({ reason: 'cancelled', revision: 7 });
  });

  it('counts from 0 where an earlier build left no revision', () => {
    const { accessRevision: _none, ...earlier } = record();
    expect(accessOf(earlier)).toEqual({ state: 'open', revision: 0 });
    expect(accessOf(mirror(earlier, { status: 'cancelled' }))).toMatchObject({ revision: 1 });
  });
});
