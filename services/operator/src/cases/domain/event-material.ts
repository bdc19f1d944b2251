/**
 * The material for the case of a provider event: its receiver's view, the operator's admission, the creation behind it.
 */
import type { WebhookEventView } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import type { ExecutorKnowledge } from '@platform/kernel';

/** What the owner of an event recorded: the admitting process and the outcome. */
export interface EventAdmissionFacts {
  readonly status: string;
  readonly executor: { readonly service: string; readonly instance: string; readonly incarnation: string };
  readonly knowledge: ExecutorKnowledge;
  readonly admittedAt: string;
  readonly finishedAt?: string;
  readonly error?: string;
}

export interface EventMaterial {
  readonly event: WebhookEventView;
  /** Null: the owner of the event has not admitted it, or the event has no owner. */
  readonly admission: EventAdmissionFacts | null | { readonly unavailable: string };
  /** The creation that the event concerns, when provisioning owns the event. */
  readonly creation: AttemptView | 'not_asked' | 'not_found' | { readonly unavailable: string };
  readonly tenantId: string | null;
}

export const isOpen = ({ result }: WebhookEventView): boolean =>
  result === 'pending' || result === 'reconciliation_required';

export function attemptOf({ creation }: EventMaterial): AttemptView | null {
  return typeof creation === 'object' && !('unavailable' in creation) ? creation : null;
}

export function admissionOf({ admission }: EventMaterial): EventAdmissionFacts | null {
  return admission && !('unavailable' in admission) ? admission : null;
}

/** No question about the creation is open any more. */
export const isEnded = ({ status }: AttemptView): boolean => status === 'committed' || status === 'cancelled';
