/** Admission of one provider event (workflows §6): whoever inserts it handles the event; nobody does it again. */
import type { ProviderEventOutcome } from '@platform/contracts-provisioning';
import type { Executor, OutboxEntry, Revisioned } from '@platform/kernel';

/** `_id` = the provider's event id. */
export interface EventAdmission extends Revisioned {
  readonly type: string;
  readonly admittedRevision: string;
  readonly executor: Executor;
  readonly status: 'pending' | 'completed';
  readonly outcome?: { readonly kind: ProviderEventOutcome; readonly error?: string };
  readonly outbox?: readonly OutboxEntry[];
}
