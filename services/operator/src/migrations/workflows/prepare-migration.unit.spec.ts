/** The dry run: its refusals, its pages, what it asks the provider, and whom it names. */
import { migrationLimits } from '@platform/contracts-operator';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import { bootMigrations, createMigrationWorld, type MigrationLife } from '../testing/migration-world';
import { prepareMigration, type DryRun } from './prepare-migration';

type Ports = MigrationLife['ports'];
type Asked = Parameters<PaymentProvider['previewPriceChange']>[0];

/** A dry run, and what it asked the provider; `most` is how many questions were under way at a time. */
async function prepared(
  count: number,
  changes: Record<number, Partial<Subscription>> = {},
  page: Parameters<typeof prepareMigration>[3] = { limit: 50 },
  [from, to] = ['starter', 'pro'],
) {
  const world = await createMigrationWorld(count, changes);
  const { ports } = bootMigrations(world, 1);
  const asked: Asked[] = [];
  let [underWay, most] = [0, 0];
  const provider: Ports['provider'] = Object.assign(Object.create(ports.provider) as Ports['provider'], {
    previewPriceChange: async (question: Asked) => {
      asked.push(question);
      most = Math.max(most, (underWay += 1));
      return ports.provider.previewPriceChange(question).finally(() => (underWay -= 1));
    },
  });
  const answer = await prepareMigration({ ...ports, provider }, from!, to!, page);
  return { answer, asked, most };
}

function dryRunOf({ answer }: Awaited<ReturnType<typeof prepared>>): DryRun {
  if (answer.kind !== 'prepared') throw new Error(answer.kind);
  return answer.dryRun;
}

describe('a dry run', () => {
  it.each([
    ['nowhere', 'pro', { kind: 'no_such_plan' }],
    [
      'starter',
      'nowhere',
      { kind: 'refused', refusal: { code: 'plan_not_available', detail: expect.stringContaining('not offered') } },
    ],
    [
      'starter',
      'starter',
      { kind: 'refused', refusal: { code: 'plan_already_applied', detail: expect.stringContaining('same plan') } },
    ],
  ])('from %s to %s has its refusal', async (from, to, answer) => {
    expect((await prepared(1, {}, { limit: 1 }, [from, to])).answer).toEqual(answer);
  });

  it('asks for each workspace of its page, at most eight at a time, with the quantity that is paid', async () => {
    const provider = { customerId: 'cus_ws-002', subscriptionId: 'sub_ws-002', itemId: 'si_ws-002', quantity: 3 };
    const run = await prepared(20, { 2: { provider } }, { limit: 19 });
    expect(run.asked).toHaveLength(19);
    expect(run.asked.slice(0, 2)).toStrictEqual([
      { subscriptionId: 'sub_ws-001', itemId: 'si_ws-001', priceId: 'price_pro' },
      { subscriptionId: 'sub_ws-002', itemId: 'si_ws-002', priceId: 'price_pro', quantity: 3 },
    ]);
    expect(run.most).toBe(8);
    expect(dryRunOf(run).workspaces.map(({ subscription }) => subscription._id)).toHaveLength(19);
  });

  it('asks nothing for a workspace that needs a person, and nothing between free plans', async () => {
    const paid = await prepared(2, { 1: { status: 'past_due' } });
    expect(paid.asked.map(({ subscriptionId }) => subscriptionId)).toEqual(['sub_ws-002']);
    expect(dryRunOf(paid).workspaces).toMatchObject([{ reason: 'past_due', preview: null }, { reason: null }]);
    const free = await prepared(1, { 1: { planId: 'free', provider: {} } }, { limit: 5 }, ['free', 'hobby']);
    expect(free.asked).toEqual([]);
    expect(dryRunOf(free)).toMatchObject({ fromPlanId: 'free', workspaces: [{ reason: null, preview: null }] });
  });

  it.each([
    [2, 2, false],
    [3, 2, true],
  ])('of %d workspaces in pages of %d has a next page: %s', async (count, limit, more) => {
    const run = dryRunOf(await prepared(count, {}, { limit }));
    expect(run.workspaces).toHaveLength(limit);
    expect('nextCursor' in run).toBe(more);
  });

  it('names the first workspaces for each reason, and counts all of them', async () => {
    const count = migrationLimits.namedPerReason + 2;
    const changes = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [at + 1, { status: at === 0 ? 'suspended' : 'past_due' } as const]),
    );
    const { needPerson } = dryRunOf(await prepared(count, changes, { limit: 1 }));
    expect(needPerson.map(({ reason, count: counted, tenantIds }) => [reason, counted, tenantIds.length])).toEqual([
      ['suspended', 1, 1],
      ['past_due', count - 1, migrationLimits.namedPerReason],
    ]);
    expect(needPerson[1]?.tenantIds[0]).toBe('ws-002');
  });
});
