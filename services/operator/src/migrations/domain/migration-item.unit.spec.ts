/** One workspace of a migration: who must act first, what its record keeps at each end, and what people are sent. */
import type { Checked } from '@platform/durable/steps';
import { migrationItemStatuses } from '@platform/contracts-operator';
import type { Subscription } from '../../mirror/domain/subscription';
import { newMigration } from './migration';
import {
  beginItem,
  isUnresolvedStatus,
  itemAlert,
  newItem,
  noticeOf,
  personReason,
  resolveItem,
  skipItem,
  skipReason,
  stopItem,
  succeedItem,
  type MigrationItem,
} from './migration-item';

const at = new Date('2026-03-01T00:00:00.000Z');
const later = new Date('2026-03-01T00:05:00.000Z');
const muchLater = new Date('2026-03-02T00:00:00.000Z');
const paid = { priceId: 'price_pro' };
const item = { _id: 'mig-00000001:acme', subscriptionRevision: 'r' };
const subscription: Subscription = {
  _id: 'acme',
  revision: 'r',
  createdAt: at,
  updatedAt: at,
  workspaceName: 'Acme',
  status: 'active',
  access: { state: 'open', since: at, operationId: null },
  planId: 'starter',
  provider: { customerId: 'cus_1', subscriptionId: 'sub_1', itemId: 'si_1' },
  isComplimentary: false,
};
const deletion = { startedAt: at, operationId: 'op-delete-0001' };
const held = (operationId: string) => ({ transition: { operationId, kind: 'cancel', requestedAt: at } }) as const;

describe('what a person must do before the plan of a workspace can change', () => {
  it.each<[string, Partial<Subscription>]>([
    ['deletion_started', { deletion, ...held('op-other-00001') }],
    ['transition_pending', { ...held('op-other-00001'), status: 'past_due' }],
    ['subscription_ended', { status: 'cancelled' }],
    ['subscription_ended', { status: 'pending_payment' }],
    ['no_provider_subscription', { provider: { customerId: 'cus_1', subscriptionId: 'sub_1' } }],
    ['no_provider_subscription', { provider: { customerId: 'cus_1', itemId: 'si_1' } }],
  ])('is %s for a workspace with %j', (reason, change) => {
    expect(personReason({ ...subscription, ...change }, paid)).toBe(reason);
  });

  it('is nothing for a paid workspace in order, and for a free one between free plans', () => {
    expect(personReason(subscription, paid)).toBeNull();
    expect(personReason({ ...subscription, provider: {} }, {})).toBeNull();
  });
});

describe('why an item is skipped', () => {
  it('is that the workspace is gone when it has no subscription', () => {
    expect(skipReason(item, null, paid)).toBe('workspace_gone');
  });

  it.each<[string, Partial<Subscription>]>([
    ['deletion_started', { deletion, ...held('op-other-00001') }],
    ['transition_pending', held('op-other-00001')],
    ['subscription_changed', held(item._id)],
    ['subscription_changed', { status: 'past_due' }],
  ])('is %s once the captured revision has changed with %j', (reason, change) => {
    expect(skipReason(item, { ...subscription, ...change, revision: 'r2' }, paid)).toBe(reason);
  });
});

function stored<M extends MigrationItem>(draft: Checked<M>): M {
  return { ...draft, revision: 'r', createdAt: at, updatedAt: at } as unknown as M;
}

const pending = () => stored(newItem('mig-00000001', 1, subscription));
const executor = { service: 'operator', instance: 'operator-1', incarnation: 'one' };
const call = { step: 'change_plan', method: 'POST', path: '/v1/subscriptions/sub_1', sentAt: at } as const;
const running = () => stored(beginItem(pending(), executor, call, at));

describe('the record of an item', () => {
  it('says of a call that was not sent why, and not when', () => {
    expect(skipItem(running(), 'subscription_changed', later)).toMatchObject({
      status: 'skipped',
      reason: 'subscription_changed',
      finishedAt: later,
      providerCalls: [{ step: call.step, method: call.method, path: call.path, skipped: 'subscription_changed' }],
    });
    expect(skipItem(running(), 'subscription_changed', later).providerCalls[0]).not.toHaveProperty('sentAt');
  });

  it('says when it succeeded', () => {
    expect(succeedItem(running(), later)).toMatchObject({ status: 'succeeded', finishedAt: later });
  });

  it.each(migrationItemStatuses)('waits for an investigation while it is running or has stopped: %s', (status) => {
    expect(isUnresolvedStatus(status)).toBe(['running', 'reconciliation_required'].includes(status));
  });

  it.each(['applied', 'not_applied'] as const)(
    'ends at its resolution as %s, or at its stop if that was earlier',
    (outcome) => {
      const resolution = {
        outcome,
        executorStopped: 'gone',
        providerObject: null,
        by: 'ann@example.com',
        at: muchLater,
      };
      const stopped = stored(stopItem(running(), { code: 'outcome_unknown', message: 'not known' }, later));
      expect(resolveItem(running(), resolution)).toMatchObject({ resolution, finishedAt: muchLater });
      expect(resolveItem(stopped, resolution)).toMatchObject({ resolution, finishedAt: later });
    },
  );
});

describe('what people are sent about a workspace', () => {
  it('is one alert for the one stop that an item can have', () => {
    const alert = itemAlert(running(), 'operator', 'not known', later);
    expect(alert).toMatchObject({
      id: 'alert:operator:migration_item:mig-00000001:acme:1',
      body: { kind: 'migration_item', id: 'mig-00000001:acme', tenantId: 'acme', reason: 'not known' },
    });
  });

  it.each([
    [false, 'owner'],
    [true, 'members'],
  ])('is a notice that the acknowledgement of the broker closes; all members: %s', (notifyMembers, audience) => {
    const request = { migrationId: 'mig-00000001', fromPlanId: 'starter', targetPlanId: 'pro', notifyMembers };
    const migration = newMigration({ ...request, requestedBy: { id: 'ann' }, reason: 'no longer sold' });
    const job = { ...migration, revision: 'r', createdAt: at, updatedAt: at };
    expect(noticeOf(running(), job, 'Acme', later)).toMatchObject({
      closesOn: 'publish_ack',
      body: { audience, tenantId: 'acme', fromPlanId: 'starter', toPlanId: 'pro', workspaceName: 'Acme' },
    });
  });
});
