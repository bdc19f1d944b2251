/** What an owner reads of a workspace, through HTTP: the owner's data and no data of others. */
import type { Account } from '@platform/contracts-operator';
import { withPendingChange } from '../../testing/operator-world';
import { base, post, setStage } from '../../testing/stage';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import { plansCollection } from '../../catalogue/store/plans';

const asOwner = { role: 'user' as const };

describe("a workspace's account", () => {
  it('shows its owner the plan, what is on sale, what can be done and why the rest cannot', async () => {
    const { gateway } = await setStage();
    const answer = await gateway.request('GET', `${base}/account`, asOwner);
    expect(answer.status).toBe(200);
    const account = answer.json<Account>();
    expect(account.state).toMatchObject({ tenantId: 'acme', access: { state: 'open' } });
    expect(account.plan?.planId).toBe(account.state.planId);
    const of = (action: string) => account.actions.find((each) => each.action === action);
    expect(of('cancel_subscription')).toEqual({ action: 'cancel_subscription' });
    expect(of('drop_pending_change')?.refusal?.code).toBe('no_pending_change');
    expect(account.actions.some(({ action }) => action === 'suspend')).toBe(false);
  });

  it('shows the plans on sale in its own currency first, the cheapest over time first, and those of unknown intervals after', async () => {
    const { gateway, world } = await setStage();
    const plans = world.store.collection(plansCollection);
    const sold = { name: 'P', currency: 'usd', priceId: 'price_p', offered: true };
    const [year, month] = (['year', 'month'] as const).map((interval) => ({ interval, count: 1 }));
    const more = [
      { _id: 'dear-year', amountCents: 70_000, billedEvery: year! },
      { _id: 'cheap-year', amountCents: 20_000, billedEvery: year! },
      { _id: 'unsaid', amountCents: 100 },
      { _id: 'euro', amountCents: 100, currency: 'eur', billedEvery: month! },
    ];
    for (const plan of more) await plans.insert({ ...sold, ...plan });
    const account = (await gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
    const order = ['free', 'cheap-year', 'starter', 'pro', 'dear-year', 'unsaid', 'euro'];
    expect(account.onSale.map(({ planId }) => planId).filter((id) => order.includes(id))).toEqual(order);
  });

  it('names no plan where the price at the provider is in no plan of the catalog', async () => {
    const { gateway, world, life } = await setStage();
    world.provider.seed({
      subscriptions: [{ id: 'sub_acme', customerId: 'cus_acme', itemId: 'si_acme', priceId: 'price_own' }],
    });
    await mirrorSubscription(life.ports, 'acme');
    const account = (await gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
    expect(account.plan).toBeUndefined();
    expect(account.state).toMatchObject({ planId: 'starter', priceNotInCatalog: true });
  });

  it('offers to drop a plan change that is pending, whatever only the provider knows of it', async () => {
    const { gateway, world } = await setStage();
    await withPendingChange(world);
    const account = (await gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
    expect(account.state.pendingPlan).toBeDefined();
    expect(account.actions).toContainEqual({ action: 'drop_pending_change' });
  });

  it('lists what owners asked for, and nothing of the people of the platform', async () => {
    const stage = await setStage();
    await post(stage, 'balance-credit', { operationId: 'op-credit-0001', amountCents: 500, reason: 'goodwill' });
    const cancelled = await stage.gateway.request('POST', `${base}/cancellation`, {
      ...asOwner,
      body: { operationId: 'op-cancel-0001' },
    });
    expect(cancelled.status).toBe(200);
    const account = (await stage.gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
    expect(account.operations.map(({ operationId }) => operationId)).toEqual(['op-cancel-0001']);
    expect(account.state.cancelsAt).toBeDefined();
    expect(JSON.stringify(account)).not.toContain('goodwill');
  });

  it('says that invoices are not known while the provider does not answer', async () => {
    const { gateway, world } = await setStage();
    world.provider.setDown(true);
    const account = (await gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
    expect(account.invoices).toEqual({ state: 'unavailable' });
    expect(account.state.tenantId).toBe('acme');
  });

  it('lists the invoices of every customer that it had, newest first, and says which cannot be read', async () => {
    const { gateway, world } = await setStage();
    const invoice = (id: string, customerId: string, day: number) => ({
      ...{ id, customerId, subscriptionId: null, status: 'paid' as const, total: 1_900, hostedUrl: null },
      ...{ currency: 'usd', reason: 'manual', createdAt: new Date(Date.UTC(2026, 0, day)), subscriptionMetadata: {} },
    });
    const issued = [
      invoice('in_old', 'cus_acme', 1),
      invoice('in_new', 'cus_next', 3),
      invoice('in_last', 'cus_acme', 2),
    ];
    world.provider.seed({ customers: [{ id: 'cus_next' }], issued });
    const workspace = world.subscription()!;
    const invoicesWith = async (formerCustomerIds: readonly string[]) => {
      const provider = { ...workspace.provider, customerId: 'cus_next', formerCustomerIds };
      world.store.collection(subscriptionsCollection).put({ ...workspace, provider });
      const { invoices } = (await gateway.request('GET', `${base}/account`, asOwner)).json<Account>();
      if (invoices.state !== 'known') throw new Error(`the invoices are ${invoices.state}`);
      return [invoices.value.map(({ invoiceId }) => invoiceId), invoices.lacksEarlier];
    };
    expect(await invoicesWith(['cus_acme'])).toEqual([['in_new', 'in_last', 'in_old'], undefined]);
    expect(await invoicesWith(['cus_lost'])).toEqual([['in_new'], true]);
  });

  it('is its owner’s alone', async () => {
    const { gateway } = await setStage();
    expect((await gateway.request('GET', `${base}/account`, { role: 'platform_owner' })).status).not.toBe(404);
    expect((await gateway.request('GET', `${base}/account`, { role: 'anonymous' })).status).toBe(401);
    expect((await gateway.request('GET', '/api/saas/workspaces/globex/account', asOwner)).status).toBe(404);
  });
});
