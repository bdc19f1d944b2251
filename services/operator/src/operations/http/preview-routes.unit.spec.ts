/** Previews through HTTP: they say what the action then does or answers, and change nothing. */
import {
  actionPath,
  contractOf,
  operationActions,
  operatorCodes,
  previewPath,
  type ActionPreview,
  type OperationAction,
} from '@platform/contracts-operator';
import { bootOperator, tenant, type OperatorWorld } from '../../testing/operator-world';
import { base, post, setStage } from '../../testing/stage';
import { createTestGateway } from '../../testing/test-gateway';
import { createSituation, exampleRequest, situations } from '../testing/example-worlds';

const roleOf = (action: OperationAction) =>
  contractOf(action).startedBy === 'platform_owner' ? ('platform_owner' as const) : ('user' as const);
const at = (path: string) => path.replace(':tenantId', tenant);

async function open(situation: keyof typeof situations) {
  const world = await createSituation(situation);
  return { world, gateway: createTestGateway(world, bootOperator(world, 1)) };
}

type Gateway = Awaited<ReturnType<typeof open>>['gateway'];

async function preview(gateway: Gateway, action: OperationAction, values = exampleRequest(action).values) {
  const answer = await gateway.request('POST', at(previewPath(action)), { role: roleOf(action), body: values });
  expect([action, answer.status]).toEqual([action, 200]);
  return answer.json<ActionPreview>();
}

const stored = (world: OperatorWorld) => ({
  operations: world.operations(),
  subscription: world.subscription(),
  sends: world.provider.sends().length,
  ledger: world.provider.ledger().length,
  published: world.published.length,
});

