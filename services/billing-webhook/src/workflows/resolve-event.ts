/**
 * The end of an investigation of an event: `applied` means that its effect exists (result success), `not_applied` that
 * it does not and never will (result skipped). One fenced write, no effect: an event is never handled again.
 */
import { defineInvestigation } from '@platform/durable/investigation';
import type { CheckedCollection } from '@platform/durable/record';
import { resolve, type WebhookEvent } from '../domain/webhook-event';
import { eventReading, type EventReadingPorts } from './read-event-resolution';

export interface ResolvePorts extends EventReadingPorts {
  readonly events: CheckedCollection<WebhookEvent>;
}

export const eventInvestigation = defineInvestigation({
  ...eventReading,
  changed:
    'The record has changed since it was read (perhaps a redelivery was counted). Read it again and judge it again.',
  records: (ports: ResolvePorts) => ports.events,
  resolve: (_ports, event, resolution) => resolve(event, resolution),
});
