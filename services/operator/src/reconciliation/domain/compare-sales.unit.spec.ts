/** First invoices and renewals compared with creations, checkouts and the mirror. */
import { forged } from '@platform/durable/testing';
import type { ProviderIssuedInvoice } from '@platform/payment-provider/effects';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../../operations/domain/operation';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { dayMs, differencesOf, reconciliationPorts } from '../testing/reconciliation-world';
import { createDailyReconciliation } from '../workflows/run-reconciliation';

let made = 0;
const invoice = (change: Partial<ProviderIssuedInvoice> = {}): ProviderIssuedInvoice => ({
  id: `in_${(made += 1)}`,
  customerId: 'cus_acme',
  subscriptionId: 'sub_acme',
  status: 'paid',
  total: 1_900,
  hostedUrl: null,
  currency: 'usd',
  reason: 'subscription_create',
  createdAt: new Date('2026-01-01T10:00:00.000Z'),
  subscriptionMetadata: {},
  ...change,
});

const checkout = (status: 'succeeded' | 'failed') => ({
  _id: 'op-checkout-0001',
  tenantId: tenant,
  action: 'checkout',
  status,
  actor: { id: 'ann' },
  values: {},
  fingerprint: '',
  attempts: [],
  ...(status === 'failed' && { error: { code: 'retry_window_expired', message: '' } }),
  ...(status === 'succeeded' && { result: {}, effectiveAt: new Date(0) }),
});

async function compared(
  issued: readonly ProviderIssuedInvoice[],
  { workspace = {}, operation }: { workspace?: Partial<Subscription>; operation?: object } = {},
) {
  const world = await createOperatorWorld(workspace);
  const { ports } = bootOperator(world, 1);
  if (operation) await ports.operations.insert(forged<Operation>(operation as never));
  world.provider.seed({ issued });
  if (world.subscription()?.provider.subscriptionId) await mirrorSubscription(ports, tenant);
  world.clock.advance(dayMs + 2 * 3_600_000);
  await createDailyReconciliation(reconciliationPorts(world))();
  return differencesOf(world)
    .filter(({ kind }) => kind !== 'mirror_differs' && kind !== 'subscription_unknown')
    .map(({ kind, objectId, operationId }) => [kind, objectId, operationId]);
}

const ofCreation = { subscriptionMetadata: { provisioningAttempt: tenant } };
const ofCheckout = { subscriptionMetadata: { operationId: 'op-checkout-0001' } };
const later = new Date('2026-01-01T11:00:00.000Z');

describe('the first invoice of a subscription', () => {
  it('is expected of a creation, and of a checkout that succeeded', async () => {
    expect(await compared([invoice(ofCreation)])).toEqual([]);
    expect(await compared([invoice(ofCheckout)], { operation: checkout('succeeded') })).toEqual([]);
    // A trial is not charged, and a void invoice was never paid.
    expect(await compared([invoice({ total: 0 }), invoice({ status: 'void' })])).toEqual([]);
  });

  it('is older than the record of a workspace that was taken over with its subscription', async () => {
    const createdAt = new Date('2026-01-01T00:00:00.000Z');
    expect(await compared([invoice({ createdAt })])).toEqual([]);
    const other = invoice({ createdAt, subscriptionId: 'sub_other' });
    expect(await compared([other])).toEqual([['made_outside', other.id, undefined]]);
  });

  it('is a second sale when a creation has two', async () => {
    const second = invoice({ ...ofCreation, createdAt: later });
    expect(await compared([second, invoice(ofCreation)])).toEqual([['effect_twice', second.id, undefined]]);
  });

  it('is unexplained without a creation or a checkout, and after a failed one', async () => {
    const alone = invoice();
    expect(await compared([alone])).toEqual([['made_outside', alone.id, undefined]]);
    const lost = invoice(ofCheckout);
    expect(await compared([lost])).toEqual([['effect_without_entry', lost.id, 'op-checkout-0001']]);
    const failed = invoice(ofCheckout);
    expect(await compared([failed], { operation: checkout('failed') })).toEqual([
      ['effect_of_failed', failed.id, 'op-checkout-0001'],
    ]);
  });
});

describe('a renewal', () => {
  const renewal = (change: Partial<ProviderIssuedInvoice> = {}) => invoice({ reason: 'subscription_cycle', ...change });

  it('is expected of the subscription that pays for an open workspace', async () => {
    expect(await compared([renewal()])).toEqual([]);
  });

  it('is not of a subscription that the workspace does not pay by', async () => {
    const other = renewal({ subscriptionId: 'sub_old' });
    expect(await compared([other])).toEqual([['renewal_unexpected', other.id, undefined]]);
    const granted = renewal();
    expect(
      await compared([granted], { workspace: { isComplimentary: true, provider: { customerId: 'cus_acme' } } }),
    ).toEqual([['renewal_unexpected', granted.id, undefined]]);
  });

  it.each([
    ['a checkout', { ...checkout('succeeded'), effectiveAt: later }],
    ['a grant', { ...checkout('succeeded'), action: 'grant_free_access', effectiveAt: later }],
  ])('is expected of the subscription that paid until %s took its place', async (_what, operation) => {
    const before = renewal({ subscriptionId: 'sub_old' });
    const after = renewal({ subscriptionId: 'sub_old', createdAt: new Date(later.getTime() + 1) });
    expect(await compared([before, after], { operation })).toEqual([['renewal_unexpected', after.id, undefined]]);
  });

  it('is not of a workspace that was closed before it', async () => {
    const closed = { state: 'closed', since: new Date('2026-01-01T08:00:00.000Z'), operationId: null } as const;
    const after = renewal();
    expect(await compared([after], { workspace: { status: 'suspended', access: closed } })).toEqual([
      ['renewal_unexpected', after.id, undefined],
    ]);
    const before = renewal({ createdAt: new Date('2026-01-01T07:00:00.000Z') });
    expect(await compared([before], { workspace: { status: 'suspended', access: closed } })).toEqual([]);
  });
});
