/** Collection `subscriptions`: one record per workspace; `_id` is the tenant id. Rows are never dropped. */
import { subscriptionStatuses } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import type { Subscription } from '../domain/subscription';

export const subscriptionsCollection: CollectionDeclaration<Subscription> = {
  name: 'subscriptions',
  announces: true,
  tells: ({ _id, status, access, transition }) => ({
    ...{ record: 'workspace', tenantId: _id, operationId: transition?.operationId },
    state: `${status}, access ${access.state}${transition ? `, ${transition.kind} under way` : ''}`,
  }),
  vocabulary: { status: subscriptionStatuses },
  indexes: [
    // `_id` leads because the start-up sweep walks the pending transitions in the order of the ids.
    {
      name: 'pending_transitions',
      key: { _id: 1, 'transition.operationId': 1 },
      only: { 'transition.operationId': { $exists: true } },
    },
    {
      name: 'by_provider_subscription',
      key: { 'provider.subscriptionId': 1, _id: 1 },
      only: { 'provider.subscriptionId': { $exists: true } },
    },
    {
      name: 'by_provider_customer',
      key: { 'provider.customerId': 1, _id: 1 },
      only: { 'provider.customerId': { $exists: true } },
    },
    {
      name: 'by_former_customer',
      key: { 'provider.formerCustomerIds': 1, _id: 1 },
      only: { 'provider.formerCustomerIds': { $exists: true } },
    },
    {
      name: 'by_pending_plan',
      key: { 'pendingPlan.planId': 1, _id: 1 },
      only: { 'pendingPlan.planId': { $exists: true } },
    },
    {
      name: 'by_checkout',
      key: { _id: 1, 'checkout.sessionId': 1 },
      only: { 'checkout.sessionId': { $exists: true } },
    },
    { name: 'by_free_until', key: { freeUntil: 1, _id: 1 }, only: { freeUntil: { $exists: true } } },
    { name: 'by_cancels_at', key: { cancelsAt: 1, _id: 1 }, only: { cancelsAt: { $exists: true } } },
    { name: 'by_overdue', key: { overdueSince: 1, _id: 1 }, only: { overdueSince: { $exists: true } } },
    { name: 'by_change_at', key: { 'pendingPlan.at': 1, _id: 1 }, only: { 'pendingPlan.at': { $exists: true } } },
    { name: 'by_plan', key: { planId: 1, _id: 1 } },
    // The directory: every filter has an index that ends in the order of the list.
    { name: 'by_creation', key: { createdAt: 1, _id: 1 } },
    { name: 'by_status_and_creation', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'by_plan_and_creation', key: { planId: 1, createdAt: 1, _id: 1 } },
    { name: 'by_plan_status_and_creation', key: { planId: 1, status: 1, createdAt: 1, _id: 1 } },
    {
      name: 'by_owner',
      key: { 'owner.userId': 1, createdAt: 1, _id: 1 },
      only: { 'owner.userId': { $exists: true } },
    },
    {
      name: 'by_owner_address',
      key: { 'owner.email': 1, createdAt: 1, _id: 1 },
      only: { 'owner.email': { $exists: true } },
    },
    { name: 'by_search_key', key: { search: 1, createdAt: 1, _id: 1 } },
  ],
};
