/**
 * Which actions can succeed on a workspace in its current state, by the same rules as a request. An action that names a
 * plan is judged with each plan of the catalogue: it is possible when one of them is. A refusal that needs the
 * provider's state is left to the preview.
 */
import {
  actionsStartedBy,
  contractOf,
  type ActionStarter,
  type OperationAction,
  type Refusal,
} from '@platform/contracts-operator';
import type { Plan } from '../../catalogue/domain/plan';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../../operations/domain/operation';
import { actionOf } from '../../operations/domain/actions';
import { refusalOf } from '../../operations/domain/judge-action';

export interface JudgedAction {
  readonly action: OperationAction;
  /** Null when the action can succeed. */
  readonly refusal: Refusal | null;
}

/** No operation has this id, so no transition counts as its own. */
const noOperation = '';
/** The refusal concerns a value, here a plan, and not the workspace. */
const ofTheValue: ReadonlySet<string> = new Set(['plan_not_available', 'plan_already_applied', 'not_an_upgrade']);
/** Judged by the provider's state, which is not read here. */
const ofTheProvider: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'plan_change_pending',
  'change_not_landed',
  'change_already_landed',
  'subscription_runs',
]);

/** Judges the actions that one kind of person starts. */
export function judgeActions(
  subscription: Subscription,
  plans: readonly Plan[],
  starter: ActionStarter = 'platform_owner',
): JudgedAction[] {
  const plan = plans.find(({ _id }) => _id === subscription.planId) ?? null;
  // Only a change of plan can wait for its payment; its operation shows whether it does, and is not read here.
  const held = subscription.transition?.kind === 'change_plan' ? undefined : null;
  return actionsStartedBy(starter).map((action) => {
    const namesPlan = Object.values(contractOf(action).values).some(({ kind }) => kind === 'plan');
    const targets = namesPlan ? plans : [null];
    const refusals = targets.map((target) => {
      const values: Operation['values'] = target ? { planId: target._id } : {};
      const context = { subscription, values, plan, target, atProvider: null, targetPrice: null, held };
      const refusal = refusalOf(actionOf(action), noOperation, context);
      return refusal && ofTheProvider.has(refusal.code) ? null : refusal;
    });
    if (refusals.includes(null)) return { action, refusal: null };
    return { action, refusal: refusals.find((each) => each && !ofTheValue.has(each.code)) ?? refusals[0] ?? null };
  });
}
