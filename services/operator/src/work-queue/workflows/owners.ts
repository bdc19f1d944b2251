/**
 * Where each kind of work is true: operations in this service's own journal, everything else at the service that owns it,
 * asked over request/reply. An owner that is away is an answer of its own.
 */
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
  type MigrationStatus,
  type OperationStatus,
  type WebhookEventView,
  type WorkKind,
} from '@platform/contracts-operator';
import {
  attemptRequests,
  attemptAnswerSchema,
  attemptPageSchema,
  type AttemptPage,
  type AttemptView,
} from '@platform/contracts-provisioning';
import type { Revisioned } from '@platform/kernel';
import {
  decodeCursor,
  encodeCursor,
  UnreadableRecordError,
  type Filter,
  type RevisionedCollection,
} from '@platform/mongo';
import type { z } from 'zod';
import { parseDeliveryItemId } from '../domain/delivery-item-id';
import {
  projectAttempt,
  projectDeadLetter,
  projectDelivery,
  projectEvent,
  projectMigration,
  projectMigrationItem,
  projectOperation,
  projectUnreadable,
} from '../domain/project';
import { projectDifference } from '../domain/project-difference';
import type { DeadLetter } from '../../dead-letters/domain/dead-letter';
import type { Difference } from '../../reconciliation/domain/difference';
import type { WorkItemFacts } from '../domain/work-item';
import { migrationKey } from '../../migrations/workflows/migration-keys';
import { askExecutor, knowledgeOf, withExecutors } from '../../operations/workflows/read-operation';
import { isUnavailable, type OwnerPorts, type Prices, type Segment, type Unavailable, type WorkOwner } from './ports';

const requestTimeoutMs = 2_000;
const pageItems = 100;

const unresolved: readonly OperationStatus[] = [
  'reconciliation_required',
  'running',
  'pending',
  'awaiting_receipts',
  'awaiting_payment',
];

const unendedMigrations: readonly MigrationStatus[] = ['reconciliation_required', 'running', 'capturing', 'pending'];

/** Facts of one record, with the money that is at risk. */
type Project<T> = (record: T) => Promise<WorkItemFacts | null>;

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

/** A page of unresolved attempts, from the beginning without a cursor. */
export function requestAttempts(
  ports: Pick<OwnerPorts, 'messaging'>,
  cursor?: string,
): Promise<AttemptPage | Unavailable> {
  return requestOwner(ports, attemptRequests.list, cursor === undefined ? {} : { cursor }, attemptPageSchema);
}

async function factsOf<T>(records: readonly T[], project: Project<T>): Promise<WorkItemFacts[]> {
  return (await Promise.all(records.map(project))).filter((facts) => facts !== null);
}

/** Rows of this status, by the records that the filter finds, in the order of their creation. */
export function segmentOf<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  status: string,
  filter: Filter,
  project: Project<T>,
): Segment {
  return {
    status,
    page: async (cursor) => {
      const after = cursor === undefined ? undefined : (decodeCursor(cursor) ?? undefined);
      const found = await collection.find(filter, {
        sort: { createdAt: 1, _id: 1 },
        limit: pageItems,
        ...(after && { after }),
      });
      const last = found.at(-1);
      return {
        facts: await factsOf(found, project),
        ...(found.length === pageItems && last && { nextCursor: encodeCursor(last) }),
      };
    },
  };
}

/** Work that a collection of this service holds, oldest first, in the statuses in which it waits for somebody. */
function ownWork<T extends Revisioned, Kind extends WorkKind>(
  kind: Kind,
  collection: RevisionedCollection<T>,
  statuses: readonly string[],
  project: Project<T>,
): WorkOwner & { readonly kind: Kind } {
  return {
    kind,
    segments: statuses.map((status) => segmentOf(collection, status, { status }, project)),
    read: async (itemId) => {
      try {
        const record = await collection.findById(itemId);
        return record && (await project(record));
      } catch (error) {
        if (error instanceof UnreadableRecordError) return projectUnreadable(kind, itemId, error.message);
        throw error;
      }
    },
  };
}

export function operationOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'operation' } {
  return ownWork('operation', ports.operations, unresolved, async (read) => {
    const { operation, executors } =
      read.status === 'running' ? await withExecutors(ports, read) : { operation: read, executors: {} };
    const last = operation.attempts.at(-1);
    const knowledge = last && knowledgeOf(executors, operation._id, last);
    return projectOperation(operation, knowledge ?? { state: 'unknown' }, await prices.ofOperation(operation));
  });
}

export function migrationOwner(ports: OwnerPorts, prices: Prices): WorkOwner {
  return ownWork('migration', ports.migrations, unendedMigrations, async (migration) => {
    const { _id, executor } = migration;
    const knowledge = await askExecutor(ports, migrationKey(_id), executor);
    return projectMigration(migration, knowledge, await prices.ofPlan(migration.targetPlanId));
  });
}

export function migrationItemOwner(ports: OwnerPorts, prices: Prices): WorkOwner & { readonly kind: 'migration_item' } {
  return ownWork('migration_item', ports.migrationItems, ['reconciliation_required'], async (item) => {
    const migration = await ports.migrations.findById(item.migrationId);
    return projectMigrationItem(item, migration ? await prices.ofPlan(migration.targetPlanId) : null);
  });
}

/** What the broker has not taken in time is in no row: the owner lists what the watch over the stream has recorded. */
export function deadLetterOwner(letters: RevisionedCollection<DeadLetter>): WorkOwner {
  return ownWork('dead_letter', letters, ['open'], async (letter) => projectDeadLetter(letter));
}

/** What the provider and the records do not agree on. */
export function differenceOwner(differences: RevisionedCollection<Difference>): WorkOwner {
  return ownWork('difference', differences, ['open'], async (difference) => projectDifference(difference));
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

/** Events carry no amounts; the workspace is found by what they name, and its plan tells what is at risk. */
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
  const [subscription] = await ports.subscriptions.find({ 'provider.customerId': customer }, { limit: 1 });
  return subscription
    ? { tenantId: subscription._id, money: await prices.ofPlan(subscription.planId) }
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
      const answer = await requestOwner(ports, attemptRequests.read, { tenantId: itemId }, attemptAnswerSchema);
      if (isUnavailable(answer)) return answer;
      return answer.attempt ? project(answer.attempt) : null;
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
