/**
 * A deferred change to a price of another interval is invoiced by the provider when it lands, by an update of the
 * subscription whose metadata name an earlier operation, or none.
 */
import { collectFinance } from '../../finance/workflows/collect-finance';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { startContracts, type Contracts } from '../../operations/testing/contracts-at-twin';
import { tenant } from '../../testing/operator-world';
import { reconciliationPorts } from '../testing/reconciliation-world';
import { compareWorkspace } from './reconcile-workspace';

const contract = { trialing: false, quantity: 2, taxed: false, discounted: false, metadata: {}, ageDays: 5 } as const;
const always = { from: new Date(0), to: new Date('2100-01-01T00:00:00Z') };

let stage: Contracts;
beforeAll(async () => {
  stage = await startContracts();
});
afterAll(() => stage.close());

/** A yearly plan has followed the monthly one, by the platform's own deferred change. */
async function landed(isUpgradedFirst: boolean) {
  const { world, ask, refresh, subscriptionId } = await stage.signed(contract);
  if (isUpgradedFirst) expect(await ask('upgrade_plan', { planId: 'pro' })).toBe('succeeded');
  expect(await ask('change_plan_later', { planId: 'yearly' })).toBe('succeeded');
  const lands = Math.floor(world.subscription()!.pendingPlan!.at.getTime() / 1_000);
  await stage.control('clock', { advanceSeconds: lands - (await stage.now()) + 86_400 });
  await refresh();
  expect(world.subscription()).toMatchObject({ planId: 'yearly' });
  const ports = reconciliationPorts(world, { provider: stage.provider });
  const period = { id: 'landing', kind: 'since', ...always, from: new Date(lands * 1_000 - 1) } as const;
  return { world, ports, seen: () => compareWorkspace(ports, tenant, period), subscriptionId };
}

describe('a deferred change to another interval that has landed', () => {
  it.each([true, false])('is no difference (after an upgrade: %s)', async (isUpgradedFirst) => {
    const { seen, subscriptionId } = await landed(isUpgradedFirst);
    expect(await seen()).toEqual({ kind: 'compared', seen: [] });
    // What a person changes there is one.
    const [item] = (await stage.raw('GET', `subscriptions/${subscriptionId}`)).items.data;
    await stage.raw('POST', `subscriptions/${subscriptionId}`, {
      'items[0][id]': item!.id,
      'items[0][quantity]': '5',
      proration_behavior: 'always_invoice',
    });
    expect(await seen()).toMatchObject({
      seen: [{ kind: isUpgradedFirst ? 'effect_twice' : 'made_outside' }, { kind: 'mirror_differs' }],
    });
  });

  it('is a renewal in the finance report, and no second charge of the upgrade before it', async () => {
    const { world, ports } = await landed(true);
    const [migrations, items] = [
      world.store.collection(planMigrationsCollection),
      world.store.collection(planMigrationItemsCollection),
    ];
    const rows = await collectFinance({ ...ports, migrations, items }, always);
    expect(rows.ok && rows.value.map(({ action, kind }) => [action, kind])).toEqual([['upgrade_plan', 'charge']]);
  });
});
