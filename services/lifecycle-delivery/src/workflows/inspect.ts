/**
 * Read-only answers about consumers, deliveries and one operation. They name the consumer that delays a reactivation.
 */
import type {
  AcceptedMessages,
  ConsumerView,
  DeliveryView,
  InspectAccepted,
  LifecycleOfOperation,
} from '@platform/contracts-lifecycle-delivery';
import { ok, refused, type Result } from '@platform/kernel';
import { z } from 'zod';
import { refusedReceiptsOf, type ConsumerRecord } from '../domain/consumer';
import { actionsOf } from '../domain/consumer-actions';
import { testsOf } from '../domain/consumer-tests';
import { endpointOf } from '../domain/endpoint';
import { replayOf } from '../domain/replay';
import { attemptsShown } from '../domain/attempts';
import { registeredAmong, viewOfDelivery, type Registered } from '../domain/delivery-view';
import { conflictWith } from '../domain/lifecycle-message';
import { allConsumers } from '../store/consumers';
import { countWaiting, deliveriesOf, listDeliveries, oldestWaiting, type Position } from '../store/deliveries';
import { messagesOf } from '../store/messages';
import type { DeliveryPorts } from './ports';
import type { Refusal } from './register-consumer';

type ReadPorts = Pick<DeliveryPorts, 'messages' | 'deliveries' | 'consumers'>;

/** The most bytes of consumers as JSON in one reply: well below its limit, however long one of them is. */
const replyBytes = 500_000;

/**
 * Consumers that ever registered, by name, with the number and age of the deliveries that wait for each: those after a
 * name, as many as one reply carries or as `bytes` says.
 */
export async function inspectConsumers(
  ports: ReadPorts,
  { after = '', bytes: bytesMax = replyBytes }: { readonly after?: string | undefined; readonly bytes?: number } = {},
): Promise<{ consumers: ConsumerView[]; nextAfter?: string }> {
  const consumers: ConsumerView[] = [];
  const records = await allConsumers(ports.consumers);
  let bytes = 0;
  for (const record of records) {
    if (record._id <= after) continue;
    const view = await viewOfConsumer(ports, record, attemptsShown(records.length));
    bytes += Buffer.byteLength(JSON.stringify(view));
    const last = consumers.at(-1);
    if (bytes > bytesMax && last) return { consumers, nextAfter: last.name };
    consumers.push(view);
  }
  return { consumers };
}

/** `shown`: the most actions of people that are shown. */
export async function viewOfConsumer(ports: ReadPorts, record: ConsumerRecord, shown: number): Promise<ConsumerView> {
  const { _id: name, transitions, registeredBy, status, registeredAt, version, contact } = record;
  const waitingDeliveries = await countWaiting(ports.deliveries, name);
  const oldest = waitingDeliveries > 0 ? await oldestWaiting(ports.deliveries, name) : null;
  const view = {
    name,
    transitions: [...transitions],
    registeredBy,
    ...(version !== undefined && { version }),
    ...(contact !== undefined && { contact }),
    status,
    registeredAt: registeredAt.toISOString(),
    waitingDeliveries,
    ...refusedReceiptsOf(record),
    ...actionsOf(record, shown),
    ...testsOf(record, shown),
    ...replayOf(record),
    ...endpointOf(record),
  };
  return oldest ? { ...view, oldestWaitingAt: oldest.createdAt.toISOString() } : view;
}

export interface DeliveriesQuery {
  readonly status?: DeliveryView['status'] | undefined;
  readonly consumer?: string | undefined;
  readonly order?: 'oldest' | 'newest';
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page, oldest first unless asked otherwise; the cursor is the position of the last one shown, so that pages neither repeat nor skip. */
export async function inspectDeliveries(
  ports: ReadPorts,
  query: DeliveriesQuery,
): Promise<Result<{ deliveries: DeliveryView[]; nextCursor?: string }, Refusal>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  if (after === undefined)
    return refused({ code: 'invalid_request', message: 'cursor: is not one that was handed out' });
  const which = {
    ...(query.status && { status: query.status }),
    ...(query.consumer !== undefined && { consumer: query.consumer }),
  };
  const found = await listDeliveries(ports.deliveries, which, after, query.limit + 1, query.order);
  const registered = await registeredNames(ports);
  const page = found.slice(0, query.limit);
  const deliveries = page.map((one) => viewOfDelivery(one, registered, attemptsShown(page.length)));
  const last = found[query.limit - 1];
  return ok(
    found.length > query.limit && last
      ? { deliveries, nextCursor: encodeCursor([last.createdAt, last._id]) }
      : { deliveries },
  );
}

/** The messages whose record exists with the same content; a record is never removed. */
export async function inspectAccepted(
  { messages }: Pick<ReadPorts, 'messages'>,
  asked: InspectAccepted['messages'],
): Promise<AcceptedMessages> {
  const records = new Map(
    (
      await messagesOf(
        messages,
        asked.map(({ operationId }) => operationId),
      )
    ).map((one) => [one._id, one]),
  );
  return {
    accepted: asked.flatMap((message) => {
      const record = records.get(message.operationId);
      return record && conflictWith(record, message) === null
        ? [{ operationId: message.operationId, settled: record.status === 'settled' }]
        : [];
    }),
  };
}

/** All records of one operation; an empty list while its message has not arrived. */
export async function inspectOperation(ports: ReadPorts, operationId: string): Promise<LifecycleOfOperation> {
  const [message, found, registered] = await Promise.all([
    ports.messages.findById(operationId),
    deliveriesOf(ports.deliveries, operationId),
    registeredNames(ports),
  ]);
  const deliveries = found
    .map((one) => viewOfDelivery(one, registered, attemptsShown(found.length)))
    .sort((a, b) => (a.consumer < b.consumer ? -1 : 1));
  if (!message) return { deliveries };
  const { transition, requestedAt, createdAt, required } = message;
  const view = {
    transition,
    requestedAt: requestedAt.toISOString(),
    acceptedAt: createdAt.toISOString(),
    required: [...required],
  };
  return {
    message: message.status === 'settled' ? { ...view, settledAt: message.settledAt.toISOString() } : view,
    deliveries,
  };
}

async function registeredNames(ports: ReadPorts): Promise<Registered> {
  return registeredAmong(await allConsumers(ports.consumers));
}

const cursorSchema = z.tuple([z.iso.datetime(), z.string().regex(/^[0-9a-f]{64}$/)]);

function encodeCursor([at, id]: Position): string {
  return Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');
}

function decodeCursor(cursor: string): Position | undefined {
  try {
    const [at, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return [new Date(at), id];
  } catch {
    return undefined;
  }
}
