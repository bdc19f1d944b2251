/** Workspaces in the words of the contract. Every field is chosen here. */
import { operatorCodes, type WorkspaceDetail, type WorkspaceRow } from '@platform/contracts-operator';
import { creationOutcome } from '../../creations/http/creation-outcome';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';
import { adminStateView } from '../../mirror/http/admin-state-view';
import { operationView } from '../../operations/http/operation-view';
import type { AttemptExecutorStates } from '../../operations/workflows/read-operation';
import { dashboardUrl, type DashboardMode } from '../domain/dashboard';
import type { Answered, ReadWorkspace } from '../workflows/read-workspace';

export function workspaceRow(subscription: Subscription): WorkspaceRow {
  const { _id, workspaceName, owner, planId, status, transition, provider, createdAt, updatedAt } = subscription;
  const { state, reason } = accessOf(subscription);
  const { customerId, subscriptionId } = provider;
  return {
    tenantId: _id,
    workspaceName,
    ...(owner && { owner: { ...owner } }),
    planId,
    status,
    access: { state, ...(reason && { reason }) },
    ...(transition && { pending: { kind: transition.kind, operationId: transition.operationId } }),
    provider: {
      ...(customerId !== undefined && { customerId }),
      ...(subscriptionId !== undefined && { subscriptionId }),
    },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function workspaceDetail(
  { subscription, operations, actions, creation, deliveries, invoice, asOf }: ReadWorkspace,
  executors: AttemptExecutorStates,
  mode: DashboardMode,
): WorkspaceDetail {
  const { customerId, subscriptionId } = subscription.provider;
  const customerUrl = dashboardUrl(mode, 'customers', customerId);
  const subscriptionUrl = dashboardUrl(mode, 'subscriptions', subscriptionId);
  const invoiceUrl = dashboardUrl(mode, 'invoices', invoice.state === 'known' ? invoice.value.invoiceId : undefined);
  return {
    workspace: workspaceRow(subscription),
    state: adminStateView(subscription),
    operations: operations.map((operation) => operationView(operation, executors)),
    actions: actions.map(({ action, refusal }) => ({
      action,
      ...(refusal && {
        refusal: { code: refusal.code, message: refusal.detail ?? operatorCodes[refusal.code].message },
      }),
    })),
    creation: mapped(creation, creationOutcome),
    deliveries: mapped(deliveries, (list) => [...list]),
    invoice,
    provider: {
      mode,
      ...(customerUrl !== undefined && { customerUrl }),
      ...(subscriptionUrl !== undefined && { subscriptionUrl }),
      ...(invoiceUrl !== undefined && { invoiceUrl }),
    },
    asOf: asOf.toISOString(),
  };
}

function mapped<T, R>(answered: Answered<T>, view: (value: T) => R): Answered<R> {
  return answered.state === 'known' ? { state: 'known', value: view(answered.value) } : answered;
}
