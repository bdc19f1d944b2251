/** Every code of the gateway's table, through HTTP, and the documented answers of the mutations. */
import { operatorCodes, type OperatorCode } from '@platform/contracts-operator';
import { refused } from '@platform/kernel';
import { fingerprintOf } from '../domain/operation';
import type { Subscription } from '../domain/subscription';
import {
  bootOperator,
  createOperatorWorld,
  deliverSettlements,
  withPendingChange,
  type OperatorLife,
  type OperatorWorld,
} from '../testing/operator-world';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';
import { planResolution, recordResolution } from '../workflows/resolve-operation';

interface Stage {
  readonly world: OperatorWorld;
  readonly life: OperatorLife;
  readonly gateway: TestGateway;
}

async function setStage(workspace: Partial<Subscription> = {}): Promise<Stage> {
  const world = await createOperatorWorld(workspace);
  const life = bootOperator(world, 1);
  return { world, life, gateway: createTestGateway(world, life) };
}

const base = '/api/saas/workspaces/acme';
const credit = { operationId: 'op-credit-0001', amountCents: 500, reason: 'outage' };
const post = ({ gateway }: Stage, segment: string, body: unknown, headers?: Record<string, string>) =>
  gateway.request('POST', `${base}/${segment}`, { body, ...(headers && { headers }) });
const at = new Date('2025-06-01T00:00:00.000Z');

