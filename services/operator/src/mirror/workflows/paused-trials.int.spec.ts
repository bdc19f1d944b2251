/** A trial that ends without a card may be paused at the provider: it invoices nothing, and the workspace is not paid. */
import { startContracts, type Contracts } from '../../operations/testing/contracts-at-twin';

const contract = { trialing: true, quantity: 1, taxed: false, discounted: false, metadata: {}, ageDays: 1 } as const;
const trialS = 21 * 86_400;

let contracts: Contracts;

beforeAll(async () => {
  contracts = await startContracts();
});
afterAll(() => contracts.close());

describe('a trial that the provider has paused', () => {
  it('is overdue, and not a paid plan', async () => {
    const { control, raw } = contracts;
    const { subscriptionId, world, refresh, ask } = await contracts.signed(contract);
    const pause = { 'trial_settings[end_behavior][missing_payment_method]': 'pause' };
    const { customer } = await raw('POST', `subscriptions/${subscriptionId}`, pause);
    const methods = (await raw('GET', `customers/${String(customer)}/payment_methods`)) as unknown as {
      readonly data: readonly { readonly id: string }[];
    };
    for (const { id } of methods.data) await raw('POST', `payment_methods/${id}/detach`);
    await control('clock', { advanceSeconds: trialS });
    expect(await raw('GET', `subscriptions/${subscriptionId}`)).toMatchObject({ status: 'paused' });
    await refresh();
    expect(world.subscription()).toMatchObject({ status: 'past_due', overdueSince: expect.any(Date) as Date });
    expect(await ask('upgrade_plan', { planId: 'pro' })).toBe('payment_overdue');
  });
});
