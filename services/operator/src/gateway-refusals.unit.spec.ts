/** Every code of the gateway's table, through HTTP: a code without a case fails. */
import { forged } from '@platform/durable/testing';
import type { FailedOperation, Operation, RunningOperation } from './operations/domain/operation';
import { operatorCodes, type OperatorCode } from '@platform/contracts-operator';
import { refused } from '@platform/kernel';
import { readingOnly } from './operations/http/reading-only';
import { fingerprintOf } from './operations/domain/operation';
import type { Subscription } from './mirror/domain/subscription';
import { bootOperator } from './testing/operator-world';
import { createTestGateway } from './testing/test-gateway';
import { roomRefusals } from './testing/room-refusals';
import { operationInvestigation } from './operations/workflows/resolve-operation';
import { base, credit, post, setStage, type Stage } from './testing/stage';
import { proposalOfCredit, propose } from './testing/proposals';

const at = new Date('2025-06-01T00:00:00.000Z');
const { operationId: _id, ...values } = credit;
const ofCredit = { tenantId: 'acme', action: 'credit_customer', values } as const;
const starterPlan = { name: 'S', amountCents: 1900, currency: 'usd', priceId: 'price_starter', offered: true };
const upgrade = { operationId: 'op-upgrade-001', planId: 'pro' };
/** How each code comes about. A code without a case fails the completeness test below. */
const cases: Record<OperatorCode, () => Promise<{ status: number; body: Record<string, unknown> }>> = {
  operation_id_reused: () =>
    answered({}, async (stage) => {
      await post(stage, 'balance-credit', credit);
      return post(stage, 'balance-credit', { ...credit, amountCents: 700 });
    }),
  operation_running: () => repeated({ status: 'running' }),
  reconciliation_required: () =>
    answered({}, async (stage) => {
      stage.world.provider.failNext('lost_answer_after_effect');
      await post(stage, 'balance-credit', credit);
      return post(stage, 'balance-credit', credit);
    }),
  workspace_closed: () =>
    answered({ status: 'cancelled' }, (stage) =>
      stage.gateway.request('PUT', '/api/saas/workspaces/acme/plan', {
        role: 'user',
        body: { operationId: 'op-closed-0001', planId: 'pro' },
      }),
    ),
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
      stage.world.clock.advance(10 * 60_000);
      // A sent request may take effect for ten minutes; before that it cannot be recorded as not applied.
      stage.world.clock.advance(11 * 60_000);
      const ports = { ...stage.life.ports };
      const planned = await operationInvestigation.plan(ports, {
        id: credit.operationId,
        outcome: 'not_applied',
        executorStopped: 'the process list was read',
        providerObject: null,
        by: 'ops@example.com',
        override: { reason: 'the answer was lost on purpose', approvedBy: 'second@example.com' },
      });
      if (!planned.ok) throw new Error(planned.error);
      await operationInvestigation.record(ports, planned.value);
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
  already_deleted: () =>
    answered({ deletion: { startedAt: at, operationId: 'op-delete-0001', completedAt: at } }, ({ gateway }) =>
      gateway.request('DELETE', base, {
        body: { operationId: 'op-delete-0002', reason: 'closed', confirm: 'acme' },
      }),
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
  no_free_access: () =>
    answered({ isComplimentary: true, freeUntil: at }, (stage) =>
      post(stage, 'end-free-access', { operationId: 'op-end-00001', freeUntil: '2027-01-01T00:00:00.000Z' }),
    ),
  subscription_ended: () =>
    answered({ status: 'cancelled' }, (stage) => post(stage, 'subscription-end', { operationId: 'op-end-00001' })),
  subscription_runs: () => answered({}, (stage) => post(stage, 'subscription-end', { operationId: 'op-end-00001' })),
  change_not_landed: () =>
    answered({}, async (stage) => {
      const body = { operationId: 'op-later-000001', planId: 'pro' };
      await stage.gateway.request('PUT', `${base}/plan`, { role: 'user', body });
      return post(stage, 'plan/landed', { operationId: 'op-landed-0001', planId: 'pro' });
    }),
  plan_not_available: () => answered({}, (stage) => post(stage, 'upgrade', { ...upgrade, planId: 'legacy' })),
  already_cancelled: () =>
    answered({}, async (stage) => {
      await post(stage, 'cancellation', { operationId: 'op-cancel-0001' });
      return post(stage, 'cancellation', { operationId: 'op-cancel-0002' });
    }),
  no_waiting_payment: () => answered({}, (stage) => post(stage, 'upgrade/give-up', { operationId: 'op-give-up-0001' })),
  no_open_checkout: () => answered({}, (stage) => post(stage, 'checkout/expire', { operationId: 'op-expire-0001' })),
  no_pending_change: () =>
    answered({}, ({ gateway }) =>
      gateway.request('DELETE', `${base}/plan/pending`, { role: 'user', body: { operationId: 'op-drop-000001' } }),
    ),
  change_already_landed: () =>
    answered({}, async ({ gateway, world }) => {
      const owner = (method: 'PUT' | 'DELETE', path: string, body: object) =>
        gateway.request(method, `${base}/${path}`, { role: 'user', body });
      await owner('PUT', 'plan', { operationId: 'op-later-000001', planId: 'pro' });
      world.provider.landScheduledChange(world.subscription()!.provider.scheduleId!);
      return owner('DELETE', 'plan/pending', { operationId: 'op-drop-000001' });
    }),
  workspace_suspended: () => answered({ status: 'suspended' }, (stage) => post(stage, 'upgrade', upgrade)),
  subscription_ending: () => answered({ cancelsAt: at }, (stage) => post(stage, 'upgrade', upgrade)),
  payment_overdue: () => answered({ status: 'past_due' }, (stage) => post(stage, 'upgrade', upgrade)),
  plan_change_pending: () =>
    answered({}, async (stage) => {
      const body = { operationId: 'op-later-000001', planId: 'pro' };
      await stage.gateway.request('PUT', `${base}/plan`, { role: 'user', body });
      return post(stage, 'upgrade', upgrade);
    }),
  preview_outdated: () =>
    answered({}, async (stage) => {
      const previewed = await post(stage, 'upgrade/preview', { planId: 'pro' });
      const { previewDigest } = previewed.json() as { readonly previewDigest: string };
      const { subscriptions } = stage.life.ports;
      const read = (await subscriptions.findById('acme'))!;
      await subscriptions.mutate(read, { ...read, workspaceName: 'Acme Ltd' });
      return post(stage, 'upgrade', { ...upgrade, previewDigest });
    }),
  partial_effect: () =>
    answered({}, async ({ gateway, world }) => {
      world.provider.failNext('rate_limited', { step: 'schedule_price' });
      return gateway.request('PUT', `${base}/plan`, {
        role: 'user',
        body: { operationId: 'op-later-000001', planId: 'pro' },
      });
    }),
  dry_run_outdated: () =>
    answered({}, ({ gateway }) =>
      gateway.request('POST', '/api/saas/plans-deletion/starter/migrate-and-delete', {
        body: { migrationId: 'mig-00000001', targetPlanId: 'pro', reason: 'no longer sold', digest: 'a'.repeat(64) },
      }),
    ),
  credit_too_large: () => answered({}, (stage) => post(stage, 'balance-credit', { ...credit, amountCents: 1_000_001 })),
  credit_limit_reached: async () => {
    const stage = await setStage();
    const life = bootOperator(stage.world, 2, { creditsPerDay: { support: 400 } });
    const gateway = createTestGateway(stage.world, life);
    const path = '/api/saas/workspaces/acme/balance-credit';
    const answer = await gateway.request('POST', path, { role: 'support', body: credit });
    return { status: answer.status, body: answer.json() };
  },
  precondition_failed: () =>
    answered({}, ({ gateway }) =>
      gateway.request('PUT', '/api/saas/plans/starter', { headers: { 'if-match': '"earlier"' }, body: starterPlan }),
    ),
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
      return gateway.request('PUT', '/api/saas/plans/starter', { body: starterPlan });
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
  authentication_required: () =>
    answered({}, (stage) => {
      stage.world.provider.failNext('authentication_required');
      return post(stage, 'suspend', { operationId: 'op-suspend-001' });
    }),
  confirmation_expired: () => creationRefused('confirmation_expired'),
  payment_failed: () => repeated({ status: 'failed', error: { code: 'payment_failed', message: 'refused' } }),
  trial_refused: () => repeated({ status: 'failed', error: { code: 'trial_refused', message: 'a second one' } }),
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
  ...roomRefusals,
  proposal_refused: () =>
    answered({}, ({ gateway }) => gateway.request('POST', '/api/saas/proposals', { body: proposalOfCredit })),
  proposal_outdated: () =>
    answered({}, async (stage) => {
      const { id } = await propose(stage);
      const path = `/api/saas/proposals/${id}/approval`;
      return stage.gateway.request('POST', path, { email: 'ben@example.com', body: { proposal: 'a'.repeat(64) } });
    }),
  second_person_required: () =>
    answered({}, async (stage) => {
      const { id, digest } = await propose(stage);
      return stage.gateway.request('POST', `/api/saas/proposals/${id}/approval`, { body: { proposal: digest } });
    }),
  served_elsewhere: async () => {
    const { world, life } = await setStage();
    const reading = createTestGateway(world, life, undefined, readingOnly);
    const answer = await reading.request('POST', `${base}/balance-credit`, { body: credit });
    expect(world.operations()).toEqual([]);
    return { status: answer.status, body: answer.json<Record<string, unknown>>() };
  },
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
  const gateway = createTestGateway(world, life, provisioning);
  const answer = await gateway.request('POST', '/api/saas/workspaces', { role: 'user', body });
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

/** A request whose operation exists already. */
const repeated = (standing: Pick<RunningOperation, 'status'> | Pick<FailedOperation, 'status' | 'error'>) =>
  answered({}, async (stage) => {
    const intent = { _id, ...ofCredit, actor: { id: 'x' }, fingerprint: fingerprintOf(ofCredit), attempts: [] };
    const stored = await stage.life.ports.operations.insert(
      forged<Operation>({ ...intent, ...standing } as unknown as RunningOperation),
    );
    expect(stored.outcome).toBe('applied');
    return post(stage, 'balance-credit', credit);
  });

async function answered(
  workspace: Partial<Subscription>,
  play: (stage: Stage) => Promise<{ status: number; json<T>(): T }>,
) {
  const answer = await play(await setStage(workspace));
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

describe('every refusal of the gateway', () => {
  it.each(Object.keys(operatorCodes) as OperatorCode[])('%s comes with its status and title', async (code) => {
    const { status: answered, body } = await cases[code]();
    const { status, title } = operatorCodes[code];
    expect(body).toMatchObject({ code, status, title, type: expect.stringContaining(code) });
    expect(answered).toBe(status);
  });
});
