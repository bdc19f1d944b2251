/**
 * Each step of each action is refused once. The changes that the record reports are those in the provider's ledger, the
 * mirror shows what the provider holds, and a repeat with the same id continues from there.
 */
import { forged } from '@platform/durable/testing';
import { phasesFromNow } from '@platform/payment-provider/effects';
import { createLatch } from '@platform/testing';
import { mirrorRefreshesCollection } from '../../mirror/store/mirror-refreshes';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, tenant, type OperatorWorld } from '../../testing/operator-world';
import { actionsWithoutCalls, createSituation } from '../testing/example-worlds';
import { scenarios } from '../testing/swept-actions';
import type { OperationError, OperationRequest } from '../domain/operation';
import { finishClearing } from './finish-clearing';
import { runOperation } from './run-operation';

async function play(world: OperatorWorld, request: OperationRequest, incarnation: number): Promise<void> {
  const life = bootOperator(world, incarnation);
  await runOperation(life.ports, request);
  await life.sweepOutbox();
  await deliverSettlements(world, life);
}

const stepsOf = (world: OperatorWorld, { operationId }: OperationRequest) =>
  world.provider.ledger().flatMap((effect) => (effect.operationId === operationId ? [effect.step] : []));

/** Steps that had succeeded when they were written down again: whatever their second answer, they took effect. */
function askedTwice(world: OperatorWorld, { operationId }: OperationRequest): string[] {
  const done = new Set<string>();
  const calls = world
    .operations()
    .find(({ _id }) => _id === operationId)!
    .attempts.flatMap((each) => each.providerCalls);
  return calls.flatMap(({ step, skipped, outcome }) => {
    const again = skipped === undefined && done.has(step);
    if (outcome === 'succeeded') done.add(step);
    return again ? [step] : [];
  });
}

/** How the end of an operation contradicts the ledger. */
function contradictions(error: OperationError | undefined, done: readonly string[]): string[] {
  const changed = error?.changed ?? [];
  return [
    ...done.filter((step) => !changed.includes(step)).map((step) => `${step} took effect and is not named`),
    ...changed.filter((step) => !done.includes(step)).map((step) => `${step} is named and took no effect`),
    ...(error?.unchanged ?? []).filter((step) => done.includes(step)).map((step) => `${step} is said not to be done`),
    ...((error?.code === 'partial_effect') === done.length > 0 ? [] : [`the code is ${error?.code}`]),
  ];
}

async function expectMirrored(world: OperatorWorld): Promise<void> {
  const { provider, pendingPlan, cancelsAt } = world.subscription(tenant)!;
  if (!provider.subscriptionId) return;
  const read = await world.provider.retrieveSubscription(provider.subscriptionId);
  if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
  const { scheduleId, cancelAtPeriodEnd } = read.value;
  const schedule = scheduleId === null ? null : await world.provider.retrieveSchedule(scheduleId);
  const upcoming = schedule?.outcome === 'succeeded' ? phasesFromNow(schedule.value).upcoming : undefined;
  expect({
    scheduleId: provider.scheduleId ?? null,
    pending: pendingPlan?.at,
    ends: cancelsAt !== undefined,
  }).toEqual({ scheduleId, pending: upcoming?.startDate, ends: cancelAtPeriodEnd });
}

const sending = scenarios.filter(({ request: { action } }) => !actionsWithoutCalls.has(action));

describe.each(sending.map((each) => [each.name ?? each.request.action, each] as const))(
  'a step of %s that is refused',
  (_name, { request, in: situation }) => {
    it('leaves an answer, a mirror and a provider that agree, and a repeat that continues', async () => {
      const whole = await createSituation(situation);
      await play(whole, request, 1);
      const steps = stepsOf(whole, request);
      expect(steps.length).toBeGreaterThan(0);
      for (const [at, step] of steps.entries()) {
        const world = await createSituation(situation);
        world.provider.failNext('rate_limited', { step, operationId: request.operationId });
        await play(world, request, 1);
        const operation = world.operations().find(({ _id }) => _id === request.operationId)!;
        expect(operation.status).toBe('failed');
        expect(stepsOf(world, request)).toEqual(steps.slice(0, at));
        const error = 'error' in operation ? operation.error : undefined;
        expect(contradictions(error, steps.slice(0, at))).toEqual([]);
        expect(world.subscription()?.transition?.operationId).not.toBe(request.operationId);
        await expectMirrored(world);
        await play(world, request, 2);
        expect(world.operations().find(({ _id }) => _id === request.operationId)?.status).toBe('succeeded');
        expect(stepsOf(world, request)).toEqual(steps);
        expect(askedTwice(world, request)).toEqual([]);
      }
    });
  },
);

describe('a change of plan for later whose record does not have its schedule', () => {
  it('asks for the schedule again under its key, because its next step needs more than the id', async () => {
    const { request, in: situation } = sending.find(({ request: { action } }) => action === 'change_plan_later')!;
    const world = await createSituation(situation);
    world.provider.failNext('rate_limited', { step: 'schedule_price', operationId: request.operationId });
    await play(world, request, 1);
    const { operations } = bootOperator(world, 2).ports;
    const failed = (await operations.findById(request.operationId))!;
    const { scheduleId, runningPhase, ...checkpoint } = failed.checkpoint!;
    expect([scheduleId, runningPhase]).toEqual([expect.any(String), expect.any(String)]);
    await operations.mutate(failed, forged({ ...failed, checkpoint }));
    await play(world, request, 3);
    expect(await operations.findById(request.operationId)).toMatchObject({ status: 'succeeded' });
    expect(stepsOf(world, request)).toEqual(['create_schedule', 'schedule_price']);
    expect(askedTwice(world, request)).toEqual(['create_schedule']);
  });
});

describe('a partial effect whose process disappears after its journal', () => {
  it('is noted to be mirrored by the start that clears its transition', async () => {
    const { request, in: situation } = sending.find(({ request: { action } }) => action === 'change_plan_later')!;
    const world = await createSituation(situation);
    world.provider.failNext('rate_limited', { step: 'schedule_price', operationId: request.operationId });
    const { ports } = bootOperator(world, 1);
    const gone = createLatch();
    const failed = () =>
      world.operations().some(({ _id, status }) => _id === request.operationId && status === 'failed');
    const subscriptions: typeof ports.subscriptions = {
      ...ports.subscriptions,
      findById: async (id) => (failed() ? gone.wait().then(() => null) : ports.subscriptions.findById(id)),
    };
    void runOperation({ ...ports, subscriptions }, request);
    await gone.reached();
    expect(world.subscription()?.transition?.operationId).toBe(request.operationId);
    expect(await finishClearing(bootOperator(world, 2).ports)).toEqual({ standing: 1, cleared: 1 });
    expect(world.store.collection(mirrorRefreshesCollection).all()).toMatchObject([
      { _id: tenant, eventId: `operation:${request.operationId}`, reason: 'operation' },
    ]);
    gone.open();
  });
});

describe('a law-breaking build', () => {
  it.each<[string, OperationError, RegExp]>([
    [
      'says that nothing was changed',
      { code: 'provider_unavailable', message: '' },
      /release_schedule took effect and is not named/,
    ],
    [
      'names a step that was not done',
      { code: 'partial_effect', message: '', changed: ['release_schedule', 'cancel_at_period_end'], unchanged: [] },
      /cancel_at_period_end is named and took no effect/,
    ],
  ])('is noticed when it %s', (_what, error, seen) => {
    expect(contradictions(error, ['release_schedule']).join('; ')).toMatch(seen);
  });
});
