/** Lists of words that the contracts keep beside their schemas; written out here so that no schema enters the page. */
import type { DeliveryStatus } from '@platform/contracts-lifecycle-delivery';
import type { WebhookResult, WorkKind, WorkState } from '@platform/contracts-operator';

export const deliveryStatuses = [
  'pending',
  'failed',
  'succeeded',
  'skipped_deleted',
] as const satisfies readonly DeliveryStatus[];
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
  'delivery',
  'dead_letter',
] as const satisfies readonly WorkKind[];
export const workStates = ['stopped', 'interrupted', 'running', 'waiting'] as const satisfies readonly WorkState[];
