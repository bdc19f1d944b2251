/** Serves the gateway's requests for events and for resolutions that the owners contradict. Read-only. */
import { webhookEventsSubject, webhookEventsRequestSchema } from '@platform/contracts-operator';
import {
  contradictedRequests,
  contradictedRequestSchema,
  judgedRequests,
  judgedRequestSchema,
} from '@platform/contracts-provisioning';
import { answering } from '@platform/durable/answering';
import { judgeProposed } from '@platform/durable/investigation';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { workspaceOf } from '../domain/webhook-event';
import { contradictedEvents, type ContradictedPorts } from '../workflows/contradicted-events';
import { eventView, type EventsPage, type EventsRequest } from '../workflows/list-events';
import { eventBecomes, eventReading, type EventReadingPorts } from '../workflows/read-event-resolution';

export function webhookEventsEndpoint(list: (request: EventsRequest) => Promise<EventsPage | null>): Endpoint {
  return {
    name: 'events',
    subject: webhookEventsSubject,
    answer: answering(webhookEventsRequestSchema, async (request) => {
      const page = await list(request);
      if (!page) return refused({ code: 'invalid_request', message: 'The cursor does not belong to this list.' });
      return ok({ events: page.events.map(eventView), ...(page.nextCursor && { nextCursor: page.nextCursor }) });
    }),
  };
}

export function contradictedEventsEndpoint(ports: ContradictedPorts): Endpoint {
  return {
    name: 'contradicted',
    subject: contradictedRequests.events,
    answer: answering(contradictedRequestSchema, async ({ since, after }) =>
      ok({ ...(await contradictedEvents(ports, since, after)) }),
    ),
  };
}

export function judgedEventEndpoint(ports: EventReadingPorts): Endpoint {
  return {
    name: 'judged',
    subject: judgedRequests.webhook_event,
    answer: answering(judgedRequestSchema, async (proposed) => {
      if (proposed.providerObject !== null)
        return ok({ refused: 'An event is its own proof: no object of the provider is named with it.' });
      const judged = await judgeProposed(
        { reading: eventReading, tenantOf: workspaceOf, becomes: eventBecomes },
        ports,
        proposed,
      );
      return ok(judged.ok ? { judged: judged.value } : { refused: judged.error });
    }),
  };
}
