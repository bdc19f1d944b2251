/**
 * For every action, the answer of each of its calls is lost in turn, and the operation is resolved both ways. The
 * outcome that the provider shows is recorded; the other one is refused and needs two people. After a restart the
 * service runs, the transition is gone, a repeat gets the stored outcome, and the mirror equals the provider.
 */
import { contractOf, operationActions } from '@platform/contracts-operator';
import { plansCollection } from '../../catalogue/store/plans';
import type { Subscription } from '../../mirror/domain/subscription';
import { refreshMirrors } from '../../mirror/workflows/refresh-mirrors';
import { bootEvents } from '../../provider-events/testing/event-world';
import { deliverSettlements } from '../../testing/operator-history';
import { createOperatorWorld, tenant, withPendingChange, type OperatorWorld } from '../../testing/operator-world';
import type { OperationRequest } from '../domain/operation';
import { actionsWithoutCalls, exampleRequest, situations } from '../testing/example-worlds';
import { finishClearing } from './finish-clearing';
import { operationInvestigation } from './resolve-operation';
import type { OutcomeProofs } from '@platform/durable/investigation';
import { runOperation } from './run-operation';

interface Case {
  readonly name?: string;
  readonly action: OperationRequest['action'];
  readonly values?: OperationRequest['values'];
  readonly workspace?: Partial<Subscription>;
  readonly before?: (world: OperatorWorld) => Promise<void>;
}

