/**
 * What the holder of a transition may do to the mirror: write what the provider confirmed while the transition exists,
 * and clear the transition once the outcome is in the journal (law 6).
 */
import { decide, type RetryPolicy } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import type { MirrorRefresh } from '../domain/mirror-refresh';
import { clearTransition, mirror, type Subscription, type SubscriptionPatch } from '../domain/subscription';

import { requestRefresh } from './refresh-mirrors';

interface HolderPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly retryPolicy: RetryPolicy;
}

/** The subscription of a workspace; `read` saves the first reading when the caller has just read or written it. */
interface Held {
  readonly tenantId: string;
  readonly read?: Subscription | undefined;
}

export type Mirrored =
  | { readonly kind: 'written'; readonly subscription: Subscription }
  /** The transition is gone, so a stale executor writes nothing. */
  | { readonly kind: 'fenced_off' }
  | { readonly kind: 'store_unavailable' };

/** Writes the mirror while `held` says that the caller still has the transition. */
export async function mirrorWhileHeld(
  ports: HolderPorts,
  { tenantId, read: known }: Held,
  held: (subscription: Subscription) => boolean,
  patch: SubscriptionPatch,
): Promise<Mirrored> {
  const decided = await decide<Subscription, Subscription, 'fenced_off'>(
    ports,
    ports.subscriptions,
    tenantId,
    (read) => (read && held(read) ? { write: mirror(read, patch) } : { answer: 'fenced_off' }),
    known,
  );
  if (decided.kind === 'written') return { kind: 'written', subscription: decided.record };
  return { kind: decided.kind === 'answered' ? decided.answer : 'store_unavailable' };
}

/**
 * Clears the transition while `left` says that it belongs to the ended attempt; true when no transition is left. The
 * `refresh` note is durable before the transition is removed, so after a crash in between the mirror is still read from
 * the provider.
 */
export async function clearLeftTransition(
  ports: HolderPorts & { readonly refreshes: RevisionedCollection<MirrorRefresh> },
  { tenantId, read: known }: Held,
  left: (subscription: Subscription) => boolean,
  patch: (subscription: Subscription) => SubscriptionPatch,
  refresh?: { readonly eventId: string; readonly reason: MirrorRefresh['reason'] },
): Promise<boolean> {
  const decided = await decide<Subscription, Subscription, boolean>(
    ports,
    ports.subscriptions,
    tenantId,
    async (read) => {
      if (!read || !left(read)) return { answer: true };
      if (refresh && !(await requestRefresh(ports, tenantId, refresh.eventId, refresh.reason)))
        return { answer: false };
      return { write: clearTransition(read, patch(read)) };
    },
    known,
  );
  return decided.kind === 'answered' ? decided.answer : decided.kind === 'written';
}
