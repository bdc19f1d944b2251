/** Lists of words that the contracts keep beside their schemas; written out here so that no schema enters the page. */
import type { DeliveryStatus, DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type {
  ActivityKind,
  CaseState,
  SubscriptionStatus,
  WebhookResult,
  WorkKind,
  WorkState,
} from '@platform/contracts-operator';
import { words } from '@platform/design-parts';

export const deliveryStatuses = [
  'pending',
  'failed',
  'succeeded',
  'skipped_deleted',
  'waived',
] as const satisfies readonly DeliveryStatus[];
export const subscriptionStatuses = [
  'pending_payment',
  'active',
  'trialing',
  'past_due',
  'suspended',
  'cancelled',
] as const satisfies readonly SubscriptionStatus[];
export const activityKinds = [
  'operation',
  'resolution',
  'migration',
  'migration_item',
  'provider_event',
  'creation',
  'consumer_action',
] as const satisfies readonly ActivityKind[];
export const webhookResults = [
  'reconciliation_required',
  'pending',
  'success',
  'skipped',
] as const satisfies readonly WebhookResult[];
export const workKinds = [
  'operation',
  'migration',
  'migration_item',
  'webhook_event',
  'provisioning_attempt',
  'deletion',
  'delivery',
  'dead_letter',
  'difference',
] as const satisfies readonly WorkKind[];
export const workStates = ['stopped', 'interrupted', 'running', 'waiting'] as const satisfies readonly WorkState[];

export const caseStateWords: Readonly<Record<CaseState, string>> = {
  new: 'New',
  looked_at: 'Looked at',
  waiting_for: 'Waiting for',
  proposed: 'Proposed',
  approved: 'Approved',
};

/** Never the single word, because a column of receipts would then seem to contain one. */
const waitingWords: Readonly<Record<string, string>> = {
  receipt: 'no receipt yet',
  retry: 'the next try is due later',
  consumer_unregistered: 'its consumer is not registered',
  consumer_paused: 'its consumer is paused',
};

/** Why a delivery has no receipt: the person who waived it, or what it waits for and how its last run failed. */
export function withoutReceipt({ waiver, waitingFor, lastError }: DeliveryView): string {
  if (waiver) return `Waived by ${waiver.by}: ${waiver.reason}${waiver.lateReceipt ? ' (a receipt came later)' : ''}`;
  return [waitingFor && (waitingWords[waitingFor] ?? words(waitingFor)), lastError].filter(Boolean).join(': ') || '–';
}
