/** What an investigation of one workspace is judged by: its job, its executor and what the provider shows of its call. */
import type { AskExecutors } from '@platform/durable/executors';
import { forged, losingWrites, overtakenWrites } from '@platform/durable/testing';
import { createLatch } from '@platform/testing';
import type { MigrationItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld, jobOf, request, type MigrationLife } from '../testing/migration-world';
import { handlesOfItem } from './item-findings';
import { itemBecomes } from './read-item-resolution';
import { closingInvestigation, itemInvestigation } from './resolve-migration';

type Ports = MigrationLife['ports'];
const proofs = { executorStopped: 'the process list of its host was read', by: 'ann@example.com' };
const applied = { id: 'mig-00000001:ws-001', outcome: 'applied', providerObject: 'sub_ws-001', ...proofs } as const;
const notApplied = { ...applied, outcome: 'not_applied', providerObject: null } as const;
const quarterHour = 900_000;

/** A job that has ended with an unknown outcome of its first workspace. */
async function stopped(
  kind: 'lost_answer_after_effect' | 'lost_answer_before_effect' = 'lost_answer_after_effect',
  differing: (honest: Ports) => Partial<Ports> = () => ({}),
) {
  const world = await createMigrationWorld(2);
  world.provider.failNext(kind);
  const { ports } = bootMigrations(world, 1);
  const { submit, sweepOutbox } = bootMigrations(world, 1, { ports: differing(ports) });
  await submit();
  await sweepOutbox();
  return { world, ports };
}

/** The item in another form, as an accident or an older build may have left it. */
async function rewritten({ ports, world }: Awaited<ReturnType<typeof stopped>>, change: object) {
  const item = world.items().find(({ _id }) => _id === applied.id)!;
  const next = Object.fromEntries(Object.entries({ ...item, ...change }).filter(([, value]) => value !== undefined));
  await ports.items.mutate(item, forged<MigrationItem>(next as never));
}

/** Executors that note who asks about what; their process answers that it does not do the work. */
function noting() {
  const asked: Parameters<AskExecutors>[0][number][] = [];
  const askExecutors: AskExecutors = async (questions) => {
    asked.push(...questions);
    return questions.map(() => ({ state: 'superseded' as const }));
  };
  return { asked, askExecutors };
}

