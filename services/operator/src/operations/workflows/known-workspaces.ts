/**
 * The workspaces that this process has read. Whether one exists is checked before any body is read. A workspace's row is
 * never dropped, so a yes is remembered; a no is read again each time. Its plan is remembered as a guess of what to read
 * beside its row, and for nothing else.
 */
import type { RevisionedCollection } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';

const remembered = 100_000;

export interface KnownWorkspaces {
  exists(tenantId: string): Promise<boolean>;
  /** The plan of its row when it was last read here. */
  planOf(tenantId: string): string | undefined;
  /** Remembers a row that was read. */
  met(subscription: Pick<Subscription, '_id' | 'planId'>): void;
}

export function createKnownWorkspaces(
  subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>,
): KnownWorkspaces {
  const known = new Map<string, string>();
  const met: KnownWorkspaces['met'] = ({ _id, planId }) => {
    if (known.size >= remembered && !known.has(_id)) known.clear();
    known.set(_id, planId);
  };
  return {
    met,
    planOf: (tenantId) => known.get(tenantId),
    async exists(tenantId) {
      if (known.has(tenantId)) return true;
      const subscription = await subscriptions.findById(tenantId);
      if (subscription) met(subscription);
      return subscription !== null;
    },
  };
}
