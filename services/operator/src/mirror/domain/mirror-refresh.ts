/**
 * A durable note that a workspace's mirror must be read again from the provider. It is made when an event finds a
 * pending transition (ordinary writes refuse one) or an unreachable provider, when a workspace is committed, and when
 * an investigation ends. It is removed only after the mirror was written.
 */
import type { Revisioned } from '@platform/kernel';

export interface MirrorRefresh extends Revisioned {
  /** The last event or resolution that requested it; `_id` is the tenant. */
  readonly eventId: string;
  readonly reason: 'transition_pending' | 'provider_unavailable' | 'workspace_committed' | 'resolution' | 'operation';
}
