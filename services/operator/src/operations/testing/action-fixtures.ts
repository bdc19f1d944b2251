/**
 * The input and the record of an action, for tests of its pure decisions: a workspace that pays for the plan `starter`,
 * what the provider shows of it, and an operation whose first attempt runs.
 */
import type { OperationAction } from '@platform/contracts-operator';
import type { ProviderChangePreview, SchedulePhase } from '@platform/payment-provider/effects';
import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import type { ActionContext } from '../domain/actions';
import type { AtProvider } from '../domain/actions/action';
import { fingerprintOf, type Attempt, type Operation, type RunningOperation } from '../domain/operation';

export const at = new Date('2026-03-01T00:00:00.000Z');
/** The instant of a decision, which differs from every instant in the records. */
export const now = new Date('2026-03-02T12:00:00.000Z');
export const periodEnd = new Date('2026-04-01T00:00:00.000Z');

const stamps = { revision: 'r', createdAt: at, updatedAt: at };
const billedEvery = { interval: 'month', count: 1 } as const;

function plan(id: string, amountCents: number, change: Partial<Plan> = {}): Plan {
  return { ...stamps, _id: id, name: id, amountCents, currency: 'usd', offered: true, ...change };
}

export const plans = {
  free: plan('free', 0),
  starter: plan('starter', 1_900, { priceId: 'price_starter', billedEvery }),
  pro: plan('pro', 4_900, { priceId: 'price_pro', billedEvery }),
  legacy: plan('legacy', 9_900, { priceId: 'price_legacy', billedEvery, offered: false }),
} as const;

/** The fields that differ; a field that is undefined is absent. */
type WorkspaceChange = { readonly [Field in keyof Subscription]?: Subscription[Field] | undefined };

export function workspace(change: WorkspaceChange = {}): Subscription {
  const record = {
    ...stamps,
    _id: 'acme',
    workspaceName: 'Acme',
    status: 'active',
    access: { state: 'open', since: at, operationId: null },
    planId: 'starter',
    provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme', itemId: 'si_acme' },
    isComplimentary: false,
    ...change,
  };
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as Subscription;
}

/** A phase of a schedule with this price, from the start of the month to the end of the period. */
export function phase(priceId: string): SchedulePhase {
  return { priceId, startDate: at, endDate: periodEnd, settings: { items: [{ price: priceId, quantity: 1 }] } };
}

export const shown: AtProvider = {
  status: 'active',
  priceId: 'price_starter',
  quantity: 1,
  ending: false,
  scheduleId: null,
  running: null,
  upcoming: null,
};

/** A subscription whose price the provider changes at the end of the period. */
export const changing: AtProvider = {
  ...shown,
  scheduleId: 'sched_acme',
  running: phase('price_starter'),
  upcoming: phase('price_pro'),
};

export const pendingPlan = { planId: 'pro', at: periodEnd, scheduleId: 'sched_acme' };

export const charge: ProviderChangePreview = {
  subscriptionId: 'sub_acme',
  currency: 'usd',
  total: 3_600,
  tax: 600,
  startingBalance: -500,
  endingBalance: 0,
  amountDue: 3_100,
  prorationDate: 1_772_400_000,
};

export type ContextChange = Partial<Omit<ActionContext, 'subscription'>> & {
  readonly workspace?: WorkspaceChange;
};

/** The example of most actions: from `starter` to `pro`, with a provider that answers. */
export function contextOf({ workspace: changed, ...change }: ContextChange = {}): ActionContext {
  return {
    subscription: workspace(changed),
    values: { planId: 'pro' },
    plan: plans.starter,
    target: plans.pro,
    atProvider: shown,
    targetPrice: {
      id: 'price_pro',
      unitAmount: 4_900,
      currency: 'usd',
      interval: 'month',
      intervalCount: 1,
      active: true,
    },
    held: null,
    ...change,
  };
}

export const executor = { service: 'operator', instance: 'operator-1', incarnation: 'incarnation-1' };

export function attempt(change: Partial<Attempt> = {}): Attempt {
  return { number: 1, executor, startedAt: at, providerCalls: [], ...change };
}

export function running(action: OperationAction, change: Partial<RunningOperation> = {}): RunningOperation {
  const asked = { tenantId: 'acme', action, values: { planId: 'pro' }, ...change };
  return {
    ...stamps,
    _id: 'op-00000001',
    actor: { id: 'owner' },
    attempts: [attempt()],
    fingerprint: fingerprintOf(asked),
    ...asked,
    status: 'running',
  };
}

/** The same record in another status, with the fields of that status. */
export function inStatus<Status extends Operation['status']>(
  operation: RunningOperation,
  status: Status,
  own: Omit<Extract<Operation, { status: Status }>, keyof RunningOperation> & Partial<RunningOperation>,
): Extract<Operation, { status: Status }> {
  return { ...operation, ...own, status } as unknown as Extract<Operation, { status: Status }>;
}
