/** Whether an action is allowed on a workspace now, which reason comes first, and when a named preview is compared. */
import type { OperationAction } from '@platform/contracts-operator';
import { actionOf } from './actions';
import { at, charge, contextOf, type ContextChange } from '../testing/action-fixtures';
import { judgeAttempt, refusalOf } from './judge-action';
import { previewDigestOf } from './preview';

const id = 'op-00000001';
const transition = { operationId: 'op-other-00001', kind: 'suspend', requestedAt: at } as const;
const deletion = { startedAt: at, operationId: 'op-delete-01' };
const held = {
  code: 'transition_pending',
  detail: 'Operation op-other-00001 (suspend) holds this subscription.',
} as const;
const deleted = { code: 'deletion_started' } as const;
const closed = (reason: string) => ({
  code: 'workspace_closed',
  access: reason,
  detail: `Access to this workspace is closed: ${reason}.`,
});
const noCustomer = { customerId: 'cus_acme' };

const judged = (action: OperationAction, change: ContextChange) => refusalOf(actionOf(action), id, contextOf(change));

describe('an action', () => {
  it.each<[OperationAction, string, ContextChange['workspace'], object | null]>([
    ['cancel_subscription', 'everything allows it', {}, null],
    [
      'cancel_subscription',
      'a deletion, a closed access and another operation are in its way',
      { deletion, transition, status: 'suspended' },
      deleted,
    ],
    [
      'cancel_subscription',
      'access is closed and another operation holds it',
      { transition, status: 'suspended' },
      closed('suspended'),
    ],
    ['cancel_subscription', 'the subscription has ended', { status: 'cancelled' }, closed('cancelled')],
    ['cancel_subscription', 'the first payment is open', { status: 'pending_payment' }, closed('unpaid')],
    [
      'cancel_subscription',
      'another operation holds it and it has no subscription',
      { transition, provider: {} },
      held,
    ],
    ['cancel_subscription', 'it has no subscription', { provider: noCustomer }, { code: 'no_provider_subscription' }],
    ['cancel_subscription', 'its own transition is there', { transition: { ...transition, operationId: id } }, null],
    [
      'upgrade_plan',
      'access is closed, which its own rules judge',
      { status: 'suspended' },
      { code: 'workspace_suspended' },
    ],
    ['upgrade_plan', 'another operation holds it', { transition, status: 'suspended' }, held],
    [
      'upgrade_plan',
      'a checkout holds it',
      { transition: { ...transition, kind: 'checkout' } },
      { code: 'checkout_in_progress' },
    ],
    ['credit_customer', 'another operation holds it, which a credit does not need', { transition }, null],
    [
      'credit_customer',
      'another operation holds it and there is no customer',
      { transition, provider: {} },
      { code: 'no_provider_customer' },
    ],
    ['credit_customer', 'it is being deleted', { deletion, transition, provider: {} }, deleted],
    ['delete_workspace', 'a deletion has begun', { deletion, status: 'suspended' }, null],
    ['delete_workspace', 'another operation holds the deletion', { deletion, transition }, held],
  ])('%s when %s', (action, _what, workspace = {}, refusal) => {
    expect(judged(action, { workspace })).toEqual(refusal);
  });
});

describe('a request that names a preview', () => {
  const intent = { _id: id, tenantId: 'acme', action: 'upgrade_plan', values: { planId: 'pro' } } as const;
  const shownDigest = previewDigestOf(intent, contextOf());
  const attempted = [{ providerCalls: [{ step: 'change_price' }] }];
  const idle = [{ providerCalls: [] }, { providerCalls: [] }];
  const judge = (
    change: ContextChange,
    { previewDigest, earlier = [] }: { previewDigest?: string; earlier?: Parameters<typeof judgeAttempt>[2] } = {},
  ) =>
    judgeAttempt(
      actionOf('upgrade_plan'),
      { ...intent, ...(previewDigest !== undefined && { previewDigest }) },
      earlier,
      contextOf(change),
    )?.code;
  const outdated = { previewDigest: 'another' };

  it('is refused when the preview does not hold, before the rules of the action itself', () => {
    expect(judge({}, { previewDigest: shownDigest })).toBeUndefined();
    expect(judge({}, outdated)).toBe('preview_outdated');
    expect(judge({ workspace: { planId: 'pro' } }, outdated)).toBe('preview_outdated');
    expect(judge({ workspace: { planId: 'pro' } }, { previewDigest: shownDigest })).toBe('plan_already_applied');
    expect(judge({ workspace: { revision: 'r2' } }, { previewDigest: shownDigest })).toBe('preview_outdated');
  });

  it('is refused for a deletion before its preview, and an owner’s one for closed access', () => {
    expect(judge({ workspace: { deletion } }, outdated)).toBe('deletion_started');
    const cancellation = { ...intent, action: 'cancel_subscription', previewDigest: 'another' } as const;
    const suspended = contextOf({ workspace: { status: 'suspended' } });
    expect(judgeAttempt(actionOf('cancel_subscription'), cancellation, [], suspended)?.code).toBe('workspace_closed');
  });

  it('is compared until an attempt has called the provider, and judged by the rules after that', () => {
    expect(judge({}, { ...outdated, earlier: idle })).toBe('preview_outdated');
    expect(judge({}, { ...outdated, earlier: attempted })).toBeUndefined();
    expect(judge({}, { ...outdated, earlier: [...idle, ...attempted] })).toBeUndefined();
    expect(judge({ workspace: { planId: 'pro' } }, { ...outdated, earlier: attempted })).toBe('plan_already_applied');
  });

  it.each<[string, ContextChange]>([
    ['the subscription', { atProvider: 'unavailable' }],
    ['the price', { targetPrice: 'unavailable' }],
    ['the invoice', { charge: 'unavailable' }],
  ])('is not called outdated while the provider does not say %s', (_what, change) => {
    expect(judge(change, outdated)).toBe('provider_unavailable');
    expect(judge({ ...change, workspace: { planId: 'pro' } }, outdated)).toBe('plan_already_applied');
    expect(judge(change, { ...outdated, earlier: attempted })).toBe(
      'atProvider' in change ? 'provider_unavailable' : undefined,
    );
  });

  it('is compared with the figures of the invoice', () => {
    const previewDigest = previewDigestOf(intent, contextOf({ charge }));
    expect(judge({ charge }, { previewDigest })).toBeUndefined();
    expect(judge({ charge: { ...charge, total: 3_601 } }, { previewDigest })).toBe('preview_outdated');
  });

  it('is otherwise judged like a request without one', () => {
    expect(judge({})).toBeUndefined();
    expect(judge({ workspace: { planId: 'pro' } })).toBe('plan_already_applied');
    expect(judge({ targetPrice: 'unavailable' })).toBeUndefined();
  });
});
