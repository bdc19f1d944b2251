/** What the handlers of provider events need beyond the ports of operations, checkout and mirror. */
import type { Ids, OutboxEntry } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { CheckoutPorts } from '../../checkout/workflows/checkout-ports';
import type { MirrorPorts } from '../../mirror/workflows/mirror-ports';
import type { ProviderEventAdmission } from '../domain/provider-event';

export interface EventPorts extends CheckoutPorts, MirrorPorts {
  readonly ids: Ids;
  readonly admissions: RevisionedCollection<ProviderEventAdmission>;
  /** Publishes fresh outbox rows of an admission at once; the sweep covers what this misses. */
  readonly publishEventNow: (eventId: string, entries: readonly OutboxEntry[]) => void;
  readonly publish: (entry: OutboxEntry) => Promise<'acknowledged' | 'unknown'>;
}
