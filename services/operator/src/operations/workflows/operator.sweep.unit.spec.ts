/**
 * The crash sweep of the operator's actions: every port call of intent, attempt, transition, effects, journal, clear and
 * settlement meets every fault; afterwards the service boots again, messages are redelivered, the caller repeats the
 * request, and the invariants are checked. Two broken laws show that the sweep would notice.
 */
import { forged } from '@platform/durable/testing';
import type { Operation } from '../domain/operation';
import { operationActions } from '@platform/contracts-operator';
import type { Store } from '@platform/mongo';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { misreadAnswers, providerFaults } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkableInvariants,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  messagingFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import type { OperationRequest } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import { submitOperation, unlessAway } from '../testing/submit-operation';
import {
  bootOperator,
  createOperatorWorld,
  deliverSettlements,
  evidenceOf,
  tenant,
  withPendingChange,
  type OperatorLife,
  type OperatorWorld,
} from '../../testing/operator-world';
import { finishClearing } from './finish-clearing';

type Ports = { readonly store: Store; readonly provider: PaymentProvider };

/** How a deliberately broken build differs: by what it does to its ports, or by what it does at start. */
interface Mutant {
  readonly ports?: (ports: Ports, world: OperatorWorld) => Ports;
  readonly atStart?: (life: OperatorLife) => Promise<void>;
}

const request = (action: OperationRequest['action'], values: OperationRequest['values'] = {}): OperationRequest => ({
  operationId: `op-${action}-1`.replaceAll('_', '-'),
  tenantId: tenant,
  action,
  values,
  actor: { id: 'owner' },
});

interface Case {
  readonly name?: string;
  readonly request: OperationRequest;
  readonly workspace?: Partial<Subscription>;
  readonly before?: (world: OperatorWorld) => Promise<void>;
}

const scenarios: readonly Case[] = [
  { request: request('suspend') },
  {
    request: request('reactivate'),
    workspace: {
      status: 'suspended',
      access: { state: 'closed', since: new Date('2025-12-31T00:00:00.000Z'), operationId: null },
    },
  },
  { request: request('credit_customer', { amountCents: 500, reason: 'outage' }) },
  { request: request('upgrade_plan', { planId: 'pro' }) },
  { request: request('grant_free_access', { planId: 'pro', freeUntil: '2027-01-01T00:00:00.000Z' }) },
  { request: request('cancel_subscription') },
  { request: request('change_plan_later', { planId: 'pro' }) },
  { request: request('drop_pending_change'), before: withPendingChange },
  {
    name: 'cancel_subscription with a pending change',
    request: request('cancel_subscription'),
    before: withPendingChange,
  },
];

async function submit(life: OperatorLife, world: OperatorWorld, request: OperationRequest): Promise<void> {
  await submitOperation(life, world, request);
  await settle();
}

/** What a restarted service and the broker do by themselves. */
async function catchUp(life: OperatorLife, world: OperatorWorld): Promise<void> {
  await unlessAway(finishClearing(life.ports));
  await unlessAway(life.sweepOutbox());
  await unlessAway(deliverSettlements(world, life));
}

/** Beyond the invariants: what is decided is finished, and what waits still waits for somebody. */
function unfinishedBusiness(world: OperatorWorld): string[] {
  const transition = world.subscription()?.transition;
  return world
    .operations()
    .flatMap(({ _id, status }) => [
      ...(status === 'pending' || status === 'awaiting_receipts'
        ? [`operation ${_id} is still ${status} after everything was delivered and asked again`]
        : []),
      ...((status === 'succeeded' || status === 'failed') && transition?.operationId === _id
        ? [`operation ${_id} is ${status}, and its transition still stands`]
        : []),
    ]);
}

