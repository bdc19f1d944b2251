/**
 * The case of a resolved operation, after another operation made the same change under another id. The other
 * operation's effect contradicts no resolution, for any action, neither on the page nor in the watch. An effect that
 * names the resolved operation itself does.
 */
import { contractOf, operationActions, type OperationAction } from '@platform/contracts-operator';
import { silentLog } from '@platform/kernel';
import { contradictionsCollection } from '../../contradictions/store/contradictions';
import { createResolutionWatch } from '../../contradictions/workflows/watch-resolutions';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { actionsWithoutCalls, createSituation, exampleRequest } from '../../operations/testing/example-worlds';
import type { OperationRequest } from '../../operations/domain/operation';
import { evidenceView } from '../../operations/http/evidence-view';
import { collectEvidence } from '../../operations/workflows/collect-evidence';
import { operationInvestigation } from '../../operations/workflows/resolve-operation';
import { runOperation } from '../../operations/workflows/run-operation';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, type OperatorWorld } from '../../testing/operator-world';
import { caseOfOperation } from '../domain/operation-case';

const actions = operationActions.filter((action) => !actionsWithoutCalls.has(action));

async function run(world: OperatorWorld, request: OperationRequest): Promise<void> {
  const life = bootOperator(world, 1);
  await runOperation(life.ports, request);
  await life.sweepOutbox();
  await deliverSettlements(world, life);
}

/**
 * Its last answer was lost before the call took effect. A person found no effect at a time when no request could arrive
 * any more.
 */
async function resolved(action: OperationAction): Promise<OperatorWorld> {
  const probe = await createSituation(contractOf(action).example.in);
  const request = exampleRequest(action);
  await run(probe, request);
  const [first] = probe.provider.sends().filter(({ operationId }) => operationId === request.operationId);
  const world = await createSituation(contractOf(action).example.in);
  world.provider.failNext('lost_answer_before_effect', { step: first!.step });
  await run(world, request);
  world.clock.advance(600_000);
  const { ports } = bootOperator(world, 2);
  const planned = await operationInvestigation.plan(ports, {
    id: request.operationId,
    outcome: 'not_applied',
    executorStopped: 'its host was shut down',
    providerObject: null,
    by: 'ann@example.com',
  });
  if (!planned.ok) throw new Error(planned.error);
  const recorded = await operationInvestigation.record(ports, planned.value);
  if (!recorded.ok) throw new Error(recorded.error);
  return world;
}

async function pageOf(world: OperatorWorld, { tenantId, operationId }: OperationRequest) {
  const { ports } = bootOperator(world, 3);
  const file = await collectEvidence(
    {
      ...ports,
      askExecutors: async (questions) => questions.map(() => ({ state: 'stopped' })),
      messaging: { request: async () => ({ ok: false, error: { code: 'no_responders', message: 'no responders' } }) },
    },
    tenantId,
    operationId,
  );
  return caseOfOperation(evidenceView(file!), null);
}

function watched(world: OperatorWorld): Promise<number> {
  return createResolutionWatch({
    ...bootOperator(world, 4).ports,
    items: world.store.collection(planMigrationItemsCollection),
    contradictions: world.store.collection(contradictionsCollection),
    messaging: { request: async () => ({ ok: true, value: { contradicted: [] } }) },
    publishNow: () => undefined,
    service: 'operator',
    log: silentLog,
  })();
}

describe('an operation that was resolved as not applied', () => {
  it.each(actions)('is not contradicted by %s that is done again under another id', async (action) => {
    const world = await resolved(action);
    const request = exampleRequest(action);
    await run(world, { ...request, operationId: 'op-done-again-001' });
    expect(world.operations().find(({ _id }) => _id === 'op-done-again-001')?.status).not.toBe('failed');
    const page = await pageOf(world, request);
    expect([page.verdict.money, await watched(world)]).toEqual([
      expect.objectContaining({ answer: 'did_not_move' }),
      0,
    ]);
  });

  it('is contradicted by an object that names it, on the page and to the watch', async () => {
    const world = await resolved('credit_customer');
    const request = exampleRequest('credit_customer');
    const { values } = request;
    await world.provider
      .prepare(
        { operationId: request.operationId },
        {
          step: 'balance_credit',
          customerId: 'cus_acme',
          amountCents: Number(values['amountCents']),
          currency: 'usd',
          description: 'late',
        },
      )
      .send();
    const page = await pageOf(world, request);
    expect([page.verdict.money.answer, await watched(world)]).toEqual(['contradicted', 1]);
  });
});
