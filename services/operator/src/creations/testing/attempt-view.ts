/** An attempt as provisioning answers for it. */
import type { AttemptView } from '@platform/contracts-provisioning';

export function attemptView(status: AttemptView['status'], tenantId = 't'): AttemptView {
  return {
    tenantId,
    userId: 'user@example.com',
    workspaceName: 'New',
    planId: 'starter',
    status,
    revision: 'r',
    executor: { service: 'provisioning', instance: 'p-1', incarnation: 'i', state: 'alive' },
    handles: {},
    providerCalls: [],
    listenerCalls: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}
