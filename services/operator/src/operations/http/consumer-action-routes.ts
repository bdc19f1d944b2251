/**
 * What a person does to a consumer: pause, resume, test, replay. The record is lifecycle-delivery's, and so is the
 * decision; the gateway says who asks. A paused consumer stays required: suspensions and reactivations wait for it, so a
 * pause is the platform owner's; its team tests it and replays to it.
 */
import {
  consumerActionSchema,
  consumerViewSchema,
  lifecycleLimits,
  lifecycleRequests,
} from '@platform/contracts-lifecycle-delivery';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { consumerParams } from './consumer-routes';

export interface ConsumerActionPorts {
  readonly messaging: Pick<Messaging, 'request'>;
}

const answerWithinMs = 5_000;

/** What a team does to its own consumer; a pause would hold the platform's operations. */
const ofTheTeam: ReadonlySet<string> = new Set(['test', 'replay', 'cancel_replay']);

export function consumerActionRoutes({ messaging }: ConsumerActionPorts): Route[] {
  return [
    defineRoute({
      name: 'actOnConsumer',
      method: 'POST',
      path: '/api/saas/lifecycle/consumers/:consumer/actions',
      policy: 'consumer_team_or_platform_owner',
      tags: ['inspection'],
      summary: 'Pause, resume, test or replay to a lifecycle consumer, or register its endpoint',
      description:
        'A pause stops what is sent to the consumer and loses nothing: it stays required, messages go on waiting for its receipt, and what was recorded meanwhile leaves when it is resumed. What the broker holds already still arrives. A test sends one message that names no workspace; its receipt is in `tests`, for the consumer answers later. A replay sends again what the consumer gave receipts for from `since` until now: page by page while nothing else waits for it, at most ten messages a second, one replay at a time. It changes no operation; `replay` shows how far it is, and `cancel_replay` ends it. `register_endpoint` has a team without the broker served over HTTP from now on: each message is a signed POST to `endpoint.url`, and its answer is the receipt; a repeat with other values moves the endpoint. `remove_endpoint` ends that: the consumer is not required from then on. A repeat with the same `requestId` changes nothing. The team of a consumer may test and replay; a pause and its end are for the platform owner.',
      params: consumerParams,
      body: consumerActionSchema,
      responses: { 200: consumerViewSchema },
      errors: ['not_found', 'forbidden', 'consumer_action_refused', 'rate_limited', 'peer_unavailable'],
      examples: {
        body: {
          pause: { requestId: 'pause-2026-0001', action: 'pause', reason: 'The team moves its store.' },
          replay: {
            requestId: 'replay-2026-0001',
            action: 'replay',
            since: '2026-03-02T08:00:00.000Z',
            reason: 'The team restored its store as of eight.',
          },
          endpoint: {
            requestId: 'endpoint-2026-0001',
            action: 'register_endpoint',
            reason: 'The team has no broker.',
            endpoint: {
              url: 'https://billing.example/lifecycle',
              secretRef: 'billing',
              transitions: ['suspended', 'reactivation_requested'],
              contact: 'billing@example.com',
            },
          },
        },
      },
      handle: async ({ params: { consumer }, body, caller }) => {
        if (caller.role !== 'platform_owner' && !ofTheTeam.has(body.action))
          return problem('forbidden', { detail: 'A pause and its end are for a platform owner.' });
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
        errors: [{ pointer: '/requestId', message: 'names another action on this consumer already' }],
      });
    case 'tests_not_answered':
      return problem('consumer_action_refused', {
        detail: 'Its registration does not say that it answers tests. It needs a release that does.',
      });
    case 'consumer_paused':
      return problem('consumer_action_refused', { detail: 'It is paused: nothing is sent to it until it is resumed.' });
    case 'replay_running':
      return problem('consumer_action_refused', { detail: 'A replay of it runs. Wait for its end, or cancel it.' });
    case 'no_replay':
      return problem('consumer_action_refused', { detail: 'No replay of it runs.' });
    case 'served_by_broker':
      return problem('consumer_action_refused', {
        detail: 'It is registered over the broker. Its team unregisters it there first.',
      });
    case 'no_endpoint':
      return problem('consumer_action_refused', { detail: 'It has no endpoint.' });
    case 'too_many_consumers':
      return problem('consumer_action_refused', { detail: 'There are as many consumers as there may be.' });
    case 'endpoint_not_allowed':
      return problem('invalid_request', {
        errors: [{ pointer: '/endpoint/url', message: 'must be https, and its address must be public' }],
      });
    case 'since_not_past':
      return problem('invalid_request', { errors: [{ pointer: '/since', message: 'must be before now' }] });
    case 'test_too_soon': {
      const seconds = lifecycleLimits.testEveryMs / 1_000;
      const detail = `Its last test is too young: one is sent every ${seconds} s at most. Send it again then.`;
      return problem('rate_limited', { detail, retryAfterSeconds: seconds });
    }
    default:
      return problem('peer_unavailable', {
        detail: `lifecycle-delivery did not answer (${serverCode ?? code}). It is not known whether this is recorded: send it again with the same requestId.`,
        retryAfterSeconds: 2,
      });
  }
}