describe.each(operationActions)('the preview of %s', (action) => {
  it('says in the situation of the example what it will do, and does nothing', async () => {
    const { world, gateway } = await open(contractOf(action).example.in);
    const before = stored(world);
    const { previewDigest, consequences, refusal } = await preview(gateway, action);
    expect(refusal).toBeUndefined();
    expect(previewDigest).toMatch(/^[0-9a-f]{64}(\.\d+)?$/);
    expect(consequences.length).toBeGreaterThan(0);
    expect(consequences.join(' ')).not.toMatch(/undefined|null|NaN|not in the catalog|not known|\[object/);
    expect(stored(world)).toEqual(before);
  });

  it.each(Object.keys(situations) as (keyof typeof situations)[])(
    'names for a workspace that is %s the refusal that the action then gives',
    async (situation) => {
      const { world, gateway } = await open(situation);
      const { refusal } = await preview(gateway, action);
      const { operationId, values } = exampleRequest(action);
      const answer = await gateway.request(contractOf(action).method, at(actionPath(action)), {
        role: roleOf(action),
        body: { operationId, ...values },
        headers: { prefer: 'wait=0' },
      });
      const refused = answer.status >= 400;
      expect({ situation, ...(refused && { code: answer.json<{ code: string }>().code }) }).toEqual({
        situation,
        ...(refusal && { code: refusal.code }),
      });
      if (refused) expect(answer.json()).toMatchObject({ detail: refusal?.detail, nextStep: refusal?.nextStep });
      expect(world.operations().some(({ _id }) => _id === operationId)).toBe(true);
    },
  );
});

describe('a preview', () => {
  it('is judged by the rules of a first request before all else', async () => {
    const { gateway } = await open('unsubscribed');
    const credit = await preview(gateway, 'credit_customer', { amountCents: 1_000_001, reason: 'outage' });
    expect(credit.refusal).toMatchObject({
      code: 'credit_too_large',
      errors: [{ pointer: '/amountCents', message: 'must be at most 10,000.00 USD' }],
    });
    const grant = await preview(gateway, 'grant_free_access', { planId: 'nope', freeUntil: '2020-01-01T00:00:00Z' });
    expect(grant.refusal).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/freeUntil' }] });
  });

  it('names the operation that holds the subscription; a credit is not held by it', async () => {
    const stage = await setStage();
    await post(stage, 'suspend', { operationId: 'op-suspend-001' }, { prefer: 'wait=0' });
    expect((await preview(stage.gateway, 'upgrade_plan')).refusal).toEqual({
      code: 'transition_pending',
      detail: 'Operation op-suspend-001 (suspend) holds this subscription.',
      nextStep: operatorCodes.transition_pending.nextStep,
    });
    expect((await preview(stage.gateway, 'credit_customer')).refusal).toBeUndefined();
  });

  it('says of a workspace that is being deleted nothing but that, unless a deletion goes on', async () => {
    const stage = await setStage({ deletion: { startedAt: new Date('2026-01-01T00:00:00Z'), operationId: 'op-del' } });
    for (const action of operationActions)
      expect([action, (await preview(stage.gateway, action)).refusal?.code]).toEqual([
        action,
        action === 'delete_workspace' ? undefined : 'deletion_started',
      ]);
  });

  it('has the amounts of the catalog and of the provider, and writes them in the currency of the plan', async () => {
    const { gateway, world } = await open('subscribed');
    world.provider.seed({
      customers: [{ id: 'cus_acme', currency: 'usd', balance: -500 }],
      amounts: { price_starter: 1_900, price_pro: 4_900 },
    });
    const upgrade = await preview(gateway, 'upgrade_plan');
    expect(upgrade.amounts).toEqual({
      planNow: { amountCents: 1_900, currency: 'usd' },
      planThen: { amountCents: 4_900, currency: 'usd' },
      charge: {
        currency: 'usd',
        prorationCents: 3_000,
        taxCents: 0,
        totalCents: 3_000,
        fromBalanceCents: 500,
        dueCents: 2_500,
        nextInvoice: { amountCents: 4_900, currency: 'usd' },
      },
    });
    expect(upgrade.consequences.at(-1)).toBe(
      'The provider would invoice 30.00 USD now, take 5.00 USD from the balance and charge 25.00 USD.',
    );
    expect(upgrade.consequences[0]).toBe(
      'Changes the plan from starter (19.00 USD a month) to pro (49.00 USD a month) now.',
    );
    const credit = await preview(gateway, 'credit_customer', { amountCents: 1_250, reason: 'outage' });
    expect(credit.amounts).toMatchObject({ credit: { amountCents: 1_250, currency: 'usd' } });
    expect(credit.consequences[0]).toBe("Adds 12.50 USD to the customer's balance at the provider, once.");
  });

  it('has one digest as long as nothing changes, and another one afterwards', async () => {
    const stage = await setStage();
    const before = await preview(stage.gateway, 'upgrade_plan');
    expect((await preview(stage.gateway, 'upgrade_plan')).previewDigest).toBe(before.previewDigest);
    expect((await preview(stage.gateway, 'upgrade_plan', { planId: 'legacy' })).previewDigest).not.toBe(
      before.previewDigest,
    );
    const subscription = await stage.life.ports.subscriptions.findById(tenant);
    await stage.life.ports.subscriptions.mutate(subscription!, { ...subscription!, workspaceName: 'Acme Ltd' });
    expect((await preview(stage.gateway, 'upgrade_plan')).previewDigest).not.toBe(before.previewDigest);
  });

  it('is under the policy of its action, and refuses values that the action refuses', async () => {
    const stage = await setStage();
    const ask = (path: string, body: unknown, role: 'platform_owner' | 'user' | 'anonymous' = 'platform_owner') =>
      stage.gateway.request('POST', path, { body, role });
    expect((await ask(`${base}/suspend/preview`, {}, 'user')).status).toBe(403);
    expect((await ask(`${base}/suspend/preview`, {}, 'anonymous')).status).toBe(401);
    expect((await ask('/api/saas/workspaces/nowhere/suspend/preview', {})).status).toBe(404);
    expect((await ask(`${base}/upgrade/preview`, {})).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/planId' }],
    });
    expect((await ask(`${base}/suspend/preview`, { operationId: 'op-suspend-001' })).status).toBe(200);
  });
});
