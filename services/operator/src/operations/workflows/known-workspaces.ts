/**
 * Whether a workspace exists, checked before any body is read. A workspace's row is never dropped, so a yes is
 * remembered; a no is read again each time.
 */
import type { RevisionedCollection } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';

const remembered = 100_000;

export function createKnownWorkspaces(
  subscriptions: RevisionedCollection<Subscription>,
): (tenantId: string) => Promise<boolean> {
  const known = new Set<string>();
  return async (tenantId) => {
    if (known.has(tenantId)) return true;
    if (!(await subscriptions.findById(tenantId))) return false;
    if (known.size >= remembered) known.clear();
    known.add(tenantId);
    return true;
  };
}
