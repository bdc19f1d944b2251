/** Every action by its name, with its public half and its implementation as one value. */
import { assert } from '@platform/kernel';
import {
  contractOf,
  operationActions,
  type OperationAction,
  type OperatorCode,
  type Refusal,
} from '@platform/contracts-operator';
import type { ActionContext, ActionDefinition, ActionRun } from './action';
import { cancelSubscription } from './cancel-subscription';
import { changePlanLater } from './change-plan-later';
import { checkout } from './checkout';
import { creditCustomer } from './credit-customer';
import { deleteWorkspace } from './delete-workspace';
import { dropPendingChange } from './drop-pending-change';
import { endFreeAccess } from './end-free-access';
import { expireCheckout } from './expire-checkout';
import { giveUpUpgrade } from './give-up-upgrade';
import { grantFreeAccess } from './grant-free-access';
import { keepSubscription } from './keep-subscription';
import { reactivate } from './reactivate';
import { recordPlanChange } from './record-plan-change';
import { recordSubscriptionEnd } from './record-subscription-end';
import { suspend } from './suspend';
import { upgradePlan } from './upgrade-plan';

/** This does not compile when an action lacks its implementation, or has that of another action. */
const runs: { readonly [Action in OperationAction]: ActionRun<Action> } = {
  suspend,
  reactivate,
  upgrade_plan: upgradePlan,
  credit_customer: creditCustomer,
  grant_free_access: grantFreeAccess,
  cancel_subscription: cancelSubscription,
  change_plan_later: changePlanLater,
  drop_pending_change: dropPendingChange,
  checkout,
  expire_checkout: expireCheckout,
  delete_workspace: deleteWorkspace,
  end_free_access: endFreeAccess,
  record_subscription_end: recordSubscriptionEnd,
  record_plan_change: recordPlanChange,
  give_up_upgrade: giveUpUpgrade,
  keep_subscription: keepSubscription,
};

const definitions = new Map<string, ActionDefinition>(
  operationActions.map((action) => [action, joined(action, runs[action] as ActionRun)]),
);

function joined(action: OperationAction, { refuses, ...run }: ActionRun): ActionDefinition {
  const contract = contractOf(action);
  const judgements = refuses as Readonly<Record<OperatorCode, (context: ActionContext) => boolean | string>>;
  return {
    ...contract,
    ...run,
    action,
    precondition(context): Refusal | null {
      for (const code of contract.refusals) {
        const refused = judgements[code](context);
        if (refused !== false) return refused === true ? { code } : { code, detail: refused };
      }
      return null;
    },
  };
}

/**
 * The definition of an action. A stored record names only actions that this build knows, unless a newer build wrote it.
 */
export function actionOf(action: OperationAction): ActionDefinition {
  const definition = definitions.get(action);
  assert(definition, `this build does not know the action ${action}`);
  return definition;
}

export type { ActionContext, ActionDefinition, AttemptStarter, EffectStep, SuccessFollower } from './action';
