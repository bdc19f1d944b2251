/** A creation that waits for its payment, as provisioning reports it. */
import type { AttemptView } from '@platform/contracts-provisioning';

export const seenAt = '2026-03-01T12:00:00.000Z';

export const creationAttempt: AttemptView = {
  tenantId: 't-1',
  userId: 'u',
  workspaceName: 'Initrode',
  planId: 'pro',
  status: 'awaiting_payment',
  revision: 'r',
  executor: { service: 'provisioning', instance: 'provisioning-1', incarnation: 'p-1', state: 'superseded' },
  handles: { invoiceId: 'in_1' },
  providerCalls: [],
  listenerCalls: [],
  createdAt: seenAt,
  updatedAt: seenAt,
};
