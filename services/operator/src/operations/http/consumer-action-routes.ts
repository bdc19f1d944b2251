/**
 * What a person does to a consumer of another team: pause and resume. The record is lifecycle-delivery's, and so is the
 * decision; the gateway says who asks. A paused consumer stays required: suspensions and reactivations wait for it.
 */
import {
  consumerActionSchema,
  consumerNameSchema,
  consumerViewSchema,
  lifecycleRequests,
} from '@platform/contracts-lifecycle-delivery';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { z } from 'zod';

export interface ConsumerActionPorts {
  readonly messaging: Pick<Messaging, 'request'>;
}

const answerWithinMs = 5_000;

export function consumerActionRoutes({ messaging }: ConsumerActionPorts): Route[] {
  return [
    defineRoute({
      name: 'actOnConsumer',
      method: 'POST',
      path: '/api/saas/lifecycle/consumers/:consumer/actions',
      policy: 'platform_owner',
      tags: ['inspection'],
      summary: 'Pause or resume a lifecycle consumer',
      description:
        'A pause stops what is sent to the consumer and loses nothing: it stays required, messages go on waiting for its receipt, and what was recorded meanwhile leaves when it is resumed. What the broker holds already still arrives. A repeat with the same `requestId` changes nothing.',
      params: z.object({ consumer: consumerNameSchema.describe('Name of the consumer service.') }),
      body: consumerActionSchema,
      responses: { 200: consumerViewSchema },
      errors: ['not_found', 'peer_unavailable'],
      examples: {
        body: { example: { requestId: 'pause-2026-0001', action: 'pause', reason: 'The team moves its store.' } },
      },
      handle: async ({ params: { consumer }, body, caller }) => {
        const answer = await messaging.request(
          lifecycleRequests.act,
          { ...body, consumer, by: caller.email },
          answerWithinMs,
        );
        return answer.ok ? reply(200, consumerViewSchema.parse(answer.value)) : refusalOf(answer.error);
      },
    }),
  ];
}

function refusalOf({ code, serverCode }: { readonly code: string; readonly serverCode?: string }): Problem {
  switch (serverCode) {
    case 'unknown_consumer':
      return problem('not_found', { detail: 'No consumer of this name is registered.' });
    case 'request_id_reused':
      return problem('invalid_request', {
        errors: [{ pointer: '/body/requestId', message: 'names another action on this consumer already' }],
      });
    default:
      return problem('peer_unavailable', {
        detail: `lifecycle-delivery did not answer (${serverCode ?? code}). It is not known whether this is recorded: send it again with the same requestId.`,
        retryAfterSeconds: 2,
      });
  }
}
