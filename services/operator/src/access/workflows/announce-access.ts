/**
 * All writes of subscription records go through here. A write that changes access carries the intent to publish it in
 * the same document, so a crash right after it loses nothing (law 7). Every write also carries the keys by which the
 * workspace is found. Workflows need not handle either.
 */
import { assert, type Clock, type OutboxEntry } from '@platform/kernel';
import { workspaceAccessBucket } from '@platform/contracts-operator';
import type { Draft, RevisionedCollection, Store } from '@platform/mongo';
import { accessOf, closedReasonOf } from '../../mirror/domain/access';
import { withSearchKeys } from '../../mirror/domain/search-keys';
import type { Subscription } from '../../mirror/domain/subscription';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';

export interface AnnouncePorts {
  readonly clock: Clock;
  /** Publishes what a write has just announced; the sweep covers what this misses. */
  readonly publishNow: (tenantId: string, entries: readonly OutboxEntry[]) => void;
}

/** The collection that announces each change of access. Throws InvariantError for a change that kept its revision. */
export function announcingAccess(
  subscriptions: RevisionedCollection<Subscription>,
  { clock, publishNow }: AnnouncePorts,
): RevisionedCollection<Subscription> {
  const announcing = async <R extends { readonly outcome: string }>(
    tenantId: string,
    entries: readonly OutboxEntry[],
    write: (announce: readonly OutboxEntry[]) => Promise<R>,
    further: readonly OutboxEntry[] = [],
  ): Promise<R> => {
    const written = await write([...further, ...entries]);
    // A value that may not have been written must not be published: its revision will be used for another value.
    if (written.outcome === 'applied' && entries.length > 0) publishNow(tenantId, entries);
    return written;
  };
  return {
    name: subscriptions.name,
    derived: ['search'],
    quarantine: subscriptions.quarantine,
    outbox: subscriptions.outbox,
    findById: (id) => subscriptions.findById(id),
    find: (filter, options) => subscriptions.find(filter, options),
    count: (filter) => subscriptions.count(filter),
    remove: (current) => subscriptions.remove(current),
    insert: (draft, further) =>
      announcing(
        draft._id,
        [entryOf(draft, clock.now())],
        (all) => subscriptions.insert(withSearchKeys(draft), all),
        further,
      ),
    mutate: async (current, next, further) => {
      const entries = changed(current, next) ? [entryOf(next, clock.now())] : [];
      return announcing(next._id, entries, (all) => subscriptions.mutate(current, withSearchKeys(next), all), further);
    },
  };
}

/**
 * The subscriptions of a process without a broker, such as the off-line tools: the relay of a running gateway publishes
 * their announcements.
 */
export function subscriptionsOf(store: Pick<Store, 'collection'>, clock: Clock): RevisionedCollection<Subscription> {
  return announcingAccess(store.collection(subscriptionsCollection), { clock, publishNow: () => undefined });
}

function changed(current: Subscription, next: Draft<Subscription>): boolean {
  const numbered = (next.accessRevision ?? 0) > (current.accessRevision ?? 0);
  assert(
    numbered === (closedReasonOf(current) !== closedReasonOf(next)),
    `subscription ${next._id}: access and its revision change together`,
  );
  return numbered;
}

function entryOf(subscription: Draft<Subscription>, now: Date): OutboxEntry {
  const access = accessOf(subscription);
  return {
    id: `workspace-access:${subscription._id}:${access.revision}`,
    subject: `$KV.${workspaceAccessBucket}.${subscription._id}`,
    type: 'workspace.access.v1',
    body: { tenantId: subscription._id, ...access },
    closesOn: 'publish_ack',
    createdAt: now,
  };
}
