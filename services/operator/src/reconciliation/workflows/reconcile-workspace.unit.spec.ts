/** A workspace is compared with what the provider shows now, and with every customer that it has had. */
import { withCustomer } from '../../mirror/domain/subscription';
import { refreshMirrors, requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import { exampleRequest } from '../../operations/testing/example-worlds';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { since } from '../domain/period';
import { dayMs, differencesOf, reconciliationPorts } from '../testing/reconciliation-world';
import { reconcileSince } from './reconcile-since';
import { compareWorkspace } from './reconcile-workspace';

const credit = exampleRequest('credit_customer');

/** A credit to the customer that a checkout replaced later on the same day. */
async function replaced(): Promise<OperatorWorld> {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  expect((await runOperation(ports, credit)).kind).toBe('succeeded');
  expect((await runOperation(ports, exampleRequest('upgrade_plan'))).kind).toBe('succeeded');
  world.provider.seed({
    customers: [{ id: 'cus_next', currency: 'usd' }],
    subscriptions: [{ id: 'sub_next', customerId: 'cus_next', itemId: 'si_next', priceId: 'price_pro' }],
  });
  const before = world.subscription()!;
  const provider = { ...withCustomer(before.provider, 'cus_next'), subscriptionId: 'sub_next', itemId: 'si_next' };
  await ports.subscriptions.mutate(before, { ...before, provider });
  return world;
}

const deleteFormer = ({ provider }: OperatorWorld) =>
  provider.prepare({ operationId: 'op-by-hand-0001' }, { step: 'delete_customer', customerId: 'cus_acme' }).send();

async function seenIn(world: OperatorWorld) {
  const ports = reconciliationPorts(world);
  const now = world.clock.now();
  const compared = await compareWorkspace(ports, tenant, since(new Date(now.getTime() - dayMs), now));
  return 'seen' in compared ? compared.seen.map(({ kind, objectId }) => [kind, objectId]) : compared;
}

/** The subscriptions whose pause of collection does not fit the record. */
async function collectionIn(world: OperatorWorld) {
  const seen = await seenIn(world);
  if (!Array.isArray(seen)) throw new Error(seen.reason);
  return seen.filter(([kind]) => kind === 'collection_differs').map(([, objectId]) => objectId);
}

describe('a workspace whose suspension the records do not hold as the provider does', () => {
  it('is one that pays nothing while it is open, as after a restore', async () => {
    const world = await createOperatorWorld();
    const pause = { step: 'pause_collection', subscriptionId: 'sub_acme' } as const;
    await world.provider.prepare({ operationId: 'op-lost-suspension' }, pause).send();
    expect(await collectionIn(world)).toEqual(['sub_acme']);
  });

  it('is one that will be charged while it is suspended, unless its subscription has ended', async () => {
    const world = await createOperatorWorld({ status: 'suspended' });
    expect(await collectionIn(world)).toEqual([]);
    const resume = { step: 'resume_collection', subscriptionId: 'sub_acme' } as const;
    await world.provider.prepare({ operationId: 'op-lost-reactivation' }, resume).send();
    expect(await collectionIn(world)).toEqual(['sub_acme']);
    await deleteFormer(world);
    expect(await collectionIn(world)).toEqual([]);
  });

  it('is not one whose operation is about to say so', async () => {
    const world = await createOperatorWorld();
    const pause = { step: 'pause_collection', subscriptionId: 'sub_acme' } as const;
    await world.provider.prepare({ operationId: 'op-held-000001' }, pause).send();
    const { subscriptions } = bootOperator(world, 1).ports;
    const read = world.subscription()!;
    const transition = { operationId: 'op-held-000001', kind: 'suspend', requestedAt: world.clock.now() } as const;
    await subscriptions.mutate(read, { ...read, transition });
    expect(await collectionIn(world)).toEqual([]);
  });
});

describe('a workspace whose subscription the provider does not know', () => {
  it('is a difference, also when the note to read its mirror was dropped for it', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const read = world.subscription()!;
    await ports.subscriptions.mutate(read, { ...read, provider: { ...read.provider, subscriptionId: 'sub_lost' } });
    await requestRefresh(ports, tenant, 'evt_1', 'provider_unavailable');
    expect(await refreshMirrors(ports)).toBe(0);
    expect(await seenIn(world)).toContainEqual(['object_missing', 'sub_lost']);
  });
});

