/**
 * Who may call what, written by hand once more: the matrix asks the running services for every address that they
 * registered, and fails for one that has no row here. A wrong policy in a route therefore cannot confirm itself.
 */
export type ExpectedPolicy = 'public' | 'signed_in' | 'platform_owner' | 'workspace_owner' | 'workspace_owner_or_platform_owner';

export const routePolicies: Readonly<Record<string, Readonly<Record<string, ExpectedPolicy>>>> = {
  operator: {
    'POST /api/saas/workspaces': 'signed_in',
    'POST /api/saas/workspaces/:tenantId/suspend': 'platform_owner',
    'POST /api/saas/workspaces/:tenantId/reactivate': 'platform_owner',
    'POST /api/saas/workspaces/:tenantId/upgrade': 'platform_owner',
    'POST /api/saas/workspaces/:tenantId/balance-credit': 'platform_owner',
    'POST /api/saas/workspaces/:tenantId/grant-free-access': 'platform_owner',
    'POST /api/saas/workspaces/:tenantId/checkout': 'workspace_owner',
    'POST /api/saas/workspaces/:tenantId/cancellation': 'workspace_owner',
    'PUT /api/saas/workspaces/:tenantId/plan': 'workspace_owner',
    'DELETE /api/saas/workspaces/:tenantId/plan/pending': 'workspace_owner',
    'GET /api/saas/workspaces/:tenantId/admin-state': 'workspace_owner_or_platform_owner',
    'GET /api/saas/workspaces/:tenantId/operations': 'platform_owner',
    'GET /api/saas/workspaces/:tenantId/operations/:operationId': 'workspace_owner_or_platform_owner',
    'GET /api/saas/workspaces/:tenantId/operations/:operationId/evidence': 'platform_owner',
    'GET /api/saas/workspaces/:tenantId/provisioning-attempt': 'platform_owner',
    'GET /api/saas/workspaces/provisioning-attempts': 'platform_owner',
    'GET /api/saas/operations': 'platform_owner',
    'GET /api/saas/plans': 'platform_owner',
    'PUT /api/saas/plans/:planId': 'platform_owner',
    'POST /api/saas/plans-deletion/:fromPlanId/migrate-and-delete': 'platform_owner',
    'GET /api/saas/plans-deletion/:fromPlanId/prepare/:targetPlanId': 'platform_owner',
    'GET /api/saas/plans-deletion/migrations/:migrationId': 'platform_owner',
    'GET /api/saas/webhook-events': 'platform_owner',
    'GET /api/saas/streams': 'platform_owner',
    'GET /api/saas/lifecycle/consumers': 'platform_owner',
    'GET /api/saas/lifecycle/deliveries': 'platform_owner',
    'GET /api/saas/work-queue': 'platform_owner',
    'GET /api/saas/work-queue/counters': 'platform_owner',
    'GET /api/saas/cases/:kind': 'platform_owner',
    'GET /api/saas/cases/:kind/export': 'platform_owner',
    'GET /api/saas/search': 'platform_owner',
    'GET /api/saas/live': 'platform_owner',
    'GET /console': 'public',
    'GET /console/assets/:name': 'public',
  },
  // Whoever holds the signing secret may call; the signature is the authentication.
  'billing-webhook': { 'POST /api/saas/webhooks/payment-provider': 'public' },
  // Health, readiness and figures only; they serve through the broker.
  provisioning: {},
  'lifecycle-delivery': {},
};
