/**
 * A credit above the limit of its person, through HTTP: one person proposes it, a second one approves it, and exactly
 * that credit passes, once. No other request, approval, or change made without the gateway passes.
 */
import type { CreditProposalView } from '@platform/contracts-operator';
import { signingKeyOf } from '@platform/kernel';
import { plansCollection } from '../../catalogue/store/plans';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import {
  bootOperator,
  createOperatorWorld,
  signingSecret,
  tenant,
  type OperatorWorld,
} from '../../testing/operator-world';
import { createTestGateway, type TestGateway } from '../../testing/test-gateway';
import { creditProposalsCollection } from '../store/credit-proposals';
import { approveCredit } from '../workflows/propose-credit';

const limit = 1_000;
const wanted = { operationId: 'op-large-credit-1', amountCents: 4_000, reason: 'an outage of two days' };
const [sue, ann, ben] = ['sue@example.com', 'ann@example.com', 'ben@example.com'];
const base = `/api/saas/workspaces/${tenant}`;

interface Stage {
  readonly world: OperatorWorld;
  readonly gateway: TestGateway;
}

async function stage(): Promise<Stage> {
  const world = await createOperatorWorld();
  return { world, gateway: createTestGateway(world, bootOperator(world, 1, { creditsPerDay: { support: limit } })) };
}

async function propose({ gateway }: Stage, body: object = wanted, email = sue) {
  const answer = await gateway.request('POST', `${base}/credit-proposals`, { role: 'support', email, body });
  return { status: answer.status, view: answer.json<CreditProposalView & { readonly code?: string }>() };
}

async function approve({ gateway }: Stage, { digest }: CreditProposalView, email = ann, role = 'approver') {
  const path = `/api/saas/credit-proposals/${wanted.operationId}/approval`;
  const answer = await gateway.request('POST', path, { role: role as 'approver', email, body: { proposal: digest } });
  return { status: answer.status, view: answer.json<CreditProposalView & { readonly code?: string }>() };
}

async function give({ gateway }: Stage, body: object = wanted, email = sue) {
  const answer = await gateway.request('POST', `${base}/balance-credit`, { role: 'support', email, body });
  return {
    status: answer.status,
    body: answer.json<{ code?: string; approval?: object; errors?: { message: string }[] }>(),
  };
}

const credited = ({ world }: Stage): number => world.provider.ledger().reduce((sum, { amount = 0 }) => sum - amount, 0);

