/** Work of other services, read over request/reply. An unreachable owner is a separate answer. */
import {
  deliveriesPageSchema,
  lifecycleRequests,
  lifecycleOfOperationSchema,
  type DeliveryView,
} from '@platform/contracts-lifecycle-delivery';
import {
  webhookEventsListed,
  webhookEventsSubject,
  webhookEventsPageSchema,
  type WebhookEventView,
} from '@platform/contracts-operator';
import {
  attemptRequests,
  attemptAnswerSchema,
  attemptPageSchema,
  attemptRequestSchema,
  deletionAnswerSchema,
  deletionPageSchema,
  deletionRequests,
  deletionRequestSchema,
  type AttemptPage,
  type AttemptView,
  type DeletionView,
} from '@platform/contracts-provisioning';
import type { z } from 'zod';
import { workspaceOfCustomer } from '../../mirror/workflows/workspace-of-customer';
import { parseDeliveryItemId } from '../domain/delivery-item-id';
import { projectAttempt, projectEvent } from '../domain/project';
import { projectDelivery } from '../domain/project-messages';
import { projectDeletion } from '../domain/project-deletion';
import type { WorkItemFacts } from '../domain/work-item';
import { factsOf, pageItems, type Project } from './owners';
import { isUnavailable, type OwnerPorts, type Prices, type Unavailable, type WorkOwner } from './ports';

const requestTimeoutMs = 2_000;

/** Asks an owner and decodes its answer. */
export async function requestOwner<T>(
  { messaging }: Pick<OwnerPorts, 'messaging'>,
  subject: string,
  body: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<T | Unavailable> {
  const answer = await messaging.request(subject, body, requestTimeoutMs);
  if (!answer.ok) return { unavailable: `no answer to ${subject} (${answer.error.serverCode ?? answer.error.code})` };
  const decoded = schema.safeParse(answer.value);
  return decoded.success ? decoded.data : { unavailable: `the answer to ${subject} is not readable by this build` };
}

/** A page of unresolved attempts; without a cursor, the first one. */
export function requestAttempts(
  ports: Pick<OwnerPorts, 'messaging'>,
  cursor?: string,
): Promise<AttemptPage | Unavailable> {
  return requestOwner(ports, attemptRequests.list, cursor === undefined ? {} : { cursor }, attemptPageSchema);
}

/** The creation of a workspace; null when there is none, also for what cannot be the id of a workspace. */
export async function readAttempt(
  ports: Pick<OwnerPorts, 'messaging'>,
  tenantId: string,
): Promise<AttemptView | null | Unavailable> {
  const asked = attemptRequestSchema.safeParse({ tenantId });
  if (!asked.success) return null;
  const answer = await requestOwner(ports, attemptRequests.read, asked.data, attemptAnswerSchema);
  return isUnavailable(answer) ? answer : (answer.attempt ?? null);
}

/** The deletion of a workspace; null when there is none, also for what cannot be the id of a workspace. */
export async function readDeletion(
  ports: Pick<OwnerPorts, 'messaging'>,
  tenantId: string,
): Promise<DeletionView | null | Unavailable> {
  const asked = deletionRequestSchema.safeParse({ tenantId });
  if (!asked.success) return null;
  const answer = await requestOwner(ports, deletionRequests.read, asked.data, deletionAnswerSchema);
  return isUnavailable(answer) ? answer : (answer.deletion ?? null);
}

export function eventOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'webhook_event' } {
  const project: Project<WebhookEventView> = async (event) => {
    const facts = projectEvent(event, null);
    return facts && { ...facts, ...(await workspaceOf(ports, event, prices)) };
  };
  return {
    kind: 'webhook_event',
    segments: (['reconciliation_required', 'pending'] as const).map((result) => ({
      status: result,
      page: async (cursor) => {
        const page = await requestOwner(
          ports,
          webhookEventsSubject,
          { result, limit: webhookEventsListed, ...(cursor !== undefined && { cursor }) },
          webhookEventsPageSchema,
        );
        if (isUnavailable(page)) return page;
        return {
          facts: await factsOf(page.events, project),
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
        };
      },
    })),
    read: async (itemId) => {
      const page = await requestOwner(
        ports,
        webhookEventsSubject,
        { eventId: itemId, limit: 1 },
        webhookEventsPageSchema,
      );
      if (isUnavailable(page)) return page;
      const [event] = page.events;
      return event ? project(event) : null;
    },
  };
}

