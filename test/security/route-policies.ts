/**
 * Who may call which route, written by hand a second time. The matrix requests every address that the running services
 * registered and fails for one without a row here, so a wrong policy in a route cannot confirm itself. The rows of the
 * operator's actions come from the action definitions; `actions.spec.ts` checks who may start each action.
 */
import { actionPath, contractOf, operationActions, previewPath, starterPolicy } from '@platform/contracts-operator';
import type { Policy } from '@platform/http-server';

/**
 * Policies beyond those that the server itself enforces. `page` checks the page's permission after the token.
 * `chart_page` does both itself, because browsers send the token in a cookie. `page_address` stands for all page
 * addresses. `any_page` only needs an identity. `sign_in` accepts a token in a form. `who_asked` shows a creation to
 * the person who requested it.
 */
export type ExpectedPolicy = Policy | 'page' | 'chart_page' | 'page_address' | 'any_page' | 'sign_in' | 'who_asked';

/** The policy with which the route is registered. */
export const registeredAs: Readonly<Record<ExpectedPolicy, Policy>> = {
  public: 'public',
  signed_in: 'signed_in',
  staff: 'staff',
  case_worker: 'case_worker',
  support: 'support',
  support_or_finance: 'support_or_finance',
  finance: 'finance',
  approver: 'approver',
  platform_owner: 'platform_owner',
  workspace_owner: 'workspace_owner',
  workspace_owner_or_staff: 'workspace_owner_or_staff',
  consumer_team_or_staff: 'consumer_team_or_staff',
  consumer_team_or_platform_owner: 'consumer_team_or_platform_owner',
  page: 'public',
  page_address: 'public',
  chart_page: 'public',
  any_page: 'public',
  sign_in: 'public',
  who_asked: 'signed_in',
};

/** An action and its preview are open to the roles that may start the action. */
const actionRows: Readonly<Record<string, ExpectedPolicy>> = Object.fromEntries(
  operationActions.flatMap((action) => {
    const contract = contractOf(action);
    const policy = starterPolicy(contract);
    return [
      [`${contract.method} ${actionPath(action)}`, policy],
      [`POST ${previewPath(action)}`, policy],
    ];
  }),
);

