/**
 * Lifecycle deliveries and consumers: all of them for the platform's people, and one consumer with its deliveries for the
 * team that it belongs to. Read-only; asked of lifecycle-delivery.
 */
import {
  consumerNameSchema,
  consumersListSchema,
  consumersPageSchema,
  consumerViewSchema,
  deliveriesPageSchema,
  deliveryStatusSchema,
  lifecycleRequests,
  type ConsumerView,
} from '@platform/contracts-lifecycle-delivery';
import { consumerDetailSchema, listQueryMembers, type ConsumerDetail } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { z } from 'zod';

export interface ConsumerPorts {
  readonly messaging: Pick<Messaging, 'request' | 'connected' | 'streamStates'>;
}

const inspectionWaitMs = 2_000;
const stream = 'TENANT_LIFECYCLE';

export const consumerParams = z.object({ consumer: consumerNameSchema.describe('Name of the consumer service.') });

const statusMember = { status: deliveryStatusSchema.optional().describe('Only deliveries with this status now.') };

export function consumerRoutes(ports: ConsumerPorts): Route[] {
  return [...platformRoutes(ports), ...teamRoutes(ports)];
}

function platformRoutes(ports: ConsumerPorts): Route[] {
  return [
    defineRoute({
      name: 'listDeliveries',
      method: 'GET',
      path: '/api/saas/lifecycle/deliveries',
      policy: 'staff',
      tags: ['inspection'],
      summary: 'Lifecycle deliveries by status, newest first',
      description:
        'One row for each message to one consumer service, with how often it was sent and what was refused. Asked of lifecycle-delivery.',
      query: z.strictObject({ ...statusMember, consumer: z.string().max(64).optional(), ...listQueryMembers }),
      responses: { 200: deliveriesPageSchema },
      errors: ['peer_unavailable'],
      handle: async ({ query }) =>
        answerOf(await requestPeer(ports, lifecycleRequests.deliveries, query, deliveriesPageSchema)),
    }),
    defineRoute({
      name: 'listConsumers',
      method: 'GET',
      path: '/api/saas/lifecycle/consumers',
      policy: 'staff',
      tags: ['inspection'],
      summary: 'Registered lifecycle consumers and what waits for them',
      description:
        'By name, with the transitions that each is registered for, its oldest delivery that lacks a receipt, and the reports of it that could not be accepted. Asked of lifecycle-delivery.',
      responses: { 200: consumersListSchema },
      errors: ['peer_unavailable'],
      handle: async () => answerOf(await everyConsumer(ports)),
    }),
  ];
}

function teamRoutes(ports: ConsumerPorts): Route[] {
  return [
    defineRoute({
      name: 'readConsumer',
      method: 'GET',
      path: '/api/saas/lifecycle/consumers/:consumer',
      policy: 'consumer_team_or_staff',
      tags: ['inspection'],
      summary: 'Read a lifecycle consumer: registration, what waits for it, wrong receipts, tests, replay, lag',
      description:
        'Asked of lifecycle-delivery, and of the broker for `lag`; where the broker does not answer, `lag` is absent. A team reads its own consumers alone.',
      params: consumerParams,
      responses: { 200: consumerDetailSchema },
      errors: ['not_found', 'peer_unavailable'],
      handle: async ({ params }) => {
        const [answer, lag] = await Promise.all([everyConsumer(ports), lagOf(ports, params.consumer)]);
        if (!answer.ok) return answer.problem;
        const consumer = answer.value.consumers.find(({ name }) => name === params.consumer);
        if (!consumer) return problem('not_found', { detail: 'No consumer of this name is registered.' });
        return reply(200, { consumer: consumerViewSchema.parse(consumer), ...(lag && { lag }) });
      },
    }),
    defineRoute({
      name: 'listConsumerDeliveries',
      method: 'GET',
      path: '/api/saas/lifecycle/consumers/:consumer/deliveries',
      policy: 'consumer_team_or_staff',
      tags: ['inspection'],
      summary: 'Lifecycle deliveries to one consumer, newest first',
      description:
        'One row for each message, with its attempts and what came back. Asked of lifecycle-delivery. A team reads those of its own consumers alone.',
      params: consumerParams,
      query: z.strictObject({ ...statusMember, ...listQueryMembers }),
      responses: { 200: deliveriesPageSchema },
      errors: ['not_found', 'peer_unavailable'],
      handle: async ({ params, query }) => {
        const asked = { ...query, consumer: params.consumer };
        return answerOf(await requestPeer(ports, lifecycleRequests.deliveries, asked, deliveriesPageSchema));
      },
    }),
  ];
}

/** What the broker says of the consumer's durable; undefined while it does not answer. */
async function lagOf({ messaging }: ConsumerPorts, consumer: string): Promise<ConsumerDetail['lag']> {
  if (!messaging.connected()) return undefined;
  const streams = await messaging.streamStates().catch(() => null);
  if (!streams) return undefined;
  const durable = streams.find((each) => each.stream === stream)?.durables.find((each) => each.durable === consumer);
  if (!durable) return { durable: 'absent' };
  const { pending, ackPending, redelivered, waiting } = durable;
  return { durable: 'present', pending, ackPending, redelivered, waiting };
}

type PeerAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

/** All consumers by name; not known when one part of them does not come. */
async function everyConsumer(ports: ConsumerPorts): Promise<PeerAnswer<z.infer<typeof consumersListSchema>>> {
  const consumers: ConsumerView[] = [];
  let after: string | undefined;
  do {
    const asked = after === undefined ? {} : { after };
    const answer = await requestPeer(ports, lifecycleRequests.consumers, asked, consumersPageSchema);
    if (!answer.ok) return answer;
    consumers.push(...answer.value.consumers);
    after = answer.value.nextAfter;
  } while (after !== undefined);
  return { ok: true, value: { consumers } };
}

const answerOf = <T>(answer: PeerAnswer<T>) => (answer.ok ? reply(200, answer.value) : answer.problem);

async function requestPeer<T>(
  { messaging }: ConsumerPorts,
  subject: string,
  body: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<PeerAnswer<T>> {
  const answer = await messaging.request(subject, body, inspectionWaitMs);
  if (answer.ok) return { ok: true, value: schema.parse(answer.value) };
  return answer.error.serverCode === 'invalid_request'
    ? { ok: false, problem: problem('invalid_request', { detail: answer.error.message }) }
    : {
        ok: false,
        problem: problem('peer_unavailable', {
          detail: `lifecycle-delivery did not answer (${answer.error.code}).`,
          retryAfterSeconds: 2,
        }),
      };
}
