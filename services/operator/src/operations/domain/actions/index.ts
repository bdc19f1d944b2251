/** Every action that the spine can run, by its name. */
import { assert } from '@platform/kernel';
import type { OperationAction } from '@platform/contracts-operator';
import type { ActionDefinition } from './action';
import { cancelSubscription } from './cancel-subscription';
import { changePlanLater } from './change-plan-later';
import { checkout } from './checkout';
import { creditCustomer } from './credit-customer';
import { dropPendingChange } from './drop-pending-change';
import { grantFreeAccess } from './grant-free-access';
import { reactivate } from './reactivate';
import { suspend } from './suspend';
import { upgradePlan } from './upgrade-plan';

/** A name of the vocabulary without a definition under it, or with another action's, does not compile. */
const definitions: { readonly [Action in OperationAction]: ActionDefinition<Action> } = {
  suspend,
  reactivate,
  upgrade_plan: upgradePlan,
  credit_customer: creditCustomer,
  grant_free_access: grantFreeAccess,
  cancel_subscription: cancelSubscription,
  change_plan_later: changePlanLater,
  drop_pending_change: dropPendingChange,
  checkout,
};

/** The definition of an action; a stored record names only actions that this build knows, or the row is newer than it. */
export function actionOf(action: OperationAction): ActionDefinition {
  assert(Object.hasOwn(definitions, action), `this build does not know the action ${action}`);
  return definitions[action];
}

export type { ActionContext, ActionDefinition, EffectStep } from './action';
