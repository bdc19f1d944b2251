/**
 * A person may add items for other things to a workspace's subscription at the provider, and the provider may list them
 * before the item of the plan. The plan changes all the same, and the other items stay as they are.
 */
import { startContracts, type Contracts } from '../testing/contracts-at-twin';

const contract = { trialing: false, quantity: 3, taxed: false, discounted: false, metadata: {}, ageDays: 10 } as const;
const monthS = 31 * 86_400;

let contracts: Contracts;

beforeAll(async () => {
  contracts = await startContracts();
});
afterAll(() => contracts.close());
beforeEach(() => contracts.reset());

/** A workspace on the plan starter, in whose subscription the item of support comes first. */
async function signed() {
  const { control, raw } = contracts;
  await control('seed', { prices: [{ id: 'price_support', product: 'prod_plans', unitAmount: 700 }] });
  const workspace = await contracts.signed(contract);
  const subscription = workspace.subscriptionId;
  const items = async () => (await raw('GET', `subscriptions/${subscription}`)).items.data;
  const [plan] = await items();
  await raw('POST', 'subscription_items', { subscription, price: 'price_support' });
  await raw('DELETE', `subscription_items/${plan!.id}`);
  await raw('POST', 'subscription_items', { subscription, price: 'price_starter', quantity: '3' });
  await workspace.refresh();
  const prices = async () => (await items()).map(({ price }) => price.id);
  expect(await prices()).toEqual(['price_support', 'price_starter']);
  return { ...workspace, prices };
}

describe('a plan beside another item', () => {
  it('is changed at once, and the other item stays', async () => {
    const { ask, prices } = await signed();
    expect(await ask('upgrade_plan', { planId: 'pro' })).toBe('succeeded');
    expect(await prices()).toEqual(['price_support', 'price_pro']);
  });

  it('is changed at the end of the period, and the other item stays', async () => {
    const { ask, prices, refresh, world } = await signed();
    expect(await ask('change_plan_later', { planId: 'pro' })).toBe('succeeded');
    await refresh();
    expect(world.subscription()).toMatchObject({ planId: 'starter', pendingPlan: { planId: 'pro' } });
    await contracts.control('clock', { advanceSeconds: monthS });
    expect(await prices()).toEqual(['price_support', 'price_pro']);
  });
});
