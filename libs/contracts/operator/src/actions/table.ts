/**
 * Every operator action under its name. A name is a key of this table, so every action has a definition; the types of
 * the gateway's implementations derive from it.
 */
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

export const actions = {
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
} as const;
