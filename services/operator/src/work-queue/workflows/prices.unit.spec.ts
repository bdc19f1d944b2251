/** The money at risk of a workspace that pays for several units. */
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { credit } from '../../testing/stage';
import { createOperatorWorld, bootOperator, tenant } from '../../testing/operator-world';
import { runOperation } from '../../operations/workflows/run-operation';
import { exampleRequest } from '../../operations/testing/example-worlds';
import { createPrices } from './prices';

async function withUnits(quantity?: number) {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  const before = world.subscription()!;
  const provider = { ...before.provider, ...(quantity !== undefined && { quantity }) };
  await ports.subscriptions.mutate(before, { ...before, provider });
  const migrationItems = world.store.collection(planMigrationItemsCollection);
  return { ports, world, prices: createPrices({ ...ports, migrationItems }, world.clock) };
}

const usd = (amountCents: number) => ({ amountCents, currency: 'usd' });

describe('the money at risk', () => {
  it.each([
    ['the one of a record without them', undefined, 1],
    ['as many as its mirror has', 5, 5],
  ])('of a workspace counts its units: %s', async (_what, quantity, units) => {
    const { prices } = await withUnits(quantity);
    expect(await prices.ofWorkspace(tenant)).toEqual(usd(1_900 * units));
    expect(await prices.ofWorkspace(tenant, 'pro')).toEqual(usd(4_900 * units));
  });

  it('of a plan of the catalog is that of one unit, also for a workspace that is not there', async () => {
    const { prices } = await withUnits(5);
    expect(await prices.ofPlan('pro')).toEqual(usd(4_900));
    expect(await prices.ofWorkspace('t-gone', 'pro')).toEqual(usd(4_900));
    expect([await prices.ofWorkspace('t-gone'), await prices.ofWorkspace(null)]).toEqual([null, null]);
  });

  it('of an upgrade counts the units that it was sent with, and of a credit its amount alone', async () => {
    const { ports, world, prices } = await withUnits(5);
    world.provider.failNext('lost_answer_after_effect');
    await runOperation(ports, { ...exampleRequest('credit_customer'), operationId: credit.operationId });
    const [given] = world.operations();
    expect(await prices.ofOperation(given!)).toEqual(usd(Number(given!.values['amountCents'])));
    const upgrade = { ...given!, values: { planId: 'pro' } };
    expect(await prices.ofOperation({ ...upgrade, checkpoint: { quantity: '3' } })).toEqual(usd(4_900 * 3));
    expect(await prices.ofOperation({ ...upgrade, checkpoint: {} })).toEqual(usd(4_900 * 5));
  });
});
