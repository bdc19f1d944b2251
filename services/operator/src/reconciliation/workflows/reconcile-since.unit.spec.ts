/**
 * After a restore: changes that the backup lacks become cases, mirrors are refreshed, and the provider is only read.
 */
import { unknown } from '@platform/kernel';
import type { PaymentProvider } from '@platform/payment-provider';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { exampleRequest } from '../../operations/testing/example-worlds';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../../testing/operator-world';
import { dayMs, differencesOf, reconciliationPorts, reconciliationsOf } from '../testing/reconciliation-world';
import { differencesCollection } from '../store/differences';
import { closeDifference } from './keep-differences';
import { lostEffectIn } from './lost-effect';
import { reconcileSince, type SincePorts } from './reconcile-since';

const credit = exampleRequest('credit_customer');
const upgrade = exampleRequest('upgrade_plan');

/**
 * The records of the morning meet the provider of the evening: a credit, an upgrade and a creation were lost with the
 * disk.
 */
async function restored(): Promise<{ readonly world: OperatorWorld; readonly backup: Date }> {
  const world = await createOperatorWorld();
  const backup = world.clock.now();
  world.clock.advance(1_000);
  const lost = await createOperatorWorld();
  const amounts = { price_starter: 1_900, price_pro: 4_900 };
  world.provider.seed({ amounts });
  const { ports } = bootOperator(lost, 1, { provider: world.provider });
  expect((await runOperation(ports, credit)).kind).toBe('succeeded');
  expect((await runOperation(ports, upgrade)).kind).toBe('succeeded');
  const customer = { step: 'create_customer', email: 'new@example.com', name: 'New' } as const;
  const made = await world.provider.prepare({ operationId: 'new-workspace' }, customer).send();
  expect(made.outcome).toBe('succeeded');
  world.clock.advance(3_600_000);
  return { world, backup };
}

/** A provider that allows reads only: it notes every attempted mutation. */
function readingOnly(world: OperatorWorld, touched: string[]): SincePorts {
  const provider: PaymentProvider = {
    ...world.provider,
    prepare: (_intent, effect) => {
      touched.push(effect.step);
      throw new Error('a reconciliation changes nothing at the provider');
    },
  };
  return reconciliationPorts(world, { provider });
}

const quiet = { dryRun: false, progress: () => undefined };
const kindsIn = (world: OperatorWorld) =>
  differencesOf(world)
    .map(({ kind, operationId }) => `${kind} ${operationId ?? ''}`)
    .sort();