/**
 * Events carry no amounts; the workspace is found by the ids in the event, and its plan determines the money at risk.
 */
async function workspaceOf(
  ports: OwnerPorts,
  { object }: WebhookEventView,
  prices: Prices,
): Promise<Pick<WorkItemFacts, 'money'> & { tenantId?: string }> {
  const metadata = (object['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof metadata['tenantId'] === 'string')
    return { tenantId: metadata['tenantId'], money: await prices.ofWorkspace(metadata['tenantId']) };
  const customer = object['object'] === 'customer' ? object['id'] : object['customer'];
  if (typeof customer !== 'string') return { money: null };
  const subscription = await workspaceOfCustomer(ports, customer);
  return subscription
    ? { tenantId: subscription._id, money: await prices.ofWorkspace(subscription._id) }
    : { money: null };
}

export function attemptOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'provisioning_attempt' } {
  const project: Project<AttemptView> = async (attempt) => projectAttempt(attempt, await prices.ofPlan(attempt.planId));
  return {
    kind: 'provisioning_attempt',
    segments: [
      {
        page: async (cursor) => {
          const page = await requestAttempts(ports, cursor);
          if (isUnavailable(page)) return page;
          return {
            facts: await factsOf(page.attempts, project),
            ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
          };
        },
      },
    ],
    read: async (itemId) => {
      const attempt = await readAttempt(ports, itemId);
      return attempt && !isUnavailable(attempt) ? project(attempt) : attempt;
    },
  };
}

/** No money is at risk: the subscription has ended before the listeners are called. */
export function deletionOwner(ports: OwnerPorts): WorkOwner {
  const project: Project<DeletionView> = async (deletion) => projectDeletion(deletion);
  return {
    kind: 'deletion',
    segments: [
      {
        page: async (cursor) => {
          const asked = cursor === undefined ? {} : { cursor };
          const page = await requestOwner(ports, deletionRequests.list, asked, deletionPageSchema);
          if (isUnavailable(page)) return page;
          const { deletions, nextCursor } = page;
          return { facts: await factsOf(deletions, project), ...(nextCursor !== undefined && { nextCursor }) };
        },
      },
    ],
    read: async (itemId) => {
      const deletion = await readDeletion(ports, itemId);
      return deletion && !isUnavailable(deletion) ? project(deletion) : deletion;
    },
  };
}

export function deliveryOwner(ports: OwnerPorts, prices: Prices): WorkOwner {
  const project: Project<DeliveryView> = async (delivery) =>
    projectDelivery(delivery, await prices.ofWorkspace(delivery.tenantId));
  return {
    kind: 'delivery',
    segments: (['failed', 'pending'] as const).map((status) => ({
      status,
      page: async (cursor) => {
        const page = await requestOwner(
          ports,
          lifecycleRequests.deliveries,
          { status, limit: pageItems, ...(cursor !== undefined && { cursor }) },
          deliveriesPageSchema,
        );
        if (isUnavailable(page)) return page;
        return {
          facts: await factsOf(page.deliveries, project),
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
        };
      },
    })),
    read: async (itemId) => {
      const named = parseDeliveryItemId(itemId);
      if (!named) return null;
      const answer = await requestOwner(
        ports,
        lifecycleRequests.operation,
        { operationId: named.operationId },
        lifecycleOfOperationSchema,
      );
      if (isUnavailable(answer)) return answer;
      const delivery = answer.deliveries.find(({ consumer }) => consumer === named.consumer);
      return delivery ? project(delivery) : null;
    },
  };
}
