/** Which workspaces an import admits, what it records of them, and why it refuses the others. */
import type { ProviderSubscription } from '@platform/payment-provider';
import { withCustomer } from '../domain/subscription';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { subscriptionsCollection } from '../store/subscriptions';
import { judgeImport, writeImport, type ImportedWorkspace, type ImportPorts } from './import-workspaces';

const wanted: ImportedWorkspace = {
  tenantId: 'earlier',
  workspaceName: 'Earlier',
  planId: 'starter',
  customerId: 'cus_earlier',
  subscriptionId: 'sub_earlier',
};
const free: ImportedWorkspace = { tenantId: 'earlier', workspaceName: 'Earlier', planId: 'free' };
const periodEnd = new Date('2026-05-01T00:00:00.000Z');
const sold = { id: 'sub_earlier', customerId: 'cus_earlier', itemId: 'si_earlier', currentPeriodEnd: periodEnd };

async function open(subscription: Partial<ProviderSubscription> = {}) {
  const world = await createOperatorWorld();
  world.provider.seed({ subscriptions: [{ ...sold, priceId: 'price_starter', ...subscription }] });
  const ports: ImportPorts = bootOperator(world, 1).ports;
  return { world, ports };
}

/** The second reading of the subscription answers differently from the first one. */
function readAgain(
  { provider }: ImportPorts,
  second: ImportPorts['provider']['retrieveSubscription'],
): ImportPorts['provider'] {
  let reads = 0;
  return {
    ...provider,
    retrieveSubscription: (id) => ((reads += 1) === 1 ? provider.retrieveSubscription(id) : second(id)),
  };
}

describe('an import of a workspace', () => {
  it('records a paid plan as the provider has it', async () => {
    const { world, ports } = await open({ status: 'past_due', quantity: 3, cancelAtPeriodEnd: true });
    const at = world.clock.now();
    const judged = await judgeImport({ ...ports, clock: { now: () => at } }, wanted);
    expect(judged).toStrictEqual({
      kind: 'new',
      draft: {
        _id: 'earlier',
        workspaceName: 'Earlier',
        status: 'past_due',
        access: { state: 'open', since: at, operationId: null },
        accessRevision: 1,
        planId: 'starter',
        provider: { customerId: 'cus_earlier', subscriptionId: 'sub_earlier', itemId: 'si_earlier', quantity: 3 },
        isComplimentary: false,
        currentPeriodEnd: periodEnd,
        overdueSince: at,
        cancelsAt: periodEnd,
      },
    });
  });

  it.each<[string, Partial<ImportedWorkspace>, object]>([
    ['without a customer', {}, { provider: {} }],
    ['with its customer', { customerId: 'cus_earlier' }, { provider: { customerId: 'cus_earlier' } }],
    ['with its owner', { owner: { userId: 'ann' } }, { provider: {}, owner: { userId: 'ann' } }],
    [
      "with its owner's address",
      { owner: { userId: 'ann', email: 'ann@earlier.example' } },
      { provider: {}, owner: { userId: 'ann', email: 'ann@earlier.example' } },
    ],
  ])('records a free plan %s, and the provider is not read', async (_what, over, seen) => {
    const { world, ports } = await open();
    world.provider.setDown(true);
    const at = world.clock.now();
    const judged = await judgeImport({ ...ports, clock: { now: () => at } }, { ...free, ...over });
    expect(judged).toStrictEqual({
      kind: 'new',
      draft: {
        _id: 'earlier',
        workspaceName: 'Earlier',
        status: 'active',
        access: { state: 'open', since: at, operationId: null },
        accessRevision: 1,
        planId: 'free',
        isComplimentary: false,
        ...seen,
      },
    });
  });

  it('leaves a workspace that has a record', async () => {
    const { ports } = await open();
    expect(await judgeImport(ports, { ...wanted, tenantId: 'acme', planId: 'unknown' })).toEqual({ kind: 'exists' });
  });
});

