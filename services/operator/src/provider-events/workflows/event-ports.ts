/** What the handlers of provider events need beyond the ports of operations and checkout. */
import type { Ids, OutboxEntry } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import type { CheckoutPorts } from '../../checkout/workflows/checkout-ports';
import type { ProviderEventAdmission } from '../domain/provider-event';

export interface EventPorts extends CheckoutPorts {
  readonly ids: Ids;
  readonly admissions: CheckedCollection<ProviderEventAdmission>;
  /** Publishes fresh outbox rows of an admission at once; the sweep covers what this misses. */
  readonly publishEventNow: (eventId: string, entries: readonly OutboxEntry[]) => void;
  readonly publish: (entry: OutboxEntry) => Promise<'acknowledged' | 'unknown'>;
}
