/** Cases of plan migrations and of their items, built from the records of real runs. */
import { bootMigrations, createMigrationWorld, request } from '../../migrations/testing/migration-world';
import { isUnavailable } from '../../work-queue/workflows/ports';
import type { WorkItemFacts } from '../../work-queue/domain/work-item';
import { migrationItemOwner, migrationOwner } from '../../work-queue/workflows/owners';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { casePortsOf, caseViewOf } from '../testing/case-views';

const migrationId = request.migrationId;
async function migrated(fault: 'lost_answer_before_effect' | 'lost_answer_after_effect') {
  const world = await createMigrationWorld(3);
  world.provider.failNext(fault, { step: 'change_plan' });
  await bootMigrations(world, 1).submit();
  return world;
}

describe('the case of a migration item whose answer was lost', () => {
  it('is not known while the provider shows the old price, and says what is held and what would end it', async () => {
    const world = await migrated('lost_answer_before_effect');
    const view = await caseViewOf(casePortsOf(world), 'migration_item', `${migrationId}:ws-001`);
    expect(view.verdict).toMatchObject({
      money: {
        answer: 'not_known',
        because: expect.stringContaining(
          "the provider shows sub_ws-001 at price_starter without this migration's id (the target is price_pro)",
        ),
      },
      running: { answer: 'not_proven' },
    });
    expect(view.provider).toMatchObject({
      source: 'answered',
      objects: [
        { kind: 'subscription', id: 'sub_ws-001', summary: { priceId: 'price_starter', carriesThisMigration: 'no' } },
      ],
    });
    expect(view.sent).toMatchObject([
      { step: 'change_plan', idempotencyKey: `${migrationId}:ws-001:plan`, outcome: 'unknown' },
    ]);
    expect(view.intent).toContainEqual({
      label: 'pending transition',
      value: 'change plan by this item',
      form: 'text',
    });
    expect(view.timeline.map(({ what }) => what)).toEqual([
      `Migration ${migrationId} asked for`,
      'Workspace captured in its list',
      'Item begun: intent and call written down',
      expect.stringContaining('Attempt 1: POST'),
      'Item ended: outcome not known',
      'The workspace stays held by this item',
    ]);
    expect(view.executors).toMatchObject([{ instance: 'operator-1', state: 'alive', outcome: 'unknown' }]);
    expect(view.notProven).toHaveLength(3);
    expect(
      view.commands.map(({ line }) => line).filter((line) => line.includes('resolve migration-item')),
    ).toHaveLength(2);
  });

  it('has moved money when the provider shows the target under its id, and names that object', async () => {
    const view = await caseViewOf(
      casePortsOf(await migrated('lost_answer_after_effect')),
      'migration_item',
      `${migrationId}:ws-001`,
    );
    expect(view.verdict.money).toMatchObject({
      answer: 'moved',
      because: expect.stringContaining("sub_ws-001 carries this migration's id at price_pro"),
    });
    expect(view.commands.at(-1)!.line).toContain('--outcome applied --provider-object sub_ws-001');
    expect(view.next.advice).toBe('investigate');
  });

  it('says nothing of the provider that it could not read', async () => {
    const world = await migrated('lost_answer_before_effect');
    const ports = casePortsOf(world);
    const view = await caseViewOf(
      {
        ...ports,
        provider: {
          ...ports.provider,
          retrieveSubscription: async () => ({ outcome: 'unknown', reason: 'time-out' }) as never,
        },
      },
      'migration_item',
      `${migrationId}:ws-001`,
    );
    expect(view.provider.source).toBe('unavailable');
    expect(view.verdict.money.answer).toBe('not_known');
  });
});

describe('the case of a migration', () => {
  it('that holds a workspace of unknown outcome names it, and can be closed only after it', async () => {
    const view = await caseViewOf(casePortsOf(await migrated('lost_answer_before_effect')), 'migration', migrationId);
    expect(view).toMatchObject({
      open: true,
      status: 'reconciliation_required',
      verdict: {
        money: {
          answer: 'not_known',
          because: expect.stringContaining('1 of its workspaces is not known (ws-001); changed: 2'),
        },
        running: { answer: 'not_proven' },
      },
    });
    expect(view.commands.map(({ line }) => line)).toEqual([
      `npm run ops -- show migration ${migrationId}`,
      `npm run ops -- show migration-item ${migrationId}:ws-001`,
      expect.stringContaining(`resolve migration ${migrationId} --executor-stopped`),
    ]);
  });

  it('that has ended tells so, with what its failures were', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('card_declined', { step: 'change_plan' });
    await bootMigrations(world, 1).submit();
    const view = await caseViewOf(casePortsOf(world), 'migration', migrationId);
    expect(view).toMatchObject({
      open: false,
      verdict: { money: { answer: 'moved' }, running: { answer: 'no' } },
      next: { advice: 'nothing' },
    });
    expect(view.intent).toContainEqual({ label: 'reason', value: 'the plan is no longer sold', form: 'text' });
    expect(view.intent.find(({ label }) => label === 'failed workspaces')!.value).toContain('ws-001 (');
  });

  it.each([1, 2, 3])(
    'shows one amount in the queue, in its case and in the sum of the units of its items, with %i not known',
    async (lost) => {
      const world = await createMigrationWorld(4);
      world.provider.failNext('lost_answer_after_effect', { step: 'change_plan' }, lost);
      await bootMigrations(world, 1).submit();
      const workspaces = world.store.collection(subscriptionsCollection);
      const first = (await workspaces.findById('ws-001'))!;
      workspaces.put({ ...first, provider: { ...first.provider, quantity: 3 } });
      const ports = casePortsOf(world);
      const row = await migrationOwner(ports, ports.prices).read(migrationId);
      const view = await caseViewOf(ports, 'migration', migrationId);
      const items = await world.store
        .collection(planMigrationItemsCollection)
        .find({ migrationId, status: 'reconciliation_required' }, { sort: { ordinal: 1, _id: 1 }, limit: 10 });
      const ofItems = await Promise.all(
        items.map(async ({ _id }) => (await migrationItemOwner(ports, ports.prices).read(_id)) as WorkItemFacts),
      );
      const sum = ofItems.reduce((total, { money }) => total + (money?.amountCents ?? 0), 0);
      expect([items[0]?.tenantId, items.length]).toEqual(['ws-001', lost]);
      expect(sum).toBe(4_900 * (lost + 2));
      expect([(row as WorkItemFacts).money, view.money]).toEqual([
        { amountCents: sum, currency: 'usd' },
        { amountCents: sum, currency: 'usd' },
      ]);
    },
  );

  it('is a row of the queue while it is open, weighed by the workspaces that are not known', async () => {
    const world = await migrated('lost_answer_before_effect');
    const ports = casePortsOf(world);
    const owner = migrationOwner(ports, ports.prices);
    expect(await owner.read(migrationId)).toMatchObject({
      kind: 'migration',
      state: 'stopped',
      title: 'migrate starter → pro',
      money: { amountCents: 4_900 },
    });
    const pages = await Promise.all(owner.segments.map((segment) => segment.page(undefined)));
    expect(pages.flatMap((page) => (isUnavailable(page) ? [] : page.facts.map(({ itemId }) => itemId)))).toEqual([
      migrationId,
    ]);
    const done = await createMigrationWorld(1);
    await bootMigrations(done, 1).submit();
    expect(await migrationOwner(casePortsOf(done), ports.prices).read(migrationId)).toBeNull();
  });
});
