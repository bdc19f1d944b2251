/** Collection `lifecycle_deliveries`, `_id` from {@link deliveryIdOf}. A delivery has `nextAttemptAt` exactly while it lacks a receipt. */
import { deliveryStatuses, type DeliveryStatus } from '@platform/contracts-lifecycle-delivery';
import type { CheckedCollection } from '@platform/durable/record';
import { byResolution } from '@platform/durable/trail';
import type { CollectionDeclaration, Filter } from '@platform/mongo';
import { receiptOf, type Delivery, type OpenDelivery, type WaivedDelivery } from '../domain/delivery';

export type Deliveries = CheckedCollection<Delivery>;

const openStatuses: readonly DeliveryStatus[] = ['pending', 'failed'];
const open: Filter = { nextAttemptAt: { $exists: true } };
/** The paths of a receipt's time: in a delivery that the receipt ended, and in one that was waived before it. */
const receiptTimes = ['receipt.acceptedAt', 'lateReceipt.acceptedAt'] as const;

export const deliveriesCollection: CollectionDeclaration<Delivery> = {
  name: 'lifecycle_deliveries',
  vocabulary: { status: deliveryStatuses },
  tells: ({ operationId, tenantId, consumer, status, attemptCount }) => ({
    ...{ record: 'delivery', operationId, tenantId, consumer },
    state: status,
    attempt: attemptCount,
  }),
  indexes: [
    { name: 'of_operation', key: { operationId: 1, _id: 1 } },
    { name: 'due_of_consumer', key: { consumer: 1, nextAttemptAt: 1, _id: 1 }, only: open },
    { name: 'attempted_of_consumer', key: { consumer: 1, attemptedAt: 1, _id: 1 }, only: open },
    { name: 'waiting_of_tenant', key: { tenantId: 1, _id: 1 }, only: open },
    { name: 'oldest_by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    byResolution,
    ...receiptTimes.map((time, place) => ({
      name: place === 0 ? 'receipts_of_consumer' : 'late_receipts_of_consumer',
      key: { consumer: 1, [time]: 1, _id: 1 } as const,
      only: { [time]: { $exists: true } },
    })),
    { name: 'oldest_by_consumer_status', key: { consumer: 1, status: 1, createdAt: 1, _id: 1 } },
  ],
};

/** All deliveries of one operation; there are as many as it has required consumers. */
export function deliveriesOf(deliveries: Deliveries, operationId: string): Promise<Delivery[]> {
  return deliveries.find({ operationId }, { sort: { _id: 1 }, limit: 1_000 });
}

/** The deliveries of several operations, by operation; `count` is the greatest number that may exist, at most 1,000. */
export async function deliveriesOfEach(
  deliveries: Deliveries,
  operationIds: readonly string[],
  count: number,
): Promise<ReadonlyMap<string, Delivery[]>> {
  const found = await deliveries.find(
    { operationId: { $in: operationIds } },
    { sort: { operationId: 1, _id: 1 }, limit: Math.max(count, 1) },
  );
  const byOperation = new Map<string, Delivery[]>();
  for (const one of found) byOperation.set(one.operationId, [...(byOperation.get(one.operationId) ?? []), one]);
  return byOperation;
}

/** For each operation, in the given order, whether a delivery of it lacks a receipt. */
export async function haveOpenDeliveries(deliveries: Deliveries, operationIds: readonly string[]): Promise<boolean[]> {
  const limit = 1_000;
  const page = await deliveries.find(
    { operationId: { $in: operationIds }, status: { $in: openStatuses } },
    { sort: { operationId: 1, _id: 1 }, limit },
  );
  const open = new Set(page.map(({ operationId }) => operationId));
  if (page.length < limit) return operationIds.map((operationId) => open.has(operationId));
  return Promise.all(
    operationIds.map(
      async (operationId) =>
        open.has(operationId) ||
        (operationIds.length > 1 && ((await haveOpenDeliveries(deliveries, [operationId]))[0] ?? false)),
    ),
  );
}

/** Position in the order of due times or of creation, from which the next page begins. */
export type Position = readonly [at: Date, id: string];

/** A consumer's deliveries without a receipt whose due time is within the bounds, earliest due first. */
export async function dueDeliveries(
  deliveries: Deliveries,
  consumer: string,
  bounds: { readonly $gt: Date } | { readonly $lte: Date },
  after: Position | null,
  limit: number,
): Promise<OpenDelivery[]> {
  return (await deliveries.find(
    { consumer, nextAttemptAt: bounds },
    { sort: { nextAttemptAt: 1, _id: 1 }, limit, ...(after && { after }) },
  )) as OpenDelivery[];
}

/** A consumer's deliveries without a receipt whose last attempt began at or before `upTo`, oldest attempt first. */
export async function attemptedDeliveries(
  deliveries: Deliveries,
  consumer: string,
  upTo: Date,
  after: Position | null,
  limit: number,
): Promise<OpenDelivery[]> {
  return (await deliveries.find(
    { consumer, attemptedAt: { $lte: upTo }, ...open },
    { sort: { attemptedAt: 1, _id: 1 }, limit, ...(after && { after }) },
  )) as OpenDelivery[];
}

/** A consumer's deliveries without a receipt, oldest first: attempts do not change this order. */
export async function openDeliveries(
  deliveries: Deliveries,
  consumer: string,
  after: Position | null,
  limit: number,
): Promise<OpenDelivery[]> {
  return (await deliveries.find(
    { consumer, status: { $in: openStatuses } },
    { sort: { createdAt: 1, _id: 1 }, limit, ...(after && { after }) },
  )) as OpenDelivery[];
}

/** Deliveries of one tenant that lack a receipt, in the order of their ids. */
export async function waitingOfTenant(
  deliveries: Deliveries,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<OpenDelivery[]> {
  return (await deliveries.find(
    { tenantId, ...open },
    { sort: { _id: 1 }, limit, ...(after !== null && { after: [after] }) },
  )) as OpenDelivery[];
}

/** How many deliveries of one consumer lack a receipt. */
export function countWaiting(deliveries: Deliveries, consumer: string): Promise<number> {
  return deliveries.count({ consumer, status: { $in: openStatuses } });
}

/** The oldest delivery of one consumer that lacks a receipt. */
export async function oldestWaiting(deliveries: Deliveries, consumer: string): Promise<Delivery | null> {
  const [oldest] = await deliveries.find(
    { consumer, status: { $in: openStatuses } },
    { sort: { createdAt: 1, _id: 1 }, limit: 1 },
  );
  return oldest ?? null;
}

/** A page of deliveries, oldest first unless asked otherwise. */
export function listDeliveries(
  deliveries: Deliveries,
  which: { readonly status?: DeliveryStatus; readonly consumer?: string },
  after: Position | null,
  limit: number,
  order: 'oldest' | 'newest' = 'oldest',
): Promise<Delivery[]> {
  const direction = order === 'oldest' ? 1 : -1;
  const filter = {
    status: which.status ?? { $in: deliveryStatuses },
    ...(which.consumer !== undefined && { consumer: which.consumer }),
  };
  return deliveries.find(filter, { sort: { createdAt: direction, _id: direction }, limit, ...(after && { after }) });
}

/** Deliveries of one consumer whose receipt was accepted within the times, in the order of the receipts. */
export async function receiptedDeliveries(
  deliveries: Deliveries,
  consumer: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  after: Position | null,
  limit: number,
): Promise<Delivery[]> {
  const pages = await Promise.all(
    receiptTimes.map((time) =>
      deliveries.find(
        { consumer, [time]: { $gte: after ? after[0] : from, $lte: to } },
        { sort: { [time]: 1, _id: 1 }, limit, ...(after && { after }) },
      ),
    ),
  );
  const placed = pages.flat().map((delivery) => ({ delivery, at: receiptOf(delivery)?.acceptedAt.getTime() ?? 0 }));
  placed.sort((one, other) => one.at - other.at || (one.delivery._id < other.delivery._id ? -1 : 1));
  return placed.slice(0, limit).map(({ delivery }) => delivery);
}

/** Deliveries that a person waived after an instant, oldest first. */
export async function waivedSince(
  deliveries: Deliveries,
  since: Date,
  after: Position | null,
  limit: number,
): Promise<WaivedDelivery[]> {
  return (await deliveries.find(
    { 'resolution.at': { $gt: since } },
    { sort: { 'resolution.at': 1, _id: 1 }, limit, ...(after && { after }) },
  )) as WaivedDelivery[];
}
