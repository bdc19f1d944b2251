/** A plan that a lost checkout has sold is not sold once more, also where the records do not know its customer. */
import type { ProviderCheckoutSession } from '@platform/payment-provider';
import { settle } from '@platform/testing';
import { bootEvents } from '../../provider-events/testing/event-world';
import { checkoutRequest, free } from '../../checkout/testing/checkout-world';
import type { Subscription } from '../../mirror/domain/subscription';
import { runOperation } from '../../operations/workflows/run-operation';
import { createOperatorWorld } from '../../testing/operator-world';
import { differencesOf, reconciliationPorts } from '../testing/reconciliation-world';
import { closeDifference } from './keep-differences';
import { lostCreationsOf } from './lost-creation';
import { reconcileSince } from './reconcile-since';

const gone = { id: 'cus_acme', deleted: true, currency: null, balance: 0, metadata: {} };

/** A checkout was begun after the backup, and its page was paid where `paid`; it made its customer unless `hasOne`. */
async function restored(workspace: Partial<Subscription>, { paid = true, expired = false, hasOne = false } = {}) {
  const world = await createOperatorWorld(workspace);
  const backup = world.clock.now();
  world.clock.advance(60_000);
  const lost = await createOperatorWorld(workspace);
  if (!hasOne) world.provider.seed({ customers: [gone] });
  await runOperation(
    bootEvents(lost, 1, { provider: world.provider }).ports,
    checkoutRequest({ operationId: 'op-lost-0001' }),
  );
  const { sessionId } = lost.subscription()!.checkout!;
  if (paid) world.provider.completeCheckout(sessionId);
  if (expired) world.provider.expireCheckout(sessionId);
  const ports = reconciliationPorts(world);
  await reconcileSince(ports, backup, { dryRun: false, progress: () => undefined });
  const buy = () => runOperation(bootEvents(world, 1).ports, checkoutRequest({ operationId: 'op-again-0001' }));
  return { world, ports, sessionId, buy, sends: () => world.provider.sends().length };
}

const withoutCustomer = { ...free, provider: {} };

