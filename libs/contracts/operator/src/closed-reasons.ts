/**
 * Why access is closed. `suspended`: by the platform, until every receipt of a reactivation has arrived. `cancelled`:
 * the subscription has ended. `unpaid`: the first payment is awaited. `preparing`: the creation is under way.
 * `deleted`: the deletion has begun. `unknown`: there is no record of such a workspace.
 */
export const closedReasons = ['suspended', 'cancelled', 'unpaid', 'preparing', 'deleted', 'unknown'] as const;
export type ClosedReason = (typeof closedReasons)[number];
