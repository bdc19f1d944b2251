/** The gateway's requests for events, and for recorded ends that their owners contradict. Read-only. */
import { webhookEventsSubject, webhookEventsRequestSchema } from '@platform/contracts-operator';
import { contradictedRequests, contradictedRequestSchema } from '@platform/contracts-provisioning';
import { answering } from '@platform/durable/answering';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { contradictedEvents, type ContradictedPorts } from '../workflows/contradicted-events';
import { eventView, type EventsPage, type EventsRequest } from '../workflows/list-events';

export function webhookEventsEndpoint(list: (request: EventsRequest) => Promise<EventsPage | null>): Endpoint {
  return {
    name: 'events',
    subject: webhookEventsSubject,
    answer: answering(webhookEventsRequestSchema, async (request) => {
      const page = await list(request);
      if (!page) return refused({ code: 'invalid_request', message: 'The cursor is not one of this list.' });
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