describe('an item under way', () => {
  it('is not resolved while its job runs, and is when its job has stopped', async () => {
    const world = await createMigrationWorld(1);
    const { ports } = bootMigrations(world, 1);
    const latch = createLatch();
    const items = overtakenWrites(
      ports.items,
      (next) => next.status === 'succeeded',
      () => latch.wait(),
    );
    const running = bootMigrations(world, 1, { ports: { items } }).submit();
    await latch.reached();
    expect(await itemInvestigation.plan(ports, applied)).toMatchObject({
      ok: false,
      error: expect.stringContaining('Stop its process'),
    });
    latch.open();
    await running;
    const left = await stopped('lost_answer_after_effect', ({ items: honest }) => ({
      items: losingWrites(honest, (next) => next.status === 'reconciliation_required'),
    }));
    expect([left.world.items()[0]?.status, jobOf(left.world).status]).toEqual(['running', 'reconciliation_required']);
    expect(await itemInvestigation.plan(left.ports, applied)).toMatchObject({ ok: true });
  });

  it('that has stopped is resolved while its job runs, whose record its executor alone writes', async () => {
    const world = await createMigrationWorld(2);
    world.provider.failNext('lost_answer_after_effect');
    const { ports } = bootMigrations(world, 1);
    const latch = createLatch();
    const items = overtakenWrites(
      ports.items,
      (next) => next.status === 'succeeded',
      () => latch.wait(),
    );
    const running = bootMigrations(world, 1, { ports: { items } }).submit();
    await latch.reached();
    const before = jobOf(world);
    const planned = await itemInvestigation.plan(ports, applied);
    if (!planned.ok) throw new Error(planned.error);
    expect(await itemInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
    expect(jobOf(world)).toEqual(before);
    latch.open();
    await running;
    expect(jobOf(world)).toMatchObject({ status: 'completed', tally: { succeeded: 2 } });
  });

  it('is resolved also when its job is gone meanwhile', async () => {
    const { world, ports } = await stopped();
    const planned = await itemInvestigation.plan(ports, applied);
    if (!planned.ok) throw new Error(planned.error);
    const migrations = { ...ports.migrations, findById: async () => null };
    expect(await itemInvestigation.record({ ...ports, migrations }, planned.value)).toMatchObject({ ok: true });
    expect(world.items()[0]).toMatchObject({ status: 'succeeded' });
  });

  it('is unknown when its job is', async () => {
    const { ports } = await stopped();
    const migrations = { ...ports.migrations, findById: async () => null };
    expect(await itemInvestigation.plan({ ...ports, migrations }, applied)).toMatchObject({
      ok: false,
      error: expect.stringContaining('<migrationId>:<tenantId>'),
    });
  });
});

describe('the executor of an item or a job', () => {
  it('is asked about exactly that work', async () => {
    const { world, ports } = await stopped();
    const { asked, askExecutors } = noting();
    const [item] = world.items();
    const executor = { service: 'operator', instance: 'operator-1', incarnation: 'incarnation-1' };
    await itemInvestigation.plan({ ...ports, askExecutors } as Ports, applied);
    expect(asked).toEqual([{ key: 'plan_migration_items/mig-00000001:ws-001', executor, wroteAt: item?.updatedAt }]);
    await rewritten({ ports, world }, { status: 'failed' });
    asked.length = 0;
    await closingInvestigation.plan({ ...ports, askExecutors } as Ports, { id: request.migrationId, ...proofs });
    expect(asked).toEqual([{ key: 'plan_migrations/mig-00000001', executor, wroteAt: jobOf(world).updatedAt }]);
  });

  it('is not asked where a record names none', async () => {
    const left = await stopped();
    const { asked, askExecutors } = noting();
    await rewritten(left, { executor: undefined });
    expect(await itemInvestigation.plan({ ...left.ports, askExecutors } as Ports, applied)).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
  });
});

describe('the second proof of an item', () => {
  it('is the subscription at the price of the target, without another question to the provider', async () => {
    const { ports } = await stopped();
    const planned = await itemInvestigation.plan(ports, applied);
    expect(planned).toMatchObject({
      ok: true,
      value: { warnings: [], secondProof: { findings: [{ step: 'change_plan' }] } },
    });
    expect(planned.ok && planned.value.secondProof).not.toHaveProperty('named');
  });

  it('does not fit at another price', async () => {
    const { world, ports } = await stopped();
    const { outcome, ...seen } = (await world.provider.retrieveSubscription('sub_ws-001')) as {
      outcome: string;
      value: object;
    };
    expect(outcome).toBe('succeeded');
    world.provider.seed({
      subscriptions: [{ ...(seen.value as { id: string; customerId: string }), priceId: 'price_euro' }],
    });
    expect(await itemInvestigation.plan(ports, applied)).toMatchObject({
      ok: false,
      error: expect.stringContaining('has the price price_euro, and the migration is about price_pro'),
    });
  });

  it('names what another object is, where one is named that the provider does not show for it', async () => {
    const { ports } = await stopped();
    expect(await itemInvestigation.plan(ports, { ...applied, providerObject: 'sub_ws-002' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('belongs to the customer cus_ws-002'),
    });
  });

  it('says of an object without the effect that it exists and does not show it', async () => {
    const { ports } = await stopped('lost_answer_before_effect');
    expect(await itemInvestigation.plan(ports, applied)).toMatchObject({
      ok: false,
      error: expect.stringContaining('sub_ws-001 exists, and does not show this effect'),
    });
  });

  it('asks nothing about an object that is named for an outcome without one', async () => {
    const { world, ports } = await stopped('lost_answer_before_effect');
    world.clock.advance(quarterHour);
    const asked: string[] = [];
    const provider = Object.assign(Object.create(ports.provider) as Ports['provider'], {
      retrieveSubscription: (id: string) => (asked.push(id), ports.provider.retrieveSubscription(id)),
    });
    const planned = await itemInvestigation.plan(
      { ...ports, provider },
      { ...notApplied, providerObject: 'sub_ws-002' },
    );
    expect(planned).toMatchObject({ ok: true });
    expect(asked).toEqual(['sub_ws-001']);
  });

  it('cannot exist for an item without a recorded call', async () => {
    const left = await stopped('lost_answer_before_effect');
    left.world.clock.advance(quarterHour);
    await rewritten(left, { providerCalls: [] });
    expect(await itemInvestigation.plan(left.ports, { ...applied, providerObject: null })).toMatchObject({
      ok: false,
      error: expect.stringContaining('no call of this workspace is recorded'),
    });
    expect(await itemInvestigation.plan(left.ports, notApplied)).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringContaining('still the old one')] },
    });
  });

  it('is looked for with the customer of the workspace, where one is known', async () => {
    const world = await createMigrationWorld(2, { 2: { provider: {} } });
    const { ports } = bootMigrations(world, 1);
    expect(await handlesOfItem(ports, { tenantId: 'ws-001' })).toEqual({ customerId: 'cus_ws-001' });
    expect(await handlesOfItem(ports, { tenantId: 'ws-002' })).toStrictEqual({});
    expect(await handlesOfItem(ports, { tenantId: 'ws-gone' })).toStrictEqual({});
  });
});

describe('the consequence of a resolution', () => {
  it.each([
    ['applied', 'succeeded'],
    ['not_applied', 'failed'],
  ] as const)('of %s is said before it is confirmed', (outcome, status) => {
    expect(itemBecomes({ outcome })).toContain(`The item becomes ${status};`);
  });
});
