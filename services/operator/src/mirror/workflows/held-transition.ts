/**
 * What the holder of a transition may do to the mirror: write what the provider confirmed while the transition is there,
 * and clear it once the outcome is in the journal (law 6).
 */
import { decide, type RetryPolicy } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import {
  clearTransition,
  holdsTransition,
  mirror,
  type Subscription,
  type SubscriptionPatch,
} from '../domain/subscription';

interface HolderPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly retryPolicy: RetryPolicy;
}

export type Mirrored =
  | { readonly kind: 'written'; readonly subscription: Subscription }
  /** The transition has gone: a stale executor writes nothing. */
  | { readonly kind: 'fenced_off' }
  | { readonly kind: 'store_unavailable' };

/** Writes the mirror while this operation, or item of a migration, holds the transition. */
export async function mirrorWhileHeld(
  ports: HolderPorts,
  tenantId: string,
  operationId: string,
  patch: SubscriptionPatch,
): Promise<Mirrored> {
  const decided = await decide(ports, ports.subscriptions, tenantId, (read) =>
    read && holdsTransition(read, operationId) ? { write: mirror(read, patch) } : { answer: 'fenced_off' },
  );
  if (decided.kind === 'written') return { kind: 'written', subscription: decided.record };
  return { kind: decided.kind === 'answered' ? 'fenced_off' : 'store_unavailable' };
}

/** Clears the transition while `left` says that it is the ended one's; true when none is left. */
export async function clearLeftTransition(
  ports: HolderPorts,
  tenantId: string,
  left: (subscription: Subscription) => boolean,
  patch: (subscription: Subscription) => SubscriptionPatch,
): Promise<boolean> {
  const decided = await decide(ports, ports.subscriptions, tenantId, (read) =>
    read && left(read) ? { write: clearTransition(read, patch(read)) } : { answer: 'clear' },
  );
  return decided.kind !== 'unknown';
}