describe('a credit above the limit of its person', () => {
  it.each(['Sue@Example.com', 'sue+approver@example.com'])('is not approved by %s, who proposed it', async (email) => {
    const on = await stage();
    const { view } = await propose(on);
    expect(await approve(on, view, email)).toMatchObject({ status: 403, view: { code: 'second_person_required' } });
    expect((await give(on)).body.code).toBe('credit_limit_reached');
  });

  it.each([
    ['an id that is the platform\u2019s own', { ...wanted, operationId: 'time-large-credit-1' }, '/operationId'],
    ['a reason that turns the text around it', { ...wanted, reason: 'refund \u202e00.004' }, '/reason'],
  ])('is not proposed with %s', async (_what, body, pointer) => {
    const { status, view } = await propose(await stage(), body);
    expect(status).toBe(400);
    expect((view as unknown as { errors: { pointer: string }[] }).errors[0]?.pointer).toBe(pointer);
  });

  it('is refused with the way to a second person, and passes once when that person has approved it', async () => {
    const on = await stage();
    const refused = await give(on);
    expect(refused).toMatchObject({ status: 409, body: { code: 'credit_limit_reached' } });
    expect(refused.body.errors?.[0]?.message).toContain('propose it with this operation id for a second person');
    const { status, view } = await propose(on);
    expect([status, view.status]).toEqual([201, 'proposed']);
    expect((await give(on)).body.code).toBe('credit_limit_reached');
    expect(await approve(on, view)).toMatchObject({ status: 200, view: { status: 'approved' } });
    expect(credited(on)).toBe(0);
    const given = await give(on);
    expect(given).toMatchObject({
      status: 200,
      body: { approval: { proposal: view.digest, proposedBy: { email: sue }, approvedBy: { email: ann } } },
    });
    expect((await give(on)).status).toBe(200);
    expect(credited(on)).toBe(wanted.amountCents);
    // The small credit and the proposed one did not use up the person's own limit.
    expect((await give(on, { operationId: 'op-small-credit-1', amountCents: limit, reason: 'small' })).status).toBe(
      200,
    );
    const listed = await on.gateway.request('GET', `${base}/credit-proposals`, { role: 'viewer' });
    expect(listed.json()).toMatchObject({
      proposals: [{ status: 'approved', statement: { operationId: wanted.operationId } }],
    });
  });

  it('is not approved by the person who proposed it, whatever the role, nor by a role that may not', async () => {
    const on = await stage();
    const { view } = await propose(on);
    expect(await approve(on, view, sue)).toMatchObject({ status: 403, view: { code: 'second_person_required' } });
    expect((await approve(on, view, ben, 'support')).status).toBe(403);
    expect((await approve(on, { ...view, digest: 'a'.repeat(64) })).view.code).toBe('proposal_outdated');
    expect((await give(on)).body.code).toBe('credit_limit_reached');
  });

  it.each([
    ['another amount', { amountCents: 4_001 }],
    ['another reason', { reason: 'another reason' }],
    ['another id', { operationId: 'op-large-credit-2' }],
  ])('does not pass with %s than was approved', async (_what, change) => {
    const on = await stage();
    await approve(on, (await propose(on)).view);
    expect((await give(on, { ...wanted, ...change })).body.code).toBe('credit_limit_reached');
    expect(credited(on)).toBe(0);
  });

  it('does not pass in another currency than was approved, where the plan has changed since', async () => {
    const on = await stage();
    const { view } = await propose(on);
    await approve(on, view);
    const { store } = on.world;
    const euro = { _id: 'euro', name: 'Euro', amountCents: 0, currency: 'eur', offered: true };
    await store.collection(plansCollection).insert(euro);
    const subscriptions = store.collection(subscriptionsCollection);
    const read = (await subscriptions.findById(tenant))!;
    await subscriptions.mutate(read, { ...read, planId: euro._id });
    expect(view.statement.currency).toBe('usd');
    expect((await give(on)).body.code).toBe('credit_limit_reached');
    expect(credited(on)).toBe(0);
  });

  it('does not pass in another currency at a repeat, where its first attempt found no customer', async () => {
    const on = await stage();
    await approve(on, (await propose(on)).view);
    const { store } = on.world;
    await store
      .collection(plansCollection)
      .insert({ _id: 'dinar', name: 'Dinar', amountCents: 0, currency: 'kwd', offered: true });
    const subscriptions = store.collection(subscriptionsCollection);
    const read = (await subscriptions.findById(tenant))!;
    const { customerId: _none, ...provider } = read.provider;
    await subscriptions.mutate(read, { ...read, provider });
    expect((await give(on)).body.code).toBe('no_provider_customer');
    const later = (await subscriptions.findById(tenant))!;
    await subscriptions.mutate(later, { ...later, provider: read.provider, planId: 'dinar' });
    expect((await give(on)).body.code).toBe('credit_limit_reached');
    expect(credited(on)).toBe(0);
    const back = (await subscriptions.findById(tenant))!;
    await subscriptions.mutate(back, { ...back, planId: read.planId });
    expect((await give(on)).status).toBe(200);
    expect(credited(on)).toBe(wanted.amountCents);
  });

  it('may not be approved or given when the proposal has expired', async () => {
    const on = await stage();
    const { view } = await propose(on);
    on.world.clock.advance(25 * 3_600_000);
    expect((await approve(on, view)).view.code).toBe('proposal_outdated');
    expect((await propose(on)).view.code).toBe('operation_id_reused');
  });

  it('may not be above what the platform allows at all, and does not take the id of another operation', async () => {
    const on = await stage();
    expect((await propose(on, { ...wanted, amountCents: 1_000_001 })).view.code).toBe('credit_too_large');
    await give(on, { operationId: wanted.operationId, amountCents: 5, reason: 'small' });
    expect((await propose(on)).view.code).toBe('operation_id_reused');
  });

  it('is approved by one of two people at once', async () => {
    const on = await stage();
    const { view } = await propose(on);
    const { world } = on;
    const { ports } = bootOperator(world, 2);
    const creditProposals = world.store.collection(creditProposalsCollection);
    const key = signingKeyOf(signingSecret);
    const approving = (email: string) =>
      approveCredit({ ...ports, creditProposals, key }, wanted.operationId, { id: email, email }, view.digest);
    const answers = await Promise.all([approving(ann), approving(ben)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers).toContainEqual({ ok: false, error: 'proposal_outdated' });
  });

  it('is listed with all others of its workspace, newest first and a page at a time', async () => {
    const on = await stage();
    const made = Array.from({ length: 21 }, (_, at) => `op-large-credit-${100 + at}`);
    for (const operationId of made) expect((await propose(on, { ...wanted, operationId })).status).toBe(201);
    const page = async (query = '') => {
      const answer = await on.gateway.request('GET', `${base}/credit-proposals${query}`, { role: 'viewer' });
      return answer.json<{ readonly proposals: readonly CreditProposalView[]; readonly nextCursor?: string }>();
    };
    const first = await page('?limit=20');
    const rest = await page(`?limit=20&cursor=${first.nextCursor}`);
    const listed = [...first.proposals, ...rest.proposals].map(({ statement }) => statement.operationId);
    const oldest = (await page('?order=oldest&limit=1')).proposals.map(({ statement }) => statement.operationId);
    expect([oldest, listed, first.proposals.length]).toEqual([[made[0]], made.reverse(), 20]);
    expect(rest).not.toHaveProperty('nextCursor');
    const refused = await on.gateway.request('GET', `${base}/credit-proposals?cursor=x`, { role: 'viewer' });
    expect(refused.status).toBe(400);
  });

  it('does not pass by a record that was changed beside the gateway', async () => {
    const on = await stage();
    await approve(on, (await propose(on)).view);
    const proposals = on.world.store.collection(creditProposalsCollection);
    const stored = (await proposals.findById(wanted.operationId))!;
    const larger = { ...stored, statement: { ...stored.statement, amountCents: 9_000 } };
    await proposals.mutate(stored, larger as never);
    expect((await give(on, { ...wanted, amountCents: 9_000 })).body.code).toBe('credit_limit_reached');
    expect(credited(on)).toBe(0);
  });
});
