/** A workspace is compared with every customer that it has had: what a replaced one was given or charged stays there. */
import { withCustomer } from '../../mirror/domain/subscription';
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
  world.provider.seed({
    customers: [{ id: 'cus_next', currency: 'usd' }],
    subscriptions: [{ id: 'sub_next', customerId: 'cus_next', itemId: 'si_next' }],
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
