/**
 * Seeded random histories of the operator: several instances, any order of port calls, crashes, lost answers, zombies
 * that resume late. `SIM_SEED` and `SIM_RUNS` play others, or replay one that failed.
 */
import { operationActions } from '@platform/contracts-operator';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import type { OperationRequest } from '../domain/operation';
import { spineExamples } from '../testing/example-worlds';
import { submitOperation, unlessAway } from '../testing/submit-operation';
import { deliverSettlements, evidenceOf } from '../../testing/operator-history';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  type OperatorLife,
  type OperatorWorld,
} from '../../testing/operator-world';
import { finishClearing } from './finish-clearing';
import { settleOperation } from './settle-operation';
import {
  checkHistory,
  combineFaults,
  formatHistories,
  formatViolations,
  instrument,
  messagingFaults,
  playedText,
  proofSize,
  providerSendFaults,
  runHistories,
  storeFaults,
  type HistoryScenario,
} from '@platform/testing';

const request = (
  operationId: string,
  action: OperationRequest['action'],
  values: OperationRequest['values'] = {},
): OperationRequest => ({ operationId, tenantId: tenant, action, values, actor: { id: 'owner' } });
const chosen = [
  request('op-suspend-1', 'suspend'),
  request('op-suspend-2', 'suspend'),
  request('op-reactivate-1', 'reactivate'),
  request('op-reactivate-2', 'reactivate'),
  request('op-upgrade-1', 'upgrade_plan', { planId: 'pro' }),
  request('op-later-1', 'change_plan_later', { planId: 'pro' }),
  request('op-drop-1', 'drop_pending_change'),
  request('op-cancel-1', 'cancel_subscription'),
  request('op-grant-1', 'grant_free_access', { planId: 'pro' }),
  request('op-credit-1', 'credit_customer', { amountCents: 500, reason: 'a' }),
  request('op-credit-2', 'credit_customer', { amountCents: 700, reason: 'a' }),
  request('op-credit-1', 'credit_customer', { amountCents: 999, reason: 'a' }),
];
/** Actions that conflict with each other, and the example of every other action. */
const requests = [
  ...chosen,
  ...spineExamples
    .map(({ request }) => request)
    .filter((example) => !chosen.some(({ action }) => action === example.action)),
];
const scenario: HistoryScenario<OperatorWorld, OperatorLife> = {
  name: 'operator',
  createWorld: () => createOperatorWorld(),
  boot: (world, { tape, incarnation }) =>
    bootOperator(world, incarnation, {
      store: instrument('store', world.watched, tape),
      provider: instrument('provider', world.provider as PaymentProvider, tape),
      broker: instrument('messaging', world.broker, tape),
    }),
  actions: [
    ...requests.map((request) => ({
      name: `${request.action} ${request.operationId}`,
      run: (life: OperatorLife, world: OperatorWorld) => submitOperation(life, world, request),
    })),
    { name: 'sweep', run: (life) => unlessAway(life.sweepOutbox()) },
    { name: 'clear', run: (life) => unlessAway(finishClearing(life.ports)) },
    { name: 'settle', run: (life, world) => unlessAway(deliverSettlements(world, life)) },
    {
      name: 'settle one',
      run: async (life, world, random) => {
        if (world.settlements.length > 0) await unlessAway(settleOperation(life.ports, random.pick(world.settlements)));
      },
    },
  ],
  recover: async (life, world) => {
    for (let round = 0; round < 2; round += 1) {
      await finishClearing(life.ports);
      await life.sweepOutbox();
      await deliverSettlements(world, life);
      for (const request of requests.filter(({ operationId }) =>
        world.operations().some(({ _id }) => _id === operationId),
      ))
        await submitOperation(life, world, request);
    }
  },
  check: (world) => formatViolations(checkHistory(evidenceOf(world))),
  faultsFor: combineFaults(
    storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    messagingFaults({ port: 'messaging' }),
    providerSendFaults<OperatorWorld, (typeof providerFaults)[number]['kind']>({
      port: 'provider',
      kinds: providerFaults.map(({ kind }) => kind),
      arm: (world, kind) => world.provider.failNext(kind),
    }),
  ),
};

const sizes = { lean: 50, full: 200 };

describe('random histories of the operator', () => {
  it('ask for every action of the spine; checkouts are asked for in the simulation', () => {
    const asked = new Set(requests.map(({ action }) => action));
    expect(operationActions.filter((action) => !asked.has(action))).toEqual(['checkout']);
  });

  it('keep the invariants through faults, crashes and zombies', async () => {
    const { SIM_SEED = '1', SIM_RUNS = String(proofSize(sizes)) } = process.env;
    const result = await runHistories(scenario, { seed: Number(SIM_SEED), runs: Number(SIM_RUNS), actions: 14 });
    process.stdout.write(`${formatHistories(result)}\n  ${playedText(result.runs, sizes, 'histories')}\n`);
    expect(result.violations).toEqual([]);
  }, 1_200_000);
});