/** How each code comes about. A code without a case fails the completeness test below. */
const cases: Record<OperatorCode, () => Promise<{ status: number; body: Record<string, unknown> }>> = {
  operation_id_reused: () =>
    answered({}, async (stage) => {
      await post(stage, 'balance-credit', credit);
      return post(stage, 'balance-credit', { ...credit, amountCents: 700 });
    }),
  operation_running: () =>
    answered({}, async (stage) => {
      const stored = await stage.life.ports.operations.insert({
        _id: credit.operationId,
        status: 'running',
        tenantId: 'acme',
        action: 'credit_customer',
        actor: { id: 'x' },
        values: { amountCents: 500, reason: 'outage' },
        fingerprint: fingerprintOf({
          tenantId: 'acme',
          action: 'credit_customer',
          values: { amountCents: 500, reason: 'outage' },
        }),
        attempts: [],
      });
      expect(stored.outcome).toBe('applied');
      return post(stage, 'balance-credit', credit);
    }),
  reconciliation_required: () =>
    answered({}, async (stage) => {
      stage.world.provider.failNext('lost_answer_after_effect');
      await post(stage, 'balance-credit', credit);
      return post(stage, 'balance-credit', credit);
    }),
  retry_window_expired: () =>
    answered({}, async (stage) => {
      stage.world.provider.failNext('rate_limited');
      await post(stage, 'balance-credit', credit);
      stage.world.clock.advance(23 * 3_600_000);
      return post(stage, 'balance-credit', credit);
    }),
  resolved_not_applied: () =>
    answered({}, async (stage) => {
      stage.world.provider.failNext('lost_answer_before_effect');
      await post(stage, 'balance-credit', credit);
      const ports = { ...stage.life.ports };
      const planned = await planResolution(ports, {
        operationId: credit.operationId,
        outcome: 'not_applied',
        executorStopped: 'the process list was read',
        providerObject: null,
        by: 'ops@example.com',
      });
      if (!planned.ok) throw new Error(planned.error);
      await recordResolution(ports, planned.value);
      return post(stage, 'balance-credit', credit);
    }),
  transition_pending: () =>
    answered({ transition: { operationId: 'op-other-00001', kind: 'cancel', requestedAt: at } }, (stage) =>
      post(stage, 'suspend', { operationId: 'op-suspend-001' }),
    ),
  deletion_started: () =>
    answered({ deletion: { startedAt: at, operationId: 'op-delete-0001' } }, (stage) =>
      post(stage, 'balance-credit', credit),
    ),
  already_suspended: () =>
    answered({ status: 'suspended' }, (stage) => post(stage, 'suspend', { operationId: 'op-suspend-001' })),
  not_suspended: () => answered({}, (stage) => post(stage, 'reactivate', { operationId: 'op-reactivate-1' })),
  plan_already_applied: () =>
    answered({}, (stage) => post(stage, 'upgrade', { operationId: 'op-upgrade-001', planId: 'starter' })),
  not_an_upgrade: () =>
    answered({ planId: 'pro' }, (stage) =>
      post(stage, 'upgrade', { operationId: 'op-upgrade-001', planId: 'starter' }),
    ),
  no_provider_customer: () => answered({ provider: {} }, (stage) => post(stage, 'balance-credit', credit)),
  no_provider_subscription: () =>
    answered({ provider: {} }, (stage) => post(stage, 'upgrade', { operationId: 'op-upgrade-001', planId: 'pro' })),
  plan_not_available: () =>
    answered({}, (stage) => post(stage, 'upgrade', { operationId: 'op-upgrade-001', planId: 'legacy' })),
  already_cancelled: () =>
    answered({ cancelsAt: at }, ({ gateway }) =>
      gateway.request('POST', `${base}/cancellation`, { role: 'user', body: { operationId: 'op-cancel-0001' } }),
    ),
  no_pending_change: () =>
    answered({}, ({ gateway }) =>
      gateway.request('DELETE', `${base}/plan/pending`, { role: 'user', body: { operationId: 'op-drop-000001' } }),
    ),
  dry_run_outdated: () =>
    answered({}, ({ gateway }) =>
      gateway.request('POST', '/api/saas/plans-deletion/starter/migrate-and-delete', {
        body: { migrationId: 'mig-00000001', targetPlanId: 'pro', digest: 'a'.repeat(64) },
      }),
    ),
  credit_too_large: () => answered({}, (stage) => post(stage, 'balance-credit', { ...credit, amountCents: 1_000_001 })),
  plan_changed: () =>
    answered({}, async ({ world, life }) => {
      // Another writer changes the plan between this request's read and its write.
      const { plans } = life.ports;
      const raced = {
        ...plans,
        name: plans.name,
        outbox: plans.outbox,
        find: plans.find,
        count: plans.count,
        insert: plans.insert,
        mutate: plans.mutate,
        findById: async (id: string) => {
          const read = await plans.findById(id);
          if (read) await plans.mutate(read, { ...read, name: 'renamed meanwhile' });
          return read;
        },
      };
      const gateway = createTestGateway(world, { ...life, ports: { ...life.ports, plans: raced } });
      return gateway.request('PUT', '/api/saas/plans/starter', {
        body: { name: 'Starter 2', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true },
      });
    }),
  checkout_in_progress: () =>
    answered({ transition: { operationId: 'op-other-00001', kind: 'checkout', requestedAt: at } }, (stage) =>
      post(stage, 'suspend', { operationId: 'op-suspend-001' }),
    ),
  provider_refused: () =>
    answered({}, (stage) => {
      stage.world.provider.failNext('invalid_request');
      return post(stage, 'balance-credit', credit);
    }),
  card_declined: () =>
    answered({}, (stage) => {
      stage.world.provider.failNext('card_declined');
      return post(stage, 'upgrade', { operationId: 'op-upgrade-001', planId: 'pro' });
    }),
  provider_unavailable: () =>
    answered({}, (stage) => {
      stage.world.provider.setDown(true);
      return post(stage, 'balance-credit', credit);
    }),
  outcome_unknown: () =>
    answered({}, (stage) => {
      stage.world.provider.failNext('timeout_after_effect');
      return post(stage, 'balance-credit', credit);
    }),
  capacity_exhausted: () => creationRefused('capacity_exhausted'),
  card_identity_unknown: () => creationRefused('card_identity_unknown'),
  payment_method_not_usable: () => creationRefused('payment_method_not_usable'),
  broker_unavailable: () => answered({}, ({ gateway }) => gateway.request('GET', '/api/saas/streams')),
  too_many_streams: () => answered({}, ({ gateway }) => gateway.request('GET', '/api/saas/live')),
  export_not_configured: () =>
    answered({}, ({ gateway }) => gateway.request('GET', '/api/saas/cases/operation/export?id=op-00000001')),
  peer_unavailable: () => answered({}, ({ gateway }) => gateway.request('GET', '/api/saas/lifecycle/consumers')),
};

