/**
 * The crash sweep of operations that become due on a date: every port call of a round meets every fault, two replicas
 * continue after a restart, and each end is one operation that no other executor took over. Deliberately broken builds
 * prove that the sweep detects violations.
 */
import type { Store } from '@platform/mongo';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import { forged } from '@platform/durable/testing';
import {
  assertCaught,
  assertNoViolations,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  investigationFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import { accessOf } from '../../mirror/domain/access';
import { deliverSettlements, evidenceOf } from '../../testing/operator-history';
import { bootOperator, type OperatorLife, type OperatorWorld } from '../../testing/operator-world';
import { dueEndsOf, type OverduePolicy } from '../domain/due-end';
import type { Operation } from '../domain/operation';
import { createSituation } from '../testing/example-worlds';
import { recordEnd } from '../testing/record-end';
import { unlessAway } from '../testing/submit-operation';
import { finishClearing } from './finish-clearing';
import { runDueEnds } from './run-due-ends';

const yearsMs = 800 * 86_400_000;

interface Mutant {
  /** How far the database's clock is fast. */
  readonly fastMs?: number;
  readonly atStart?: (life: OperatorLife) => Promise<void>;
}

interface Case {
  readonly name: string;
  readonly open: () => Promise<OperatorWorld>;
  /** Whether the date has come; default: yes. */
  readonly due?: false;
  readonly overdue?: OverduePolicy;
}

const cases: readonly Case[] = [
  { name: 'the end of free access', open: () => createSituation('granted') },
  {
    name: 'the end of a cancelled period',
    open: async () => {
      const world = await createSituation('ended_at_provider');
      const read = world.subscription()!;
      await bootOperator(world, 0).ports.subscriptions.mutate(read, { ...read, cancelsAt: world.clock.now() });
      return world;
    },
  },
  { name: 'a plan change that has landed', open: () => createSituation('change_landed') },
  {
    name: 'the days of grace of an overdue payment',
    open: async () => {
      const world = await createSituation('subscribed');
      const read = world.subscription()!;
      const sold = await world.provider.retrieveSubscription(read.provider.subscriptionId!);
      if (sold.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
      const { currentPeriodEnd } = sold.value;
      world.provider.seed({
        subscriptions: [{ ...sold.value, currentPeriodEnd: currentPeriodEnd!, status: 'past_due' }],
      });
      const overdueSince = world.clock.now();
      await bootOperator(world, 0).ports.subscriptions.mutate(read, { ...read, status: 'past_due', overdueSince });
      return world;
    },
    overdue: { then: 'suspend', afterDays: 14 },
  },
];
const notDue: Case = { name: 'free access that goes on', open: () => createSituation('granted'), due: false };

const brought = (world: OperatorWorld): Operation[] => world.operations().filter(({ _id }) => _id.startsWith('time-'));

async function round(life: OperatorLife, world: OperatorWorld, overdue?: OverduePolicy): Promise<void> {
  await unlessAway(runDueEnds(life.ports, undefined, overdue));
  await unlessAway(life.sweepOutbox());
  await unlessAway(deliverSettlements(world, life));
  await settle();
}

/** What the operations of due dates violate at the end of a history. */
function violations(world: OperatorWorld, overdue?: OverduePolicy): string[] {
  const operations = brought(world);
  const subscription = world.subscription()!;
  const waiting = operations.some(({ status }) => status === 'running' || status === 'reconciliation_required');
  // An end that an investigator recorded as applied without checking may still be due.
  const done = operations.filter(({ status, resolution }) => status === 'succeeded' && !resolution);
  const left = dueEndsOf(subscription, world.clock.now(), overdue);
  return [
    ...(done.length > 1 ? ['an end took effect twice'] : []),
    ...operations.flatMap(({ _id, attempts }) =>
      attempts.slice(0, -1).some(({ outcome }) => outcome === undefined)
        ? [`${_id} was taken over from an executor that had not ended`]
        : [],
    ),
    ...operations.flatMap(({ _id, status, values, createdAt }) =>
      typeof values['freeUntil'] === 'string' && createdAt.getTime() < Date.parse(values['freeUntil'])
        ? [`${_id} is ${status}, and its date had not come`]
        : [],
    ),
    ...(operations.length > 0 && !waiting && left.length > 0
      ? [`${left[0]!.action} is due, and no executor is at work on it`]
      : []),
    ...(done.some(({ action }) => action !== 'record_plan_change') && accessOf(subscription).state === 'open'
      ? ['it has ended, and access is open']
      : []),
  ];
}

function scenario(
  { name, open, due, overdue }: Case,
  { fastMs = 0, atStart }: Mutant = {},
): Scenario<OperatorWorld, OperatorLife> {
  return {
    name,
    createWorld: async () => {
      const world = await open();
      if (due !== false) world.clock.advance(yearsMs);
      return world;
    },
    boot: async (world, { tape, incarnation }) => {
      const store: Store = instrument('store', world.watched, tape);
      const life = bootOperator(world, incarnation, {
        store,
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      });
      await atStart?.(life);
      const databaseNow = async () => new Date((await store.now()).getTime() + fastMs);
      return fastMs === 0 ? life : { ...life, ports: { ...life.ports, databaseNow } };
    },
    act: (life, world) => round(life, world, overdue),
    recover: async (life, world) => {
      await unlessAway(finishClearing(life.ports));
      // Two replicas run a round at the same moment, and once more later.
      await Promise.all([round(life, world, overdue), round(bootOperator(world, 70), world, overdue)]);
      world.clock.advance(24 * 3_600_000);
      await round(life, world, overdue);
    },
    check: (world) => [...formatViolations(checkHistory(evidenceOf(world))), ...violations(world, overdue)],
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      providerSendFaults<OperatorWorld, (typeof providerFaults)[number]['kind']>({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: (world, kind) => world.provider.failNext(kind),
      }),
      investigationFaults({
        record: async (world, outcome) => {
          const [operation] = brought(world);
          return operation !== undefined && recordEnd(world, operation._id, outcome);
        },
      }),
    ),
  };
}

describe('the crash sweep of the ends that time brings', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it.each([...cases, notDue].map((each) => [each.name, each] as const))(
    'finds no violation in %s, whatever fails wherever',
    async (_name, each) => {
      const result = await runSweep(scenario(each), { pairs: { seed: 5, sample: { lean: 10, full: 300 } } });
      results.push(result);
      assertNoViolations(result);
      if (each.due !== false) expect(result.calls.length).toBeGreaterThan(8);
    },
  );

  it('notices a build that ends what has not come to its date', async () => {
    await assertCaught(scenario(notDue, { fastMs: yearsMs }), /its date had not come/);
  });

  it('notices a build that takes an end over because it has run for long', async () => {
    const impatient: Mutant = {
      atStart: async ({ ports }) => {
        for (const operation of await ports.operations.find({ status: 'running' }, { sort: { _id: 1 }, limit: 10 })) {
          const error = { code: 'provider_unavailable', message: 'took too long' };
          await ports.operations.mutate(operation, forged<Operation>({ ...operation, status: 'failed', error }));
        }
      },
    };
    await assertCaught(scenario(cases[0]!, impatient), /was taken over from an executor/);
  });
});
