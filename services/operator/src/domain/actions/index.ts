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

const definitions: readonly ActionDefinition[] = [
  suspend,
  reactivate,
  upgradePlan,
  creditCustomer,
  grantFreeAccess,
  cancelSubscription,
  changePlanLater,
  dropPendingChange,
  checkout,
];
const byName = new Map<OperationAction, ActionDefinition>(
  definitions.map((definition) => [definition.action, definition]),
);

/** The definition of an action; a stored record names only actions that this build knows, or the row is newer than it. */
export function actionOf(action: OperationAction): ActionDefinition {
  const definition = byName.get(action);
  assert(definition, `this build does not know the action ${action}`);
  return definition;
}

export type { ActionContext, ActionDefinition, EffectStep } from './action';
