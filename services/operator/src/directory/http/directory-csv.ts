/** The directory of workspaces as comma-separated values. */
import { csvLine } from '@platform/kernel';
import type { WorkspaceRow } from '@platform/contracts-operator';

const directoryCsvColumns = [
  ...['workspace', 'name', 'owner_id', 'owner_email', 'plan', 'status', 'access', 'closed_because'],
  ...['pending', 'pending_operation', 'customer', 'subscription', 'created_at', 'updated_at'],
] as const;

export function directoryCsv(rows: readonly WorkspaceRow[]): string {
  const lines = rows.map(({ tenantId, workspaceName, owner, planId, status, access, pending, provider, ...times }) =>
    csvLine([
      ...[tenantId, workspaceName, owner?.userId, owner?.email, planId, status, access.state, access.reason],
      ...[pending?.kind, pending?.operationId, provider.customerId, provider.subscriptionId],
      ...[times.createdAt, times.updatedAt],
    ]),
  );
  return [csvLine(directoryCsvColumns), ...lines].join('');
}