const freeWorkspace: Partial<Subscription> = { planId: 'free', provider: { customerId: 'cus_acme' } };
const page = { successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' };
/** Every action with its example in the situation that its definition names, and further cases for some of them. */
const cases: readonly Case[] = [
  ...operationActions.map((action) => ({
    action,
    values: exampleRequest(action).values,
    ...situations[contractOf(action).example.in],
  })),
  { name: 'cancel_subscription with a pending change', action: 'cancel_subscription', before: withPendingChange },
  {
    name: 'change_plan_later over another pending change',
    action: 'change_plan_later',
    values: { planId: 'legacy' },
    before: async (world) => {
      world.provider.seed({ priceIds: ['price_legacy'] });
      const plans = world.store.collection(plansCollection);
      const legacy = plans.all().find(({ _id }) => _id === 'legacy')!;
      await plans.mutate(legacy, { ...legacy, offered: true });
      await withPendingChange(world);
    },
  },
  {
    name: 'checkout by a workspace without a customer',
    action: 'checkout',
    values: { planId: 'pro', ...page },
    workspace: { planId: 'free', provider: {} },
  },
];

const requestOf = ({ action, values = {} }: Case): OperationRequest => ({
  operationId: 'op-resolved-0001',
  tenantId: tenant,
  action,
  values,
  actor: { id: 'owner', email: 'ann@example.com' },
});

async function open({ workspace, before }: Case): Promise<OperatorWorld> {
  const world = await createOperatorWorld(workspace);
  await before?.(world);
  return world;
}

async function run(world: OperatorWorld, request: OperationRequest): Promise<void> {
  const life = bootEvents(world, 1);
  await runOperation(life.ports, request);
  await life.sweepOutbox();
  await deliverSettlements(world, life);
}

/** The steps that this action sends, found by playing it once. */
async function stepsOf(each: Case): Promise<string[]> {
  const world = await open(each);
  const { operationId } = requestOf(each);
  await run(world, requestOf(each));
  return world.provider.sends().flatMap((send) => (send.operationId === operationId ? [send.step] : []));
}

const losses = ['lost_answer_after_effect', 'lost_answer_before_effect'] as const;

/** What the provider holds, in the words of the mirror. */
async function atProvider({ provider }: OperatorWorld, subscriptionId: string) {
  const read = await provider.retrieveSubscription(subscriptionId);
  if (read.outcome !== 'succeeded') throw new Error(`${subscriptionId} could not be read`);
  const { priceId, scheduleId, itemId, customerId, cancelAtPeriodEnd } = read.value;
  const schedules = await provider.listSchedules(customerId);
  const next =
    schedules.outcome === 'succeeded' ? schedules.value.find(({ id }) => id === scheduleId)?.phases[1] : undefined;
  return {
    planId: priceId.replace('price_', ''),
    scheduleId: scheduleId ?? undefined,
    itemId,
    cancels: cancelAtPeriodEnd,
    pending: next?.priceId.replace('price_', ''),
  };
}

function mirrored({ planId, provider, cancelsAt, pendingPlan }: Subscription) {
  const { scheduleId, itemId } = provider;
  return { planId, scheduleId, itemId, cancels: cancelsAt !== undefined, pending: pendingPlan?.planId };
}

const tenMinutes = 600_000;
const byTwo = { reason: 'agreed with the customer on the phone', approvedBy: 'second@example.com' };

/** An investigator who arrives when no request can be in transit any more. */
function planOf(world: OperatorWorld, { operationId }: OperationRequest, proof: Partial<OutcomeProofs>) {
  const { ports } = bootEvents(world, 9);
  const providerNow = async (sentAt: Date) => new Date(sentAt.getTime() + tenMinutes);
  return operationInvestigation.plan(
    { ...ports, providerNow },
    {
      id: operationId,
      outcome: 'applied',
      executorStopped: 'its host was shut down',
      providerObject: null,
      by: 'ops@example.com',
      ...proof,
    },
  );
}

async function resolveAndRestart(world: OperatorWorld, request: OperationRequest, proof: Partial<OutcomeProofs>) {
  const ports = {
    ...bootEvents(world, 9).ports,
    providerNow: async (sentAt: Date) => new Date(sentAt.getTime() + tenMinutes),
  };
  const planned = await planOf(world, request, proof);
  if (!planned.ok) throw new Error(planned.error);
  expect(await operationInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
  const restarted = bootEvents(world, 2);
  await finishClearing(restarted.ports);
  expect(world.subscription()?.transition?.operationId).not.toBe(request.operationId);
  await refreshMirrors(restarted.events);
  return runOperation(restarted.ports, request);
}

/** The outcome that the provider shows: an effect that only prepares the action leaves the action undone. */
function rightOutcome(
  action: OperationRequest['action'],
  steps: readonly string[],
  step: string,
  loss: (typeof losses)[number],
) {
  const madeWay = step === 'release_schedule' && action !== 'drop_pending_change';
  // The schedule that the step before has made is still there: it must be released first.
  if (step === 'schedule_price' && steps.includes('create_schedule') && loss === 'lost_answer_before_effect')
    return null;
  return loss === 'lost_answer_after_effect' && !madeWay ? 'applied' : 'not_applied';
}

async function expectTrueMirror(world: OperatorWorld): Promise<void> {
  const subscription = world.subscription()!;
  const { subscriptionId } = subscription.provider;
  if (subscriptionId === undefined || subscription.isComplimentary) return;
  expect(mirrored(subscription)).toEqual(await atProvider(world, subscriptionId));
}

describe('the resolution of every action', () => {
  it('is tried for each of them', () => {
    expect(operationActions.filter((action) => !cases.some((each) => each.action === action))).toEqual([]);
  });

  it.each(cases.map((each) => [each.name ?? each.action, each] as const))(
    '%s: whichever answer was lost, both outcomes can be recorded, and the service starts',
    async (_name, each) => {
      const request = requestOf(each);
      const steps = await stepsOf(each);
      // Actions that only read the provider, or do not ask it, have no answer to lose; the sweep covers their crashes.
      expect(steps.length > 0).toBe(!actionsWithoutCalls.has(each.action));
      for (const step of steps) {
        for (const loss of losses) {
          const world = await open(each);
          world.provider.failNext(loss, { step });
          await run(world, request);
          expect(world.operations().find(({ _id }) => _id === request.operationId)?.status).toBe(
            'reconciliation_required',
          );
          const sends = world.provider.sends().length;
          const made = world.provider
            .ledger()
            .find((effect) => effect.step === step && effect.operationId === request.operationId)?.objectId;
          const right = rightOutcome(request.action, steps, step, loss);
          for (const outcome of ['applied', 'not_applied'] as const) {
            const copy = await open(each);
            copy.provider.failNext(loss, { step });
            await run(copy, request);
            const proof = { outcome, providerObject: outcome === 'applied' ? (made ?? 'an_object') : null };
            const planned = await planOf(copy, request, proof);
            expect([step, loss, outcome, planned.ok ? 'believed' : planned.error.split(':')[0]]).toEqual([
              step,
              loss,
              outcome,
              outcome === right ? 'believed' : 'resolution_contradicted',
            ]);
            const answer = await resolveAndRestart(
              copy,
              request,
              outcome === right ? proof : { ...proof, override: byTwo },
            );
            expect(copy.operations().find(({ _id }) => _id === request.operationId)?.resolution).toEqual(
              outcome === right
                ? expect.not.objectContaining({ override: expect.anything() })
                : expect.objectContaining({
                    override: {
                      ...byTwo,
                      proposedBy: 'ops@example.com',
                      contradiction: expect.stringMatching(/^resolution_contradicted: /),
                    },
                  }),
            );
            expect([step, loss, outcome, answer]).toEqual([
              step,
              loss,
              outcome,
              outcome === 'applied'
                ? expect.objectContaining({ kind: 'succeeded' })
                : expect.objectContaining({
                    kind: 'refused',
                    refusal: expect.objectContaining({ code: 'resolved_not_applied' }),
                  }),
            ]);
            await expectTrueMirror(copy);
            expect(copy.provider.sends()).toHaveLength(sends);
          }
        }
      }
    },
  );

  it('of a checkout that was paid mirrors the subscription with its item and status, so that it can be upgraded', async () => {
    const each: Case = {
      action: 'checkout',
      values: { planId: 'starter', ...page },
      workspace: freeWorkspace,
    };
    const world = await open(each);
    const request = requestOf(each);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    await run(world, request);
    const session = world.provider.ledger().find(({ step }) => step === 'create_session')!.objectId;
    const { subscriptionId } = world.provider.completeCheckout(session, { status: 'trialing' });
    await resolveAndRestart(world, request, { providerObject: subscriptionId });
    expect(world.subscription()).toMatchObject({
      status: 'trialing',
      planId: 'starter',
      provider: { subscriptionId, itemId: expect.anything() },
    });
    expect(
      await runOperation(bootEvents(world, 3).ports, {
        ...request,
        operationId: 'op-upgrade-00001',
        action: 'upgrade_plan',
        values: { planId: 'pro' },
      }),
    ).toMatchObject({ kind: 'succeeded' });
  });

  it('of a checkout that was paid names the subscription: its page would leave the workspace without it', async () => {
    const each: Case = { action: 'checkout', values: { planId: 'starter', ...page }, workspace: freeWorkspace };
    const world = await open(each);
    const request = requestOf(each);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    await run(world, request);
    const session = world.provider.ledger().find(({ step }) => step === 'create_session')!.objectId;
    const { subscriptionId } = world.provider.completeCheckout(session);
    await expect(resolveAndRestart(world, request, { providerObject: session })).rejects.toThrow(
      `${session} is the page of the payment`,
    );
    expect(world.operations()).toMatchObject([{ status: 'reconciliation_required' }]);
    await resolveAndRestart(world, request, { providerObject: subscriptionId });
    expect(world.subscription()).toMatchObject({ planId: 'starter', provider: { subscriptionId } });
  });

  it('of a checkout that made a customer mirrors that customer with its subscription', async () => {
    const workspace = { planId: 'free', provider: {} };
    const each: Case = { action: 'checkout', values: { planId: 'starter', ...page }, workspace };
    const world = await open(each);
    const request = requestOf(each);
    world.provider.failNext('lost_answer_after_effect', { step: 'create_session' });
    await run(world, request);
    const session = world.provider.ledger().find(({ step }) => step === 'create_session')!.objectId;
    const { subscriptionId, customerId } = world.provider.completeCheckout(session);
    await resolveAndRestart(world, request, { providerObject: subscriptionId });
    expect(world.subscription()).toMatchObject({ planId: 'starter', provider: { subscriptionId, customerId } });
  });
});
