/**
 * A durable note that a workspace's mirror must be read anew from the provider: made when an event finds a transition
 * pending (ordinary writes refuse it) or the provider away, and when a workspace is committed, and taken away only after the mirror was written.
 */
import type { Revisioned } from '@platform/kernel';

export interface MirrorRefresh extends Revisioned {
  /** Event that asked last; `_id` is the tenant. */
  readonly eventId: string;
  readonly reason: 'transition_pending' | 'provider_unavailable' | 'workspace_committed';
}
