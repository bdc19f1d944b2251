/** Changes of the work queue, published by any replica: decoded and passed on to this replica's browsers. */
import { workChangeSchema } from '@platform/contracts-operator';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { LiveFeed } from '../workflows/live-feed';

export function onWorkChanged(feed: Pick<LiveFeed, 'notify'>) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const change = workChangeSchema.safeParse(message.body);
    // A message that this build cannot read, and the notice of many changes, both make browsers read again.
    feed.notify(change.success ? change.data : null);
    return { kind: 'ack' };
  };
}