/** A creation that provisioning refuses with this code. */
async function creationRefused(serverCode: string) {
  const { world, life } = await setStage();
  const provisioning = {
    request: async () => refused({ code: 'refused' as const, serverCode, message: `refused: ${serverCode}` }),
  };
  const body = {
    workspaceName: 'New',
    planId: 'free',
    paymentMethodId: 'pm_card_visa',
    billingProfile: { name: 'New Ltd', country: 'GB' },
  };
  const answer = await createTestGateway(world, life, provisioning).request('POST', '/api/saas/workspaces', {
    role: 'user',
    body,
  });
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

async function answered(
  workspace: Partial<Subscription>,
  play: (stage: Stage) => Promise<{ status: number; json<T>(): T }>,
) {
  const answer = await play(await setStage(workspace));
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

describe('every refusal of the gateway', () => {
  it.each(Object.keys(operatorCodes) as OperatorCode[])('%s comes with its status and title', async (code) => {
    const { status, body } = await cases[code]();
    expect(body).toMatchObject({
      code,
      status: operatorCodes[code].status,
      title: operatorCodes[code].title,
      type: expect.stringContaining(code),
    });
    expect(status).toBe(operatorCodes[code].status);
  });
});

describe('an answer of the gateway', () => {
  it('to an unfinished operation is 202 with its address, and then 200 from the record', async () => {
    const stage = await setStage();
    const started = await post(stage, 'suspend', { operationId: 'op-suspend-001' }, { prefer: 'wait=0' });
    expect(started.status).toBe(202);
    expect(started.headers['location']).toBe(`${base}/operations/op-suspend-001`);
    await deliverSettlements(stage.world, stage.life);
    expect((await post(stage, 'suspend', { operationId: 'op-suspend-001' })).status).toBe(200);
  });

  it('to an unknown outcome links to the evidence and lists both proofs', async () => {
    const { body } = await cases.outcome_unknown();
    expect(body).toMatchObject({
      operationId: credit.operationId,
      evidence: `${base}/operations/${credit.operationId}/evidence`,
      reconciliationRequirements: [{ proof: 'executor_quiescent' }, { proof: 'external_outcome_known' }],
    });
  });

  it('says when to come back where coming back helps', async () => {
    const stage = await setStage();
    stage.world.provider.setDown(true);
    expect((await post(stage, 'balance-credit', credit)).headers['retry-after']).toBe('5');
  });

  it('to a repeated grant is the stored one, also after its date has passed; a first one must lie in the future', async () => {
    const stage = await setStage();
    const grant = { operationId: 'op-grant-00001', planId: 'pro', freeUntil: '2026-01-01T01:00:00Z' };
    expect((await post(stage, 'grant-free-access', grant)).status).toBe(200);
    stage.world.clock.advance(7_200_000);
    expect((await post(stage, 'grant-free-access', grant)).status).toBe(200);
    expect((await post(stage, 'grant-free-access', { ...grant, operationId: 'op-grant-00002' })).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/freeUntil' }],
    });
  });

  it('while the store is away is 503 and changes nothing', async () => {
    const stage = await setStage();
    await post(stage, 'balance-credit', { ...credit, operationId: 'op-credit-0000' });
    stage.world.store.setAvailable(false);
    expect((await post(stage, 'balance-credit', credit)).json()).toMatchObject({ code: 'store_unavailable' });
    stage.world.store.setAvailable(true);
    expect(stage.world.operations()).toHaveLength(1);
    expect((await post(stage, 'balance-credit', credit)).status).toBe(200);
  });
});

describe('a workspace owner', () => {
  it('reads the operations that workspace owners started, and no others', async () => {
    const stage = await setStage();
    await withPendingChange(stage.world);
    await post(stage, 'balance-credit', credit);
    const read = (id: string) => stage.gateway.request('GET', `${base}/operations/${id}`, { role: 'user' });
    expect((await read('op-before-00001')).status).toBe(200);
    expect((await read(credit.operationId)).status).toBe(404);
    expect(
      (
        await stage.gateway.request('POST', `${base}/suspend`, {
          role: 'user',
          body: { operationId: 'op-suspend-001' },
        })
      ).status,
    ).toBe(403);
  });
});

describe('the plan catalog', () => {
  const plan = { name: 'Team', amountCents: 7_900, currency: 'usd', priceId: 'price_team', offered: true };
  it('takes a new plan, changes what may change, and refuses to change money', async () => {
    const { gateway } = await setStage();
    expect((await gateway.request('PUT', '/api/saas/plans/team', { body: plan })).status).toBe(201);
    expect(
      (await gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, offered: false } })).json(),
    ).toMatchObject({ planId: 'team', offered: false });
    expect(
      (await gateway.request('PUT', '/api/saas/plans/team', { body: { ...plan, amountCents: 8_900 } })).json(),
    ).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/amountCents' }] });
    expect(
      (await gateway.request('PUT', '/api/saas/plans/lost', { body: { ...plan, priceId: undefined } })).json(),
    ).toMatchObject({ errors: [{ pointer: '/priceId' }] });
    expect(
      (await gateway.request('GET', '/api/saas/plans'))
        .json<{ plans: { planId: string }[] }>()
        .plans.map(({ planId }) => planId),
    ).toEqual(['free', 'legacy', 'pro', 'starter', 'team']);
  });
});
