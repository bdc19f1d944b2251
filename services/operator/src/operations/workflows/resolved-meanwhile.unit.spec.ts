/**
 * An executor that sleeps before any of its writes while an investigation ends its operation: when it resumes, it sends
 * nothing more and changes neither record, transition nor access.
 */
import type { Revisioned } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { createLatch, settle } from '@platform/testing';
import type { Subscription } from '../../mirror/domain/subscription';
import { deliverSettlements } from '../../testing/operator-history';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  type OperatorLife,
  type OperatorWorld,
} from '../../testing/operator-world';
import type { OperationRequest } from '../domain/operation';
import { operationInvestigation } from './resolve-operation';
import type { OutcomeProofs } from '@platform/durable/investigation';
import { runOperation } from './run-operation';

interface Case {
  readonly action: OperationRequest['action'];
  readonly values?: OperationRequest['values'];
  readonly workspace?: Partial<Subscription>;
}

const cases: readonly Case[] = [
  { action: 'suspend' },
  {
    action: 'reactivate',
    workspace: { status: 'suspended', access: { state: 'closed', since: new Date(0), operationId: null } },
  },
  { action: 'upgrade_plan', values: { planId: 'pro' } },
  { action: 'credit_customer', values: { amountCents: 500, reason: 'outage' } },
  { action: 'change_plan_later', values: { planId: 'pro' } },
  {
    action: 'checkout',
    values: { planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' },
    workspace: { planId: 'free', provider: { customerId: 'cus_acme' } },
  },
];

const requestOf = ({ action, values = {} }: Case): OperationRequest => ({
  operationId: 'op-judged-00001',
  tenantId: tenant,
  action,
  values,
  actor: { id: 'owner', email: 'ann@example.com' },
});

/** The same life; `before` is called with the number of each write, which waits for it. */
function writingAfter(life: OperatorLife, before: (write: number) => Promise<void>): OperatorLife {
  let writes = 0;
  const watched = <T extends Revisioned>(collection: RevisionedCollection<T>): RevisionedCollection<T> => ({
    ...collection,
    mutate: async (...given) => {
      writes += 1;
      await before(writes);
      return collection.mutate(...given);
    },
  });
  const { operations, subscriptions } = life.ports;
  return {
    ...life,
    ports: { ...life.ports, operations: watched(operations), subscriptions: watched(subscriptions) },
  };
}

async function run(world: OperatorWorld, life: OperatorLife, each: Case): Promise<void> {
  await runOperation(life.ports, requestOf(each));
  await settle();
  await life.sweepOutbox();
  await deliverSettlements(world, life);
}

async function writesOf(each: Case): Promise<number> {
  const world = await createOperatorWorld(each.workspace);
  let count = 0;
  const life = writingAfter(bootOperator(world, 1), async (write) => void (count = write));
  await run(world, life, each);
  return count;
}

async function record(world: OperatorWorld, outcome: OutcomeProofs['outcome']) {
  const { ports } = bootOperator(world, 2);
  const planned = await operationInvestigation.plan(ports, {
    id: 'op-judged-00001',
    outcome,
    executorStopped: 'its host did not answer any more',
    providerObject: outcome === 'applied' ? 'obj_1' : null,
    by: 'ops@example.com',
    override: { reason: 'fences are needed whichever side is wrong', approvedBy: 'second@example.com' },
  });
  return planned.ok ? operationInvestigation.record(ports, planned.value) : planned;
}

/** The record without its outbox, which a relay empties. */
const withoutOutbox = (operation: object | undefined) => ({ ...operation, outbox: undefined });

describe('an executor whose operation is resolved while it sleeps', () => {
  it.each(
    cases.flatMap((each) =>
      (['applied', 'not_applied'] as const).map((outcome) => [each.action, outcome, each] as const),
    ),
  )('%s, %s: loses every write, wherever it slept', async (_action, outcome, each) => {
    const writes = await writesOf(each);
    let recordings = 0;
    for (let sleepsAt = 1; sleepsAt <= writes; sleepsAt += 1) {
      const world = await createOperatorWorld(each.workspace);
      const latch = createLatch();
      const life = writingAfter(bootOperator(world, 1), async (write) => {
        if (write >= sleepsAt) await latch.wait();
      });
      const running = run(world, life, each);
      await latch.reached();
      const recorded = await record(world, outcome);
      const [decided, sends] = [world.operations()[0], world.provider.sends().length];
      latch.open();
      await running;
      await settle();
      if (!recorded.ok) {
        expect([sleepsAt, recorded.error]).toEqual([
          sleepsAt,
          expect.stringMatching(/The operation is (pending|awaiting_receipts|succeeded)/),
        ]);
        continue;
      }
      recordings += 1;
      expect([sleepsAt, withoutOutbox(world.operations()[0])]).toEqual([sleepsAt, withoutOutbox(decided)]);
      expect([sleepsAt, world.provider.sends().length]).toEqual([sleepsAt, sends]);
      expect([sleepsAt, world.subscription()?.transition]).toEqual([sleepsAt, undefined]);
      if (outcome === 'not_applied')
        expect([sleepsAt, world.subscription()?.access.state]).toEqual([
          sleepsAt,
          each.action === 'reactivate' ? 'closed' : 'open',
        ]);
    }
    expect(recordings).toBeGreaterThan(each.action === 'credit_customer' ? 0 : 1);
  });
});