export const routePolicies: Readonly<Record<string, Readonly<Record<string, ExpectedPolicy>>>> = {
  operator: {
    'POST /api/saas/workspaces': 'signed_in',
    ...actionRows,
    'GET /api/saas/workspaces': 'staff',
    'GET /api/saas/workspaces/:tenantId': 'staff',
    'GET /api/saas/activity': 'staff',
    'GET /api/saas/plans-deletion/migrations': 'staff',
    'GET /api/saas/workspaces/:tenantId/admin-state': 'workspace_owner_or_staff',
    'GET /api/saas/workspaces/:tenantId/account': 'workspace_owner',
    'GET /api/saas/workspaces/:tenantId/operations': 'staff',
    'GET /api/saas/workspaces/:tenantId/operations/:operationId': 'workspace_owner_or_staff',
    'GET /api/saas/workspaces/:tenantId/operations/:operationId/evidence': 'staff',
    'GET /api/saas/workspaces/:tenantId/provisioning-attempt': 'staff',
    'GET /api/saas/workspaces/:tenantId/creation': 'who_asked',
    'GET /api/saas/workspaces/provisioning-attempts': 'staff',
    'GET /api/saas/operations': 'staff',
    'GET /api/saas/plans': 'staff',
    'PUT /api/saas/plans/:planId': 'platform_owner',
    'POST /api/saas/plans-deletion/:fromPlanId/migrate-and-delete': 'platform_owner',
    'GET /api/saas/plans-deletion/:fromPlanId/prepare/:targetPlanId': 'staff',
    'GET /api/saas/plans-deletion/migrations/:migrationId': 'staff',
    'GET /api/saas/webhook-events': 'staff',
    'GET /api/saas/streams': 'staff',
    'GET /api/saas/lifecycle/consumers': 'staff',
    'GET /api/saas/lifecycle/consumers/:consumer': 'consumer_team_or_staff',
    'GET /api/saas/lifecycle/consumers/:consumer/deliveries': 'consumer_team_or_staff',
    'POST /api/saas/lifecycle/consumers/:consumer/actions': 'consumer_team_or_platform_owner',
    'GET /api/saas/lifecycle/deliveries': 'staff',
    'GET /api/saas/work-queue': 'staff',
    'GET /api/saas/work-queue/counters': 'staff',
    'GET /api/saas/cases/:kind': 'staff',
    'GET /api/saas/cases/:kind/export': 'staff',
    'GET /api/saas/cases/:kind/work': 'staff',
    'POST /api/saas/cases/:kind/work': 'case_worker',
    'GET /api/saas/cases/:kind/pins/:entryId': 'staff',
    'GET /api/saas/proposals': 'staff',
    'GET /api/saas/proposals/:proposalId': 'staff',
    'POST /api/saas/proposals': 'support',
    'POST /api/saas/proposals/:proposalId/approval': 'approver',
    'GET /api/saas/workspaces/:tenantId/credit-proposals': 'staff',
    'POST /api/saas/workspaces/:tenantId/credit-proposals': 'support_or_finance',
    'POST /api/saas/credit-proposals/:operationId/approval': 'approver',
    'GET /api/saas/finance-report': 'finance',
    'GET /api/saas/search': 'staff',
    'GET /api/saas/live': 'staff',
    'GET /account': 'public',
    'GET /account/assets/:name': 'public',
    'GET /account/theme': 'public',
    'GET /account/sign-in': 'public',
    'GET /account/signed-in': 'public',
    'GET /account/session': 'public',
    'POST /account/sign-out': 'public',
    'GET /console': 'public',
    'GET /console/assets/:name': 'public',
    // These routes identify the caller themselves, and report it when no identity provider is configured.
    'GET /console/sign-in': 'public',
    'GET /console/signed-in': 'public',
    'GET /console/session': 'public',
    'POST /console/sign-out': 'public',
  },
  // A holder of the signing secret may call; the signature is the authentication.
  'billing-webhook': { 'POST /api/saas/webhooks/payment-provider': 'public' },
  // Serves only health, readiness and figures over HTTP; its work comes through the broker.
  provisioning: {},
  'lifecycle-delivery': {},
  // The pages are those of the sample project.
  'query-builder': {
    'POST /api/builder/AddQuery': 'platform_owner',
    'POST /api/builder/ConfigureQuery': 'platform_owner',
    'POST /api/builder/RemoveQuery': 'platform_owner',
    'POST /api/builder/PreviewQuery': 'platform_owner',
    'GET /api/builder/GetPageStructure': 'platform_owner',
    'GET /api/builder/ListQueryTemplates': 'platform_owner',
    'GET /api/builder/ListResources': 'platform_owner',
    'GET /api/builder/ListPages': 'platform_owner',
    'POST /api/builder/ReviewEdit': 'platform_owner',
    'GET /api/builder/ProposeAdoption': 'platform_owner',
    'POST /api/builder/AdoptQuery': 'platform_owner',
    'GET /api/builder/LastSave': 'platform_owner',
    'POST /api/builder/UndoSave': 'platform_owner',
    'GET /api/builder/QueryHistory': 'platform_owner',
    'GET /api/builder/ListDrafts': 'platform_owner',
    'POST /api/builder/SaveDraft': 'platform_owner',
    'POST /api/builder/DiscardDraft': 'platform_owner',
    'POST /api/builder/PublishDraft': 'platform_owner',
    'POST /api/builder/UnpublishQuery': 'platform_owner',
    'POST /api/builder/NewPage': 'platform_owner',
    'POST /api/builder/NewResource': 'platform_owner',
    'POST /api/builder/Introspect': 'platform_owner',
    'GET /api/builder/live': 'platform_owner',
    'GET /api/builder/health': 'public',
    'GET /api/builder/problems': 'platform_owner',
    'GET /dms/studio': 'public',
    'GET /dms/studio/assets/:name': 'public',
    'GET /dms/pages': 'any_page',
    'POST /dms/pages-session': 'sign_in',
    'GET /dms/pages-session': 'public',
    'GET /dms/pages-sign-in': 'public',
    'GET /dms/pages-signed-in': 'public',
    'GET /dms/pages-assets/:digest/page.css': 'public',
    'GET /dms/pages-assets/:digest/page.js': 'public',
    'GET /dms/pages-assets/:digest/icon.svg': 'public',
    'GET /dms/pages-assets/:digest/uplot.css': 'public',
    'GET /dms/pages-assets/:digest/uplot.js': 'public',
    // The addresses of pages are found when they are requested; the expected statuses are below.
    'GET /dms/pages/*': 'page_address',
  },
};

/** The addresses of the sample project's pages, each checked against its policy like a separate route. */
export const pageAddresses: Readonly<Record<string, Readonly<Record<string, ExpectedPolicy>>>> = {
  'query-builder': {
    'GET /dms/pages/shop/orders': 'chart_page',
    'GET /dms/pages/shop/customers': 'chart_page',
    'GET /dms/pages/shop/products': 'chart_page',
    'GET /dms/pages/shop/orders/stats/monthly-revenue': 'page',
    'GET /dms/pages/shop/orders/stats/daily-orders': 'page',
    'GET /dms/pages/shop/orders/stats/open-orders': 'page',
    'GET /dms/pages/shop/orders/stats/average-order': 'page',
    'GET /dms/pages/shop/orders/stats/top-categories': 'page',
    'GET /dms/pages/shop/orders/stats/orders-of/:status': 'page',
    'GET /dms/pages/shop/customers/stats/new-customers': 'page',
    'GET /dms/pages/shop/customers/stats/top-countries': 'page',
    'GET /dms/pages/shop/customers/stats/readers': 'page',
    'GET /dms/pages/shop/products/stats/stock-by-category': 'page',
    'GET /dms/pages/shop/products/stats/average-margin': 'page',
  },
};