function scenario(
  { request: request, workspace, before, name = request.action }: Case,
  mutant: Mutant = {},
): Scenario<OperatorWorld, OperatorLife> {
  return {
    name,
    createWorld: async () => {
      const world = await createOperatorWorld(workspace);
      await before?.(world);
      return world;
    },
    boot: async (world, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', world.watched, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      };
      const life = bootOperator(world, incarnation, {
        ...(mutant.ports?.(honest, world) ?? honest),
        broker: instrument('messaging', world.broker, tape),
      });
      await mutant.atStart?.(life);
      return life;
    },
    act: async (life, world) => {
      await submit(life, world, request);
      await unlessAway(deliverSettlements(world, life));
      await submit(life, world, { ...request, values: { ...request.values, amountCents: 9_999 } });
    },
    recover: async (life, world) => {
      await catchUp(life, world);
      await submit(life, world, request);
      await catchUp(life, world);
    },
    check: (world) => [...formatViolations(checkHistory(evidenceOf(world))), ...unfinishedBusiness(world)],
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
}

// Hundreds of runs each: the time that they take says nothing.
jest.setTimeout(600_000);

describe('the crash sweep of the operator', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it('meets every action of the spine; a checkout has a sweep of its own', () => {
    const swept = new Set(scenarios.map(({ request: { action } }) => action));
    expect(operationActions.filter((action) => action !== 'checkout' && !swept.has(action))).toEqual([]);
  });

  it('can judge the invariants that its evidence is about', async () => {
    expect(checkableInvariants(evidenceOf(await createOperatorWorld()))).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I13',
      'I14',
    ]);
  });

  it.each(scenarios.map((each) => [each.name ?? each.request.action, each] as const))(
    'finds no violation in %s, whatever fails wherever',
    async (_action, each) => {
      const result = await runSweep(scenario(each), { pairs: { seed: 7, sample: { lean: 10, full: 300 } } });
      results.push(result);
      assertNoViolations(result);
      expect(result.calls.length).toBeGreaterThan(5);
    },
  );

  it('notices a build that takes an unknown answer for a failure', async () => {
    const credulous: Mutant = {
      ports: (ports, world) => ({
        ...ports,
        provider: {
          ...world.provider,
          prepare: misreadAnswers(ports.provider, 'balance_credit', (answer) =>
            answer.outcome === 'unknown'
              ? { outcome: 'failed', code: 'provider_unavailable', message: answer.reason, evidence: answer.evidence }
              : answer,
          ),
        },
      }),
    };
    await assertCaught(scenario(scenarios[2]!, credulous), /I4 .* recorded as failed, and the provider did it/);
  });

  it('notices a build that takes a running operation over at start', async () => {
    const impatient: Mutant = {
      atStart: async (life) => {
        for (const operation of await life.ports.operations.find(
          { status: 'running' },
          { sort: { _id: 1 }, limit: 10 },
        )) {
          const error = { code: 'provider_unavailable', message: 'took too long' };
          await life.ports.operations.mutate(operation, forged<Operation>({ ...operation, status: 'failed', error }));
        }
      },
    };
    await assertCaught(
      scenario(scenarios[2]!, impatient),
      /although the outcome of balance_credit is not recorded|took effect/,
    );
  });

  it('notices a build that sends before it has written down what', async () => {
    const hasty: Mutant = {
      ports: ({ store, provider }) => ({
        provider,
        store: {
          ...store,
          now: () => store.now(),
          collection: (declaration) => {
            const collection = store.collection(declaration);
            return {
              ...collection,
              name: collection.name,
              outbox: collection.outbox,
              findById: (id) => collection.findById(id),
              find: (...args) => collection.find(...args),
              count: (filter) => collection.count(filter),
              insert: (...args) => collection.insert(...args),
              mutate: async (current, next, announce) => {
                const attempts =
                  'attempts' in next ? (next.attempts as { providerCalls: { outcome?: string }[] }[]) : [];
                const unanswered = attempts.at(-1)?.providerCalls.at(-1);
                return unanswered && unanswered.outcome === undefined
                  ? { outcome: 'applied', record: { ...current, ...next } }
                  : collection.mutate(current, next, announce);
              },
            };
          },
        },
      }),
    };
    await assertCaught(scenario(scenarios[3]!, hasty), /I1 .*(no durable intent|before the intent)/);
  });
});
