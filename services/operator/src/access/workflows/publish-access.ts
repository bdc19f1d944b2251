/**
 * The copy of access in the broker's bucket. A value replaces only one with a lower revision, and only the one that was
 * read, so neither a late message nor a second writer brings an older value back; values that the broker loses are
 * written again from the records (law 7).
 */
import { canonicalJson, type Log } from '@platform/kernel';
import {
  tenantIdSchema,
  workspaceAccessBucket,
  workspaceAccessSchema,
  type WorkspaceAccess,
} from '@platform/contracts-operator';
import { walk } from '@platform/durable/record';
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';

type Bucket = Pick<Messaging, 'readKey' | 'writeKey'>;

/** Lost races after which the value is left to the next sweep. */
const races = 8;

/** `acknowledged`: the bucket holds this value or a newer one. Never throws. */
export async function publishAccess(
  bucket: Bucket,
  tenantId: string,
  access: WorkspaceAccess,
): Promise<'acknowledged' | 'unknown'> {
  for (let race = 0; race < races; race += 1) {
    let read;
    try {
      read = await bucket.readKey(workspaceAccessBucket, tenantId);
    } catch {
      return 'unknown';
    }
    const standing = workspaceAccessSchema.safeParse(read?.value);
    if (standing.success && !replaces(access, standing.data)) return 'acknowledged';
    const written = await bucket.writeKey(workspaceAccessBucket, tenantId, { ...access }, read?.sequence ?? 0);
    if (written !== 'conflict') return written === 'written' ? 'acknowledged' : 'unknown';
  }
  return 'unknown';
}

/** Two values with one revision come only from builds with different rules; the value that is written last stays. */
function replaces(access: WorkspaceAccess, standing: WorkspaceAccess): boolean {
  return (
    access.revision > standing.revision ||
    (access.revision === standing.revision && canonicalJson(access) !== canonicalJson(standing))
  );
}

/** For the relay: publishes the entries that {@link announcingAccess} wrote. Throws for any other entry. */
export function accessPublisher(bucket: Bucket) {
  return ({ body }: { readonly body: Readonly<Record<string, unknown>> }): Promise<'acknowledged' | 'unknown'> =>
    publishAccess(bucket, tenantIdSchema.parse(body['tenantId']), workspaceAccessSchema.parse(body));
}

export interface BucketPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
  readonly messaging: Bucket & Pick<Messaging, 'bucketIdentity'>;
  readonly log: Log;
}

/** Concurrent writes of keys. */
const atATime = 32;

/**
 * Fills the bucket from the records once in the life of this process, and again when the broker has recreated the
 * bucket. Throws StoreUnavailableError, and when the broker is unreachable; the next round starts over.
 */
export function keepBucket({ subscriptions, messaging, log }: BucketPorts) {
  let filled: string | null = null;
  return async (stopping: () => boolean = () => false): Promise<void> => {
    const identity = await messaging.bucketIdentity(workspaceAccessBucket);
    if (identity === null || identity === filled) return;
    let whole = true;
    let wave: Promise<'acknowledged' | 'unknown'>[] = [];
    const settle = async (): Promise<void> => {
      whole = (await Promise.all(wave)).every((outcome) => outcome === 'acknowledged') && whole;
      wave = [];
    };
    for await (const subscription of walk(subscriptions, {})) {
      if (stopping() || !whole) return;
      wave.push(publishAccess(messaging, subscription._id, accessOf(subscription)));
      if (wave.length >= atATime) await settle();
    }
    await settle();
    if (!whole) return;
    if (filled !== null) log.info({ bucket: workspaceAccessBucket }, 'the bucket was recreated and is filled again');
    filled = identity;
  };
}
