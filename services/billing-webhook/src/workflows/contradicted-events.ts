/**
 * Finds resolutions of events that their owners' records contradict. Reads only; the gateway asks, records and alerts.
 */
import { contradictedAmong, type WatchedPosition } from '@platform/durable/investigation';
import type { RevisionedCollection } from '@platform/mongo';
import { workspaceOf, type WebhookEvent } from '../domain/webhook-event';
import type { AskOwner } from './ask-owner';
import { ownersContradiction } from './second-proof';

export interface ContradictedPorts {
  readonly events: Pick<RevisionedCollection<WebhookEvent>, 'name' | 'find' | 'quarantine'>;
  readonly askOwner: AskOwner;
}

/** One page of the resolutions recorded after `since`. Throws StoreUnavailableError. */
export function contradictedEvents(ports: ContradictedPorts, since: Date, after?: WatchedPosition) {
  return contradictedAmong<NonNullable<WebhookEvent['resolution']>, WebhookEvent>(
    {
      records: ports.events,
      contradicts: async (event, { outcome }) => {
        const text = ownersContradiction(event, await ports.askOwner(event), outcome);
        return text === null ? null : { tenantId: workspaceOf(event), title: event.type, text, objects: [] };
      },
    },
    since,
    after,
  );
}
