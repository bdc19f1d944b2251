/** A world for each situation in which a definition's example succeeds, and the request that the example makes there. */
import {
  contractOf,
  exampleValues,
  operationActions,
  type ExampleSituation,
  type OperationAction,
} from '@platform/contracts-operator';
import { assert } from '@platform/kernel';
import type { Subscription } from '../../mirror/domain/subscription';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  withPendingChange,
  type OperatorWorld,
} from '../../testing/operator-world';
import { actionOf } from '../domain/actions';
import type { OperationRequest } from '../domain/operation';
import { runOperation } from '../workflows/run-operation';

interface Situation {
  readonly workspace?: Partial<Subscription>;
  readonly before?: (world: OperatorWorld) => Promise<void>;
}

/** By name, so that a situation without a world does not compile. */
export const situations: { readonly [Name in ExampleSituation]: Situation } = {
  subscribed: {},
  suspended: {
    workspace: {
      status: 'suspended',
      access: { state: 'closed', since: new Date('2025-12-31T00:00:00.000Z'), operationId: null },
    },
  },
  change_pending: { before: withPendingChange },
  change_landed: {
    before: async (world) => {
      await withPendingChange(world);
      world.provider.landScheduledChange(world.subscription()!.provider.scheduleId!);
    },
  },
  ended_at_provider: {
    before: async ({ provider }) =>
      provider.seed({
        subscriptions: [
          {
            id: 'sub_acme',
            customerId: 'cus_acme',
            priceId: 'price_starter',
            itemId: 'si_acme',
            status: 'canceled',
            currentPeriodEnd: new Date('2026-01-01T00:00:00.000Z'),
          },
        ],
      }),
  },
  granted: {
    workspace: {
      planId: 'pro',
      isComplimentary: true,
      freeUntil: new Date('2027-01-01T00:00:00.000Z'),
      provider: { customerId: 'cus_acme' },
    },
  },
  checkout_open: {
    workspace: { planId: 'free', provider: { customerId: 'cus_acme' } },
    before: async (world) => {
      const { ports } = bootOperator(world, 90);
      const { kind } = await runOperation(ports, { ...exampleRequest('checkout'), operationId: 'op-open-0001' });
      assert(kind === 'unfinished', 'the checkout does not wait for its payment');
    },
  },
  payment_waits: {
    before: async (world) => {
      world.provider.askForConfirmation('sub_acme');
      const { ports } = bootOperator(world, 90);
      const { kind } = await runOperation(ports, { ...exampleRequest('upgrade_plan'), operationId: 'op-waits-0001' });
      assert(kind === 'to_confirm', 'the upgrade does not wait for its payment');
    },
  },
  ending: {
    before: async (world) => {
      const { ports } = bootOperator(world, 90);
      const { kind } = await runOperation(ports, {
        ...exampleRequest('cancel_subscription'),
        operationId: 'op-ends-0001',
      });
      assert(kind === 'succeeded', 'the subscription does not end with its period');
    },
  },
  unsubscribed: { workspace: { planId: 'free', provider: { customerId: 'cus_acme' } } },
};

export async function createSituation(name: ExampleSituation): Promise<OperatorWorld> {
  const { workspace, before } = situations[name];
  const world = await createOperatorWorld(workspace);
  await before?.(world);
  return world;
}

/** The example request of an action, with all its optional values. */
export function exampleRequest(action: OperationAction): OperationRequest {
  return {
    operationId: contractOf(action).example.operationId,
    tenantId: tenant,
    action,
    values: exampleValues(action, { optional: true }),
    actor: { id: 'owner', email: 'ann@example.com' },
  };
}

export interface PlacedExample {
  readonly request: OperationRequest;
  readonly in: ExampleSituation;
}

/** The examples of the actions whose effects the workflow performs by itself. */
export const spineExamples: readonly PlacedExample[] = operationActions
  .filter((action) => actionOf(action).startedWith === undefined)
  .map((action) => ({ request: exampleRequest(action), in: contractOf(action).example.in }));

/** Actions whose attempts send nothing to the provider: they have no answer to lose and no payload to repeat. */
export const actionsWithoutCalls: ReadonlySet<OperationAction> = new Set<OperationAction>([
  'end_free_access',
  'record_subscription_end',
  'record_plan_change',
]);