describe('a workspace that was imported in the compared period', () => {
  it('is charged with nothing that moved before its record, unless that names an operation', async () => {
    const world = await createOperatorWorld();
    const recordedAt = world.subscription()!.createdAt;
    const at = (seconds: number) => new Date(recordedAt.getTime() + seconds * 1_000);
    const credit = { customerId: 'cus_acme', amount: -700 };
    world.provider.seed({
      transactions: [
        { ...credit, id: 'cbtxn_before', createdAt: at(-3_600) },
        { ...credit, id: 'cbtxn_around', createdAt: at(-60) },
        { ...credit, id: 'cbtxn_lost', createdAt: at(-3_600), metadata: { operationId: 'op-lost-0001' } },
      ],
    });
    const seen = await seenIn(world);
    expect(Array.isArray(seen) && seen.filter(([kind]) => kind !== 'mirror_differs')).toEqual([
      ['effect_without_entry', 'cbtxn_lost'],
      ['made_outside', 'cbtxn_around'],
    ]);
  });
});

describe('a workspace whose customer was replaced', () => {
  it('has the credit of the former customer in its journal, and the former subscription is one too many', async () => {
    const world = await replaced();
    expect(await seenIn(world)).toEqual([['subscription_unknown', 'sub_acme']]);
    await deleteFormer(world);
    expect(await seenIn(world)).toEqual([]);
  });

  it('is charged with what the former customer was given without an entry', async () => {
    const world = await replaced();
    await deleteFormer(world);
    world.provider.seed({ transactions: [{ id: 'cbtxn_by_hand', customerId: 'cus_acme', amount: -700 }] });
    expect(await seenIn(world)).toEqual([['made_outside', 'cbtxn_by_hand']]);
  });

  it('is compared also when the provider does not list a deleted customer any more', async () => {
    const world = await replaced();
    await deleteFormer(world);
    const { listBalanceTransactions, ...reads } = world.provider;
    const provider = {
      ...reads,
      listBalanceTransactions: (id: string) => listBalanceTransactions(id === 'cus_acme' ? 'cus_unknown' : id),
      listSubscriptions: (id: string) => world.provider.listSubscriptions(id === 'cus_acme' ? 'cus_unknown' : id),
    };
    const { ports } = bootOperator(world, 1);
    const next = { ...credit, operationId: 'op-credit-0002' };
    expect((await runOperation(ports, next)).kind).toBe('succeeded');
    const now = world.clock.now();
    const period = since(new Date(now.getTime() - dayMs), now);
    const listed = reconciliationPorts(world, { provider });
    expect(await compareWorkspace(listed, tenant, period)).toEqual({ kind: 'compared', seen: [] });
    const none = reconciliationPorts(world, {
      provider: {
        ...provider,
        listBalanceTransactions: (id) => listBalanceTransactions(id === 'cus_acme' ? 'cus_unknown' : 'cus_other'),
      },
    });
    world.provider.seed({ customers: [{ id: 'cus_other' }] });
    expect(await compareWorkspace(none, tenant, period)).toMatchObject({
      seen: [{ kind: 'entry_without_effect', operationId: next.operationId }],
    });
  });

  it('names its former customer, so that an event of it is none of a customer without a workspace', async () => {
    const world = await replaced();
    const backup = new Date(world.clock.now().getTime() - 60_000);
    await world.provider
      .prepare({ operationId: 'op-by-hand-0002' }, { step: 'cancel_at_period_end', subscriptionId: 'sub_acme' })
      .send();
    const options = { dryRun: false, progress: () => undefined };
    const report = await reconcileSince(reconciliationPorts(world), backup, options);
    expect(report.completed).toBe(true);
    expect(differencesOf(world).map(({ kind }) => kind)).not.toContain('customer_unknown');
  });
});
