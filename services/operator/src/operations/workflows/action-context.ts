/**
 * The input of an action's judgement. Catalog and provider are asked only for actions that need them, and again for
 * each reading of the subscription.
 */
import { itemsOf, phasesFromNow } from '@platform/payment-provider/effects';
import type { ActionContext, ActionDefinition } from '../domain/actions';
import { prorationDateIn } from '../domain/preview';
import type { Operation } from '../domain/operation';
import { endOf } from '../../mirror/domain/mirror-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import type { OperatorPorts } from './ports';

/** Whether the provider is asked for what the action is judged by: its answer may be long in coming. */
export function asksProvider({
  readsProvider,
  readsPrice,
  charges,
}: Pick<ActionDefinition, 'readsProvider' | 'readsPrice' | 'charges'>): boolean {
  return readsProvider === true || readsPrice === true || charges !== undefined;
}

/** The plans that an action is judged by: that of the workspace, where it is known, and the one that is asked for. */
export function plansReadBy(
  { readsPlans }: Pick<ActionDefinition, 'readsPlans'>,
  { values, previewDigest }: Pick<Operation, 'values' | 'previewDigest'>,
  planId: string | undefined,
): string[] {
  // Every preview contains the plans, so a request that names one is judged with them too.
  if (!readsPlans && previewDigest === undefined) return [];
  return [planId, values['planId']].filter((id) => typeof id === 'string');
}

export type PlanReads = Pick<OperatorPorts['plans'], 'findById'>;

/** Throws StoreUnavailableError. */
export async function contextOf(
  { plans, provider, operations }: Pick<OperatorPorts, 'provider' | 'operations'> & { readonly plans: PlanReads },
  action: Pick<ActionDefinition, 'readsPlans' | 'readsProvider' | 'readsHeld' | 'readsPrice' | 'charges'>,
  { values, previewDigest }: Pick<Operation, 'values' | 'previewDigest'>,
  subscription: Subscription,
): Promise<ActionContext> {
  const [own, named] = plansReadBy(action, { values, ...(previewDigest && { previewDigest }) }, subscription.planId);
  const { subscriptionId } = subscription.provider;
  const [plan, target, atProvider, held] = await Promise.all([
    own === undefined ? null : plans.findById(own),
    named === undefined ? null : plans.findById(named),
    action.readsProvider && subscriptionId
      ? stateAtProvider(provider, subscriptionId, subscription.provider.itemId)
      : null,
    action.readsHeld ? heldBy(operations, subscription) : null,
  ]);
  const targetPrice = action.readsPrice && target?.priceId ? await priceAtProvider(provider, target.priceId) : null;
  const context = { subscription, values, plan, target, atProvider, held, targetPrice };
  const charge = await chargeOf(provider, action, context, prorationDateIn(previewDigest));
  return { ...context, ...(charge && { charge }) };
}

/** The operation of the pending transition, when it waits for a payment. */
async function heldBy(
  operations: Pick<OperatorPorts['operations'], 'findById'>,
  { transition }: Subscription,
): Promise<ActionContext['held']> {
  const operation = transition && (await operations.findById(transition.operationId));
  return operation?.status === 'awaiting_payment' ? { ...operation.payment, operationId: operation._id } : null;
}

/** The provider is asked again only for a request with a preview, at the preview's instant, to compare the figures. */
async function chargeOf(
  { previewPriceChange }: Pick<OperatorPorts['provider'], 'previewPriceChange'>,
  action: Pick<ActionDefinition, 'charges'>,
  context: ActionContext,
  prorationDate: number | undefined,
): Promise<ActionContext['charge']> {
  const change = prorationDate !== undefined && action.charges?.(context);
  if (!change) return undefined;
  const preview = await previewPriceChange({ ...change, prorationDate });
  if (preview.outcome === 'succeeded') return preview.value;
  // A refusal confirms no figures, for example the refusal of an instant in an earlier period.
  return preview.outcome === 'unknown' ? 'unavailable' : undefined;
}

async function stateAtProvider(
  provider: Pick<OperatorPorts['provider'], 'retrieveSubscription' | 'retrieveSchedule'>,
  subscriptionId: string,
  mirroredItem: string | undefined,
): Promise<NonNullable<ActionContext['atProvider']>> {
  const subscription = await provider.retrieveSubscription(subscriptionId);
  if (subscription.outcome !== 'succeeded') return 'unavailable';
  const { status, scheduleId, otherItems } = subscription.value;
  const { priceId, quantity } =
    itemsOf(subscription.value).find(({ itemId }) => itemId === mirroredItem) ?? subscription.value;
  const read = {
    ...{ status, priceId, quantity, scheduleId, ending: endOf(subscription.value) !== undefined },
    ...(otherItems && { sellsMore: true }),
  };
  if (scheduleId === null) return { ...read, running: null, upcoming: null };
  const schedule = await provider.retrieveSchedule(scheduleId);
  if (schedule.outcome !== 'succeeded') return 'unavailable';
  const { running = null, upcoming = null } = phasesFromNow(schedule.value);
  return { ...read, running, upcoming };
}

async function priceAtProvider(
  provider: Pick<OperatorPorts['provider'], 'retrievePrice'>,
  priceId: string,
): Promise<NonNullable<ActionContext['targetPrice']>> {
  const price = await provider.retrievePrice(priceId);
  if (price.outcome === 'succeeded') return price.value;
  return price.outcome === 'failed' ? 'missing' : 'unavailable';
}
