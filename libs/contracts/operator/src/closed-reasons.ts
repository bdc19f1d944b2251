/**
 * Why access is closed. `suspended`: by the platform, until every receipt of a reactivation has arrived. `cancelled`:
 * the subscription has ended. `unpaid`: the first payment is awaited. `preparing`: its creation is under way.
 * `deleted`: its deletion has begun. `unknown`: no record of such a workspace.
 */
export const closedReasons = ['suspended', 'cancelled', 'unpaid', 'preparing', 'deleted', 'unknown'] as const;
export type ClosedReason = (typeof closedReasons)[number];
