/** What an action is judged by: catalog and provider are asked only for actions that look at them, and anew for each reading of the subscription. */
import { phasesFromNow } from '@platform/payment-provider/effects';
import type { ActionContext, ActionDefinition } from '../domain/actions';
import type { Operation } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import type { OperatorPorts } from './ports';

export async function contextOf(
  { plans, provider }: Pick<OperatorPorts, 'plans' | 'provider'>,
  action: Pick<ActionDefinition, 'readsPlans' | 'readsProvider' | 'readsPrice'>,
  { values, previewDigest }: Pick<Operation, 'values' | 'previewDigest'>,
  subscription: Subscription,
): Promise<ActionContext> {
  // A preview is made from the plans whatever the action, so its digest is judged with them.
  const readsPlans = action.readsPlans || previewDigest !== undefined;
  const named = values['planId'];
  const { subscriptionId } = subscription.provider;
  const [plan, target, atProvider] = await Promise.all([
    readsPlans ? plans.findById(subscription.planId) : null,
    readsPlans && typeof named === 'string' ? plans.findById(named) : null,
    action.readsProvider && subscriptionId ? stateAtProvider(provider, subscriptionId) : null,
  ]);
  const targetPrice = action.readsPrice && target?.priceId ? await priceAtProvider(provider, target.priceId) : null;
  return { subscription, values, plan, target, atProvider, targetPrice };
}

async function stateAtProvider(
  provider: Pick<OperatorPorts['provider'], 'retrieveSubscription' | 'retrieveSchedule'>,
  subscriptionId: string,
): Promise<NonNullable<ActionContext['atProvider']>> {
  const subscription = await provider.retrieveSubscription(subscriptionId);
  if (subscription.outcome !== 'succeeded') return 'unavailable';
  const { status, priceId, scheduleId, quantity } = subscription.value;
  const read = { status, priceId, quantity, scheduleId };
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