describe('a reconciliation since the backup', () => {
  it('refreshes mirrors, opens a case for each lost intent, and calls nothing but reads', async () => {
    const { world, backup } = await restored();
    const touched: string[] = [];
    const told: number[] = [];
    const report = await reconcileSince(readingOnly(world, touched), backup, {
      dryRun: false,
      progress: (examined) => void told.push(examined),
    });
    expect(report).toMatchObject({ completed: true, examined: 1, mirrorsRefreshed: ['acme'], opened: 3 });
    expect(report.events['customer.subscription.updated']).toBe(1);
    expect(kindsIn(world)).toEqual([
      'customer_unknown new-workspace',
      `effect_without_entry ${credit.operationId}`,
      `effect_without_entry ${upgrade.operationId}`,
    ]);
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(touched).toEqual([]);
    expect(told).toEqual([1]);
  });

  it('finds also what the provider stamped before it, by a clock that is behind or in whole seconds', async () => {
    const { world, backup } = await restored();
    const later = new Date(backup.getTime() + 60_000);
    const report = await reconcileSince(reconciliationPorts(world), later, quiet);
    expect([report.completed, report.opened, report.from < backup]).toEqual([true, 3, true]);
  });

  it.each([
    ['behind that of the database', 3_600_000],
    ['ahead of it', -7_200_000],
  ])(
    'finds what the provider stamped by a clock that is hours %s, and names the difference',
    async (_how, behindMs) => {
      const { world, backup } = await restored();
      const ports = reconciliationPorts(world);
      const byDatabase = (instant: Date) => new Date(instant.getTime() + behindMs);
      const databaseNow = async () => byDatabase(await ports.databaseNow());
      const report = await reconcileSince({ ...ports, databaseNow }, byDatabase(backup), quiet);
      expect(report).toMatchObject({ completed: true, opened: 3, providerBehindMinutes: behindMs / 60_000 });
    },
  );

  it.each([false, true])(
    'is not complete while the record of a workspace cannot be read (dry run: %s)',
    async (dryRun) => {
      const { world, backup } = await restored();
      const rows = world.store.collection(subscriptionsCollection);
      const [acme] = rows.all();
      rows.put({ ...acme!, status: 'of a newer release' });
      const report = await reconcileSince(reconciliationPorts(world), backup, { ...quiet, dryRun });
      expect([report.completed, report.examined, report.reason]).toEqual([false, 0, expect.stringContaining('acme')]);
    },
  );

  it('lets no operation that it found begin once more, also after its case is closed', async () => {
    const { world, backup } = await restored();
    const effects = world.provider.ledger().length;
    await reconcileSince(reconciliationPorts(world), backup, quiet);
    const differences = world.store.collection(differencesCollection);
    const { ports } = bootOperator(world, 1);
    const operator = { ...ports, lostEffect: lostEffectIn(differences, world.clock) };
    const refused = { kind: 'not_acceptable', refusal: { code: 'reconciliation_required' } };
    expect(await runOperation(operator, credit)).toMatchObject(refused);
    const lost = differences.all().find(({ operationId }) => operationId === credit.operationId)!;
    await closeDifference({ ...ports, differences }, lost._id, { by: 'ann@example.com', reason: 'it was meant' });
    expect(await runOperation(operator, credit)).toMatchObject(refused);
    expect([world.operations(), world.provider.ledger().length]).toEqual([[], effects]);
    expect((await runOperation(operator, { ...credit, operationId: 'op-another-id' })).kind).toBe('succeeded');
  });

  it('adds nothing when it is run again', async () => {
    const { world, backup } = await restored();
    await reconcileSince(reconciliationPorts(world), backup, quiet);
    const again = await reconcileSince(reconciliationPorts(world), backup, quiet);
    expect(again).toMatchObject({ completed: true, mirrorsRefreshed: [], opened: 0 });
    expect(again.differences).toHaveLength(3);
    expect(differencesOf(world)).toHaveLength(3);
  });

  it('writes nothing as a dry run, and says the same', async () => {
    const { world, backup } = await restored();
    const before = world.subscription();
    const report = await reconcileSince(reconciliationPorts(world), backup, { ...quiet, dryRun: true });
    expect(report.differences.map(({ kind }) => kind).sort()).toEqual([
      'customer_unknown',
      'effect_without_entry',
      'effect_without_entry',
      'mirror_differs',
    ]);
    expect(report).toMatchObject({ completed: true, mirrorsRefreshed: ['acme'], opened: 0 });
    expect([differencesOf(world), reconciliationsOf(world)]).toEqual([[], []]);
    expect(world.subscription()).toEqual(before);
  });

  it('goes on where it was interrupted', async () => {
    const { world, backup } = await restored();
    const { subscriptions } = bootOperator(world, 1).ports;
    const second = world.subscription()!;
    for (let n = 0; n < 60; n += 1)
      await subscriptions.insert({ ...second, _id: `w${100 + n}`, provider: {}, workspaceName: `W ${n}` });
    const first: number[] = [];
    const stopped = await reconcileSince(reconciliationPorts(world), backup, {
      dryRun: false,
      progress: (examined) => void first.push(examined),
      stopping: () => first.length >= 55,
    });
    expect(stopped).toMatchObject({ completed: false, reason: 'it was stopped' });
    const rest: number[] = [];
    const report = await reconcileSince(reconciliationPorts(world), backup, {
      ...quiet,
      progress: (examined) => void rest.push(examined),
    });
    expect(report.completed).toBe(true);
    expect(rest).toEqual(Array.from({ length: 11 }, (_none, index) => 51 + index));
  });

  it('says that it is not complete when the provider does not answer', async () => {
    const { world, backup } = await restored();
    world.provider.setDown(true);
    const report = await reconcileSince(reconciliationPorts(world), backup, quiet);
    expect(report).toMatchObject({ completed: false, opened: 0 });
    expect(report.reason).toContain('did not answer');
  });

  it('compares every workspace also when the events are too many to be read, and is not complete', async () => {
    const { world, backup } = await restored();
    const listEvents = () => Promise.resolve(unknown('the list has more objects than are read'));
    const ports = reconciliationPorts(world, { provider: { ...world.provider, listEvents } });
    const report = await reconcileSince(ports, backup, quiet);
    expect(report).toMatchObject({ completed: false, examined: 1, opened: 2 });
    expect(report.reason).toContain('more objects than are read');
    expect(kindsIn(world)).toEqual([
      `effect_without_entry ${credit.operationId}`,
      `effect_without_entry ${upgrade.operationId}`,
    ]);
  });

  it('keeps the customers that it had found when the provider stops to answer for another one', async () => {
    const { world, backup } = await restored();
    const again = { step: 'create_customer', email: 'bob@example.com', name: 'Bob' } as const;
    world.clock.advance(1_000);
    await world.provider.prepare({ operationId: 'lost-workspace-2' }, again).send();
    let asked = 0;
    const retrieveCustomer: PaymentProvider['retrieveCustomer'] = (id) =>
      (asked += 1) === 1 ? world.provider.retrieveCustomer(id) : Promise.resolve(unknown('the provider is silent'));
    const ports = reconciliationPorts(world, { provider: { ...world.provider, retrieveCustomer } });
    const report = await reconcileSince(ports, backup, quiet);
    expect(report).toMatchObject({ completed: false, reason: 'the provider is silent' });
    expect(kindsIn(world)).toContain('customer_unknown lost-workspace-2');
  });

  it('leaves a mirror that an operation holds to that operation', async () => {
    const { world, backup } = await restored();
    const { subscriptions } = bootOperator(world, 1).ports;
    const read = world.subscription()!;
    const transition = { operationId: 'op-held-000001', kind: 'change_plan' as const, requestedAt: world.clock.now() };
    await subscriptions.mutate(read, { ...read, transition });
    const report = await reconcileSince(reconciliationPorts(world), backup, quiet);
    expect(report).toMatchObject({ completed: true, mirrorsRefreshed: [], mirrorsHeld: ['acme'] });
    expect(world.subscription()).toMatchObject({ planId: 'starter', transition });
  });

  it('compares the time since the backup and nothing before it', async () => {
    const { world } = await restored();
    world.clock.advance(dayMs);
    const report = await reconcileSince(reconciliationPorts(world), world.clock.now(), quiet);
    expect(report.differences).toEqual([]);
  });
});
