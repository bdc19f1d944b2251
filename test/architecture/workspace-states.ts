/**
 * Every state that a workspace can reach, found by execution: each action of the gateway, and each event at the payment
 * provider or by time, is carried out by the real workflows on fakes, from every state found so far. A state is what
 * determines the next step; instants and ids are not part of it.
 */
import { exampleValues, operationActions, type OperationAction, type TenantState } from '@platform/contracts-operator';
import { accessOf } from '../../services/operator/src/mirror/domain/access';
import { checkoutReceiptsCollection } from '../../services/operator/src/checkout/store/checkout-receipts';
import { completeCheckout } from '../../services/operator/src/checkout/workflows/complete-checkout';
import { expireCheckout } from '../../services/operator/src/checkout/workflows/expire-checkout';
import { providerEvent } from '../../services/operator/src/provider-events/testing/event-world';
import { tenantStateOf } from '../../services/operator/src/mirror/domain/tenant-state';
import { previewAction } from '../../services/operator/src/operations/workflows/preview-action';
import { mirrorSubscription } from '../../services/operator/src/mirror/workflows/mirror-subscription';
import { runDueEnds } from '../../services/operator/src/operations/workflows/run-due-ends';
import { runOperation } from '../../services/operator/src/operations/workflows/run-operation';
import type { OperationValues } from '../../services/operator/src/operations/domain/operation';
import type { Subscription } from '../../services/operator/src/mirror/domain/subscription';
import { deliverSettlements } from '../../services/operator/src/testing/operator-history';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  type OperatorLife,
  type OperatorWorld,
} from '../../services/operator/src/testing/operator-world';

export interface WorkspaceState {
  readonly status: string;
  /** As guards decide. */
  readonly access: string;
  readonly plan: 'free' | 'paid' | 'complimentary';
  /** The state of temporary free access. */
  readonly grant: 'none' | 'running' | 'over';
  readonly cancels: boolean;
  readonly changes: boolean;
  /** The subscription at the provider. */
  readonly provider: 'none' | 'runs' | 'ended';
  readonly held: string | null;
  readonly deleted: boolean;
}

/** A person's request, or an event without one. */
export type Step =
  | OperationAction
  | 'grant_until_a_date'
  | 'provider_ends_subscription'
  | 'period_ends'
  | 'grant_ends'
  | 'checkout_paid'
  | 'checkout_expires';

const outside: readonly Step[] = [
  'provider_ends_subscription',
  'period_ends',
  'grant_ends',
  'checkout_paid',
  'checkout_expires',
];
/** Events that happen; people request everything else. */
export const happens = (step: Step): boolean => outside.includes(step);
const steps: readonly Step[] = [...operationActions, 'grant_until_a_date', ...outside];

const dayMs = 86_400_000;
const period = 40 * dayMs;
const grantDays = 10;

async function stateOf(world: OperatorWorld): Promise<WorkspaceState> {
  const now = world.clock.now();
  const subscription = world.subscription()!;
  const { status, planId, isComplimentary, freeUntil, cancelsAt, pendingPlan, provider, transition, deletion } =
    subscription;
  const read = provider.subscriptionId ? await world.provider.retrieveSubscription(provider.subscriptionId) : null;
  const goesOn = read?.outcome === 'succeeded' && read.value.status !== 'canceled';
  const runs = freeUntil && freeUntil > now ? 'running' : 'over';
  return {
    status,
    access: accessOf(subscription).state,
    plan: isComplimentary ? 'complimentary' : planId === 'free' ? 'free' : 'paid',
    grant: freeUntil ? runs : 'none',
    cancels: cancelsAt !== undefined,
    changes: pendingPlan !== undefined,
    provider: provider.subscriptionId === undefined ? 'none' : goesOn ? 'runs' : 'ended',
    held: transition?.kind ?? null,
    deleted: deletion !== undefined,
  };
}

/** The action that a step requests, with its values; null for an event without a person. */
function askedBy(world: OperatorWorld, step: Step): { action: OperationAction; values: OperationValues } | null {
  if (happens(step)) return null;
  const granting = step === 'grant_until_a_date';
  const action = granting ? 'grant_free_access' : (step as OperationAction);
  const { freeUntil: _until, ...values } = exampleValues(action, { optional: true });
  const freeUntil = new Date(world.clock.now().getTime() + grantDays * dayMs).toISOString();
  return { action, values: { ...values, ...(granting && { freeUntil }) } };
}

const owner = { id: 'owner', email: 'ann@example.com' };

/** The actions that a preview does not refuse. */
async function offeredIn(world: OperatorWorld): Promise<OperationAction[]> {
  const { ports } = bootOperator(world, 80);
  const offered: OperationAction[] = [];
  for (const action of operationActions) {
    const { values } = askedBy(world, action)!;
    const asked = { operationId: 'op-preview-0001', tenantId: tenant, action, values, actor: owner };
    const preview = await previewAction(ports, asked);
    if (preview?.refusal === null) offered.push(action);
  }
  return offered;
}