describe('a checkout of a workspace whose earlier one was lost with the records', () => {
  it.each<[string, Partial<Subscription>, { paid?: boolean }]>([
    ['has no customer, and paid', withoutCustomer, {}],
    ['has no customer, and may still pay', withoutCustomer, { paid: false }],
    ['names a customer that was deleted, and paid', free, {}],
  ])('is refused while the case is open, where the workspace %s', async (_what, workspace, sold) => {
    const { world, ports, sessionId, buy, sends } = await restored(workspace, sold);
    const [lost] = differencesOf(world).filter(({ kind }) => kind === 'customer_unknown');
    expect(lost).toMatchObject({ tenantId: 'acme', operationId: 'op-lost-0001', status: 'open' });
    const before = sends();
    const said = sold.paid === false ? `can pay on page ${sessionId}` : 'The workspace pays by';
    const error = { code: 'plan_already_applied', message: expect.stringContaining(said) as string };
    expect(await buy()).toMatchObject({ kind: 'failed', operation: { error } });
    expect(sends()).toBe(before);
    const end = { by: 'ann@example.com', reason: 'ended at the provider, and refunded' };
    await closeDifference(ports, lost!._id, end);
    expect(await buy()).toMatchObject({ kind: 'unfinished' });
  });

  it.each<[string, boolean]>([
    ['the page that could still be paid has been expired', false],
    ['the subscription that was paid has been ended', true],
  ])('is sold once %s at the provider, though the case is open', async (_what, paid) => {
    const { world, ports, sessionId, buy } = await restored(withoutCustomer, { paid });
    world.provider.setDown(true);
    expect(await buy()).toMatchObject({ kind: 'failed', operation: { error: { code: 'provider_unavailable' } } });
    world.provider.setDown(false);
    const read = await ports.provider.retrieveCheckoutSession(sessionId);
    const { customerId, subscriptionId } = (read as { readonly value: ProviderCheckoutSession }).value;
    const sold = { id: subscriptionId!, customerId: customerId!, metadata: { tenantId: 'acme' } };
    if (paid) world.provider.seed({ subscriptions: [{ ...sold, status: 'canceled' }] });
    else world.provider.expireCheckout(sessionId);
    expect(differencesOf(world)).toMatchObject([{ kind: 'customer_unknown', status: 'open' }]);
    expect(await buy()).toMatchObject({ kind: 'unfinished' });
  });

  it.each([true, false])(
    'is refused beside what the customer of the record bought or may still pay (paid: %j)',
    async (paid) => {
      const { world, buy, sends, sessionId } = await restored(free, { hasOne: true, paid });
      const before = sends();
      const message = expect.stringContaining(paid ? 'The workspace pays by' : sessionId) as string;
      expect(await buy()).toMatchObject({
        kind: 'failed',
        operation: { error: { code: 'plan_already_applied', message } },
      });
      expect(sends()).toBe(before);
      if (paid) return;
      world.provider.expireCheckout(sessionId);
      expect(await buy()).toMatchObject({ kind: 'unfinished' });
    },
  );

  it('is refused where the page is paid while the provider is read', async () => {
    const { world, sessionId } = await restored(free, { hasOne: true, paid: false });
    const listCheckoutSessions = async (customerId: string) => {
      await settle();
      world.provider.completeCheckout(sessionId);
      return world.provider.listCheckoutSessions(customerId);
    };
    const { ports } = bootEvents(world, 1, { provider: { ...world.provider, listCheckoutSessions } });
    expect(await runOperation(ports, checkoutRequest())).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'plan_already_applied' } },
    });
  });

  it('is sold beside an open page on which its customer may pay for another workspace', async () => {
    const world = await createOperatorWorld(free);
    const page = { step: 'create_session', customerId: 'cus_acme', priceId: 'price_pro', tenantId: 'beta' } as const;
    const sold = { planId: 'pro', trialDays: 0, successUrl: 'https://app.test/', cancelUrl: 'https://app.test/' };
    const made = await world.provider.prepare({ operationId: 'op-beta-0001' }, { ...page, ...sold }).send();
    expect(made).toMatchObject({ outcome: 'succeeded', value: { status: 'open' } });
    expect(await runOperation(bootEvents(world, 1).ports, checkoutRequest())).toMatchObject({ kind: 'unfinished' });
  });

  it('is no lost creation of its person', async () => {
    const { ports } = await restored(withoutCustomer);
    expect(await lostCreationsOf(ports, 'ann@example.com')).toEqual([]);
  });

  it('is sold where the page of the lost one has expired, which was no creation of its person either', async () => {
    const { ports, buy } = await restored(withoutCustomer, { paid: false, expired: true });
    expect(await lostCreationsOf(ports, 'ann@example.com')).toEqual([]);
    expect(await buy()).toMatchObject({ kind: 'unfinished' });
  });

  it('is not lost when its journal has it, as one whose page was not made', async () => {
    const world = await createOperatorWorld(withoutCustomer);
    const backup = world.clock.now();
    world.provider.failNext('rate_limited', { step: 'create_session' }, 10);
    const failed = await runOperation(bootEvents(world, 1).ports, checkoutRequest());
    expect(failed).toMatchObject({ kind: 'failed' });
    const ports = reconciliationPorts(world);
    await reconcileSince(ports, backup, { dryRun: false, progress: () => undefined });
    expect(differencesOf(world)).toMatchObject([{ kind: 'customer_unknown', operationId: 'op-checkout-001' }]);
    expect(await lostCreationsOf(ports, 'ann@example.com')).toEqual([]);
  });

  it('is a lost creation of its person where the workspace was lost too', async () => {
    const { world, ports } = await restored(withoutCustomer);
    const { subscriptions } = bootEvents(world, 1).ports;
    const missing = { ...subscriptions, findById: async () => null };
    const since = new Date(world.clock.now().getTime() - 120_000);
    await reconcileSince({ ...ports, subscriptions: missing }, since, { dryRun: false, progress: () => undefined });
    expect(await lostCreationsOf(ports, 'ann@example.com')).toEqual(['op-lost-0001']);
  });
});
