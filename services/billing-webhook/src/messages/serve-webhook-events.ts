/** The gateway's request for events. Read-only. */
import { webhookEventsSubject, webhookEventsRequestSchema } from '@platform/contracts-operator';
import { ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import { eventView, type EventsPage, type EventsRequest } from '../workflows/list-events';

export function webhookEventsEndpoint(list: (request: EventsRequest) => Promise<EventsPage | null>): Endpoint {
  return {
    name: 'events',
    subject: webhookEventsSubject,
    answer: async (body) => {
      const request = webhookEventsRequestSchema.safeParse(body);
      if (!request.success)
        return refused({
          code: 'invalid_request',
          message: request.error.issues[0]?.message ?? 'the question does not match its schema',
        });
      try {
        const page = await list(request.data);
        if (!page) return refused({ code: 'invalid_request', message: 'The cursor is not one of this list.' });
        return ok({ events: page.events.map(eventView), ...(page.nextCursor && { nextCursor: page.nextCursor }) });
      } catch (error) {
        if (error instanceof StoreUnavailableError)
          return refused({ code: 'store_unavailable', message: 'The document store cannot be asked now.' });
        throw error;
      }
    },
  };
}
