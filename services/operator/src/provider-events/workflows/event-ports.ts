/** What the handlers of provider events need beyond the operations' ports. */
import type { Ids, OutboxEntry } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import type { CheckoutReceipt } from '../../checkout/domain/checkout-receipt';
import type { ProviderEventAdmission } from '../domain/provider-event';
import type { OperatorPorts } from '../../operations/workflows/ports';

export interface EventPorts extends OperatorPorts {
  readonly ids: Ids;
  readonly admissions: CheckedCollection<ProviderEventAdmission>;
  readonly receipts: RevisionedCollection<CheckoutReceipt>;
  /** Publishes fresh outbox rows of an admission at once; the sweep covers what this misses. */
  readonly publishEventNow: (eventId: string, entries: readonly OutboxEntry[]) => void;
  readonly publish: (entry: OutboxEntry) => Promise<'acknowledged' | 'unknown'>;
}