describe('an import is refused', () => {
  it('whose subscription a workspace has that cannot be read', async () => {
    const { world, ports } = await open();
    const rows = world.store.collection(subscriptionsCollection);
    rows.put({ ...rows.all()[0]!, status: 'of a newer release' });
    expect(await judgeImport(ports, { ...wanted, customerId: 'cus_acme', subscriptionId: 'sub_acme' })).toEqual({
      kind: 'refused',
      why: 'subscriptionId sub_acme is that of a workspace whose record cannot be read',
    });
  });

  it.each<[string, Partial<ImportedWorkspace>, string]>([
    ['whose subscription', { customerId: 'cus_acme', subscriptionId: 'sub_acme' }, 'subscriptionId sub_acme'],
    ['whose customer', { customerId: 'cus_acme', planId: 'free', subscriptionId: undefined }, 'customerId cus_acme'],
  ])('%s another workspace has', async (_what, over, which) => {
    const { ports } = await open();
    const why = `${which} is that of workspace acme`;
    expect(await judgeImport(ports, { ...wanted, ...over })).toEqual({ kind: 'refused', why });
  });

  it('whose customer another workspace had, whose invoices its owner still sees', async () => {
    const { world, ports } = await open();
    const acme = world.subscription()!;
    const provider = withCustomer(acme.provider, 'cus_next');
    await ports.subscriptions.mutate(acme, { ...acme, provider });
    const over = { customerId: 'cus_acme', planId: 'free', subscriptionId: undefined };
    expect(await judgeImport(ports, { ...wanted, ...over })).toEqual({
      kind: 'refused',
      why: 'customerId cus_acme is that of workspace acme',
    });
  });

  it.each<[string, Partial<ImportedWorkspace>, Partial<ProviderSubscription>, string]>([
    ['whose plan is not in the catalog', { planId: 'unknown' }, {}, 'plan unknown is not in the catalog'],
    [
      'of a paid plan without a subscription',
      { subscriptionId: undefined },
      {},
      'plan starter is paid for, so customerId and subscriptionId are needed',
    ],
    [
      'of a paid plan without a customer',
      { customerId: undefined },
      {},
      'plan starter is paid for, so customerId and subscriptionId are needed',
    ],
    [
      'of a subscription that the provider does not have',
      { subscriptionId: 'sub_none' },
      {},
      'subscription sub_none: the payment provider has no such object',
    ],
    [
      'of a subscription of another customer',
      {},
      { customerId: 'cus_other' },
      'subscription sub_earlier is of customer cus_other',
    ],
    [
      'of a subscription that sells another plan',
      {},
      { priceId: 'price_pro' },
      'subscription sub_earlier sells price price_pro, plan starter has price_starter',
    ],
    [
      'of a subscription whose price no plan has',
      {},
      { priceId: 'price_own' },
      'subscription sub_earlier sells price price_own, plan starter has price_starter',
    ],
    [
      'of a free plan with a subscription, which sells something',
      { planId: 'free' },
      { priceId: 'price_own' },
      'subscription sub_earlier sells price price_own, plan free has none',
    ],
  ])('%s', async (_what, over, subscription, why) => {
    const { ports } = await open(subscription);
    expect(await judgeImport(ports, { ...wanted, ...over })).toEqual({ kind: 'refused', why });
  });

  it('while the provider does not answer', async () => {
    const { world, ports } = await open();
    world.provider.setDown(true);
    expect(await judgeImport(ports, wanted)).toEqual({
      kind: 'refused',
      why: 'the provider did not answer: the payment provider did not answer a read (refused)',
    });
  });

  it('when the subscription cannot be mirrored, with the reason', async () => {
    const { ports } = await open();
    const provider = readAgain(ports, async () => ({ outcome: 'unknown', reason: 'no answer' }));
    expect(await judgeImport({ ...ports, provider }, wanted)).toEqual({ kind: 'refused', why: 'no answer' });
  });

  it('when the subscription changes to another plan while it is judged', async () => {
    const { ports } = await open();
    const provider = readAgain(ports, async (id) => {
      const read = await ports.provider.retrieveSubscription(id);
      return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, priceId: 'price_pro' } } : read;
    });
    expect(await judgeImport({ ...ports, provider }, wanted)).toMatchObject({ kind: 'refused' });
  });
});

describe('the write of an import', () => {
  const drafted = async (ports: ImportPorts) => {
    const judged = await judgeImport(ports, free);
    if (judged.kind !== 'new') throw new Error(`not admitted: ${judged.kind}`);
    return judged.draft;
  };

  it('is new once, and does not change the record afterwards', async () => {
    const { world, ports } = await open();
    const draft = await drafted(ports);
    expect(await writeImport(ports, draft)).toBe(true);
    expect(await writeImport(ports, { ...draft, workspaceName: 'Renamed' })).toBe(false);
    expect(world.subscription('earlier')).toMatchObject({ ...draft, workspaceName: 'Earlier' });
  });

  it('names the workspace whose write has an unknown outcome', async () => {
    const { world, ports } = await open();
    const draft = await drafted(ports);
    world.store.loseNextWrite('before');
    await expect(writeImport(ports, draft)).rejects.toThrow('earlier: subscriptions: the store did not answer');
  });
});
