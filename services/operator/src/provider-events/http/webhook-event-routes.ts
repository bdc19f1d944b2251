/** Provider events for people, read from the service that receives them. */
import {
  listQueryMembers,
  webhookEventsListed,
  webhookEventsSubject,
  webhookEventsPageSchema,
  webhookResultSchema,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { z } from 'zod';

const inspectionWaitMs = 2_000;
const eventsQuery = z.strictObject({
  result: webhookResultSchema.optional(),
  ...listQueryMembers,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(webhookEventsListed)
    .default(25)
    .describe('Rows of a page, bounded by the size of a message.'),
});

export function webhookEventRoutes({ messaging }: { readonly messaging: Pick<Messaging, 'request'> }): Route[] {
  return [
    defineRoute({
      name: 'listWebhookEvents',
      method: 'GET',
      path: '/api/saas/webhook-events',
      policy: 'staff',
      tags: ['inspection'],
      summary: "The payment provider's events by result, newest first",
      description:
        'With `result=reconciliation_required` this is the work queue of events. A resolution is recorded off-line.',
      query: eventsQuery,
      responses: { 200: webhookEventsPageSchema },
      errors: ['peer_unavailable'],
      handle: async ({ query }) => {
        const answer = await messaging.request(webhookEventsSubject, { ...query }, inspectionWaitMs);
        if (answer.ok) return reply(200, webhookEventsPageSchema.parse(answer.value));
        return answer.error.serverCode === 'invalid_request'
          ? problem('invalid_request', { detail: answer.error.message })
          : problem('peer_unavailable', {
              detail: `billing-webhook did not answer (${answer.error.code}).`,
              retryAfterSeconds: 2,
            });
      },
    }),
  ];
}
