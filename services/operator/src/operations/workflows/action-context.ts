/** What an action is judged by: catalog and provider are asked only for actions that look at them, and anew for each reading of the subscription. */
import type { ActionContext, ActionDefinition } from '../domain/actions';
import type { Operation } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import type { OperatorPorts } from './ports';

export async function contextOf(
  { plans, provider }: Pick<OperatorPorts, 'plans' | 'provider'>,
  action: Pick<ActionDefinition, 'readsPlans' | 'readsProvider'>,
  { values }: Pick<Operation, 'values'>,
  subscription: Subscription,
): Promise<ActionContext> {
  const named = values['planId'];
  const { subscriptionId } = subscription.provider;
  const [plan, target, atProvider] = await Promise.all([
    action.readsPlans ? plans.findById(subscription.planId) : null,
    action.readsPlans && typeof named === 'string' ? plans.findById(named) : null,
    action.readsProvider && subscriptionId ? provider.retrieveSubscription(subscriptionId) : null,
  ]);
  return {
    subscription,
    values,
    plan,
    target,
    atProvider:
      atProvider && (atProvider.outcome === 'succeeded' ? { scheduleId: atProvider.value.scheduleId } : 'unavailable'),
  };
}
