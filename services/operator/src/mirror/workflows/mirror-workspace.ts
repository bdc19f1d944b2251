/**
 * The gateway's mirror of a committed workspace, inserted once under the tenant's id: a repeat finds it and does not
 * change it. Provisioning is notified when the mirror is durable, and repeats its message until then.
 */
import type { WorkspaceCommitted } from '@platform/contracts-provisioning';
import type { Clock } from '@platform/kernel';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { MirrorRefresh } from '../domain/mirror-refresh';
import type { Subscription } from '../domain/subscription';
import { requestRefresh } from './refresh-mirrors';

export type Mirroring =
  | 'mirrored'
  /** The store did not answer; deliver the message again. */
  | 'again';

/** A workspace that starts: on trial, or active; a free plan has no subscription at the provider. */
function mirrorOf(committed: WorkspaceCommitted, now: Date): Draft<Subscription> {
  const { tenantId, workspaceName, ownerUserId, ownerEmail, planId, provider, trialing, currentPeriodEnd } = committed;
  const { customerId, subscriptionId, itemId } = provider;
  return {
    _id: tenantId,
    workspaceName,
    owner: { userId: ownerUserId, ...(ownerEmail !== undefined && { email: ownerEmail }) },
    status: trialing ? 'trialing' : 'active',
    access: { state: 'open', since: now, operationId: null },
    accessRevision: 1,
    planId,
    provider: {
      ...(customerId && { customerId }),
      ...(subscriptionId && { subscriptionId }),
      ...(itemId && { itemId }),
    },
    isComplimentary: false,
    ...(currentPeriodEnd && { currentPeriodEnd: new Date(currentPeriodEnd) }),
  };
}

/** Events that arrived before the mirror existed were skipped, so the provider is read once more. */
export async function mirrorWorkspace(
  ports: {
    readonly subscriptions: RevisionedCollection<Subscription>;
    readonly refreshes: RevisionedCollection<MirrorRefresh>;
    readonly clock: Clock;
  },
  committed: WorkspaceCommitted,
): Promise<Mirroring> {
  const insertion = await ports.subscriptions.insert(mirrorOf(committed, ports.clock.now()));
  const exists =
    insertion.outcome === 'applied' || (insertion.outcome === 'not_applied' && insertion.existing !== null);
  if (!exists) return 'again';
  if (!committed.provider.subscriptionId) return 'mirrored';
  return (await requestRefresh(
    ports,
    committed.tenantId,
    `workspace-committed:${committed.tenantId}`,
    'workspace_committed',
  ))
    ? 'mirrored'
    : 'again';
}
