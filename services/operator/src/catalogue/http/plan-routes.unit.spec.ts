/** How often a plan is paid: what the provider's price says, in the catalog, to an owner and in a preview. */
import type { Account, ActionPreview, PlanView } from '@platform/contracts-operator';
import { plansCollection } from '../store/plans';
import { base, post, setStage, type Stage } from '../../testing/stage';

const yearly = { name: 'Yearly', amountCents: 49_000, currency: 'usd', priceId: 'price_yearly', offered: true };
const atProvider = {
  ...{ id: 'price_yearly', unitAmount: 49_000, currency: 'usd' },
  ...({ interval: 'year', intervalCount: 1 } as const),
};
const put = ({ gateway }: Stage, body: object = yearly) => gateway.request('PUT', '/api/saas/plans/yearly', { body });

async function withYearlyPrice(): Promise<Stage> {
  const stage = await setStage();
  stage.world.provider.seed({ priceIds: ['price_yearly'], prices: [atProvider] });
  return stage;
}

describe('how often a plan is paid', () => {
  it('is what its price at the provider says, and stays when the plan is written again', async () => {
    const stage = await withYearlyPrice();
    const billedEvery = { interval: 'year', count: 1 };
    expect((await put(stage)).json()).toMatchObject({ planId: 'yearly', billedEvery });
    stage.world.provider.setDown(true);
    expect((await put(stage, { ...yearly, offered: false })).json()).toMatchObject({ offered: false, billedEvery });
    const { plans } = (await stage.gateway.request('GET', '/api/saas/plans')).json<{ plans: PlanView[] }>();
    expect(plans.find(({ planId }) => planId === 'yearly')).toMatchObject({ billedEvery });
  });

  it('is said to an owner, and in the preview of a change to it', async () => {
    const stage = await withYearlyPrice();
    await put(stage);
    const account = (await stage.gateway.request('GET', `${base}/account`, { role: 'user' })).json<Account>();
    expect(account.onSale.find(({ planId }) => planId === 'yearly')).toMatchObject({
      billedEvery: { interval: 'year', count: 1 },
    });
    const preview = (await post(stage, 'upgrade/preview', { planId: 'yearly' })).json<ActionPreview>();
    expect(preview.consequences[0]).toBe(
      'Changes the plan from starter (19.00 USD a month) to yearly (490.00 USD a year) now.',
    );
  });

  it('is not known of a plan that an earlier release wrote, until the plan is written again', async () => {
    const stage = await withYearlyPrice();
    await stage.world.store.collection(plansCollection).insert({ _id: 'yearly', ...yearly });
    const words = async () =>
      (await post(stage, 'upgrade/preview', { planId: 'yearly' })).json<ActionPreview>().consequences[0];
    expect(await words()).toContain('to yearly (490.00 USD, interval not known) now.');
    stage.world.provider.setDown(true);
    expect((await put(stage)).status).toBe(200);
    expect(await words()).toContain('interval not known');
    stage.world.provider.setDown(false);
    expect((await put(stage)).status).toBe(200);
    expect(await words()).toContain('to yearly (490.00 USD a year) now.');
  });
});