async function take(world: OperatorWorld, life: OperatorLife, step: Step, number: number): Promise<void> {
  const {
    provider: { subscriptionId },
    checkout,
  } = world.subscription()!;
  const endAtProvider = async (): Promise<void> => {
    if (subscriptionId === undefined) return;
    await world.provider.prepare({ operationId: `outside-${number}` }, { step: 'cancel_now', subscriptionId }).send();
  };
  switch (step) {
    case 'provider_ends_subscription':
      await endAtProvider();
      break;
    case 'period_ends': {
      const ends = world.subscription()!.cancelsAt !== undefined;
      world.clock.advance(period);
      if (ends) await endAtProvider();
      break;
    }
    case 'grant_ends':
      world.clock.advance((grantDays + 1) * dayMs);
      break;
    case 'checkout_paid':
    case 'checkout_expires': {
      if (!checkout) break;
      const paid = step === 'checkout_paid';
      const session = paid
        ? world.provider.completeCheckout(checkout.sessionId)
        : world.provider.expireCheckout(checkout.sessionId);
      const receipts = world.store.collection(checkoutReceiptsCollection);
      const event = providerEvent(`evt-${number}`, `checkout.session.${paid ? 'completed' : 'expired'}`, {
        id: session.id,
      });
      await (paid ? completeCheckout : expireCheckout)({ ...life.ports, receipts }, event);
      break;
    }
    default: {
      await runOperation(life.ports, {
        operationId: `op-step-${number}-0001`,
        tenantId: tenant,
        ...askedBy(world, step)!,
        actor: owner,
      });
    }
  }
  // Runs everything that follows automatically: consumers answer, outboxes drain, the mirror is read again, due ends
  // begin.
  await life.sweepOutbox();
  await deliverSettlements(world, life);
  await mirrorSubscription(life.ports, tenant);
  await runDueEnds(life.ports);
}

export interface Found {
  readonly state: WorkspaceState;
  readonly row: TenantState;
  /** The actions that a preview does not refuse; and the end of the operation that led here. */
  readonly offered: readonly OperationAction[];
  readonly ended: ReadonlyMap<Step, string | undefined>;
  /** The shortest path to this state. */
  readonly path: readonly Step[];
  readonly next: ReadonlyMap<Step, string>;
}

export const nameOf = (state: WorkspaceState): string => JSON.stringify(state);

/** A paying workspace, and one that has never paid. */
const beginnings = [{}, { planId: 'free', provider: { customerId: 'cus_acme' } }];

interface Played extends Pick<Found, 'state' | 'row' | 'offered'> {
  /** The status of the operation of the last step. */
  readonly last: string | undefined;
}

async function play(beginning: Partial<Subscription>, path: readonly Step[]): Promise<Played> {
  const world = await createOperatorWorld(beginning);
  const life = bootOperator(world, 1);
  for (const [at, step] of path.entries()) await take(world, life, step, at + 1);
  return {
    state: await stateOf(world),
    row: tenantStateOf(world.subscription()!),
    offered: await offeredIn(world),
    last: world.operations().find(({ _id }) => _id === `op-step-${path.length}-0001`)?.status,
  };
}

/** All reachable states of a workspace, and where each step leads from each of them. */
export async function exploreWorkspaces(): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<
    string,
    Found & { next: Map<Step, string>; ended: Map<Step, string | undefined>; from: object }
  >();
  const visit = async (from: object, path: readonly Step[]) => {
    const { last, ...played } = await play(from, path);
    const name = nameOf(played.state);
    if (!found.has(name)) found.set(name, { ...played, path, next: new Map(), ended: new Map(), from });
    return { name, last };
  };
  for (const beginning of beginnings) await visit(beginning, []);
  // Iterating over a map includes entries that are added during the iteration.
  for (const { path, next, ended, from } of found.values())
    for (const step of steps) {
      const { name, last } = await visit(from, [...path, step]);
      next.set(step, name);
      ended.set(step, last);
    }
  return found;
}

/** Open for valid reasons, with nothing under way. */
export function isInOrder({ status, access, held, grant, provider, plan }: WorkspaceState): boolean {
  return (
    access === 'open' &&
    held === null &&
    status !== 'cancelled' &&
    grant !== 'over' &&
    (plan !== 'paid' || provider === 'runs')
  );
}

/** States from which `allowed` steps do not lead to any of these states. */
export function withoutWayTo(
  found: ReadonlyMap<string, Found>,
  ends: (state: WorkspaceState) => boolean,
  allowed: (step: Step) => boolean,
): WorkspaceState[] {
  const reach = new Set([...found].filter(([, { state }]) => ends(state)).map(([name]) => name));
  for (let before = -1; before < reach.size;) {
    before = reach.size;
    for (const [name, { next }] of found)
      if ([...next].some(([step, to]) => allowed(step) && reach.has(to))) reach.add(name);
  }
  return [...found].filter(([name]) => !reach.has(name)).map(([, { state }]) => state);
}
