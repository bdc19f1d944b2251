/**
 * The part of a round that concerns messages: deliveries and settlements that a crash left out. A round checks the
 * messages that came since the last one, because those before it have their deliveries, and a receipt settles its
 * message before the broker takes it as handled. So the cost of a round does not depend on how many messages wait.
 */
import { isOpen, type Delivery, type WaivedDelivery } from '../domain/delivery';
import type { AwaitingMessage } from '../domain/lifecycle-message';
import { deliveriesOfEach, waivedSince, type Position } from '../store/deliveries';
import { unsettledMessages } from '../store/messages';
import { completeDeliveries } from './complete-deliveries';
import { inParallel, pageSize } from './paging';
import type { DeliveryPorts } from './ports';
import { settleMessage } from './settle-message';

/** The most records that one read of the store returns. */
const deliveriesPerQuery = 1_000;

export interface CheckedMessages {
  readonly completed: number;
  /** When the earliest message was accepted that could not be completed now; null: all are complete. */
  readonly incompleteSince: Date | null;
}

/** Completes messages that lack a delivery or only their settlement; with `since`, only those accepted after it. */
export async function completeMessages(ports: DeliveryPorts, since: Date | null): Promise<CheckedMessages> {
  let completed = 0;
  let incompleteSince: Date | null = null;
  const check = async (message: AwaitingMessage, deliveries: readonly Delivery[]): Promise<void> => {
    const result = await completeMessage(ports, message, deliveries);
    if (result === 'completed') completed += 1;
    // Pages come in the order of acceptance, the messages of one page in any order.
    if (result === 'incomplete' && !(incompleteSince && incompleteSince <= message.createdAt))
      incompleteSince = message.createdAt;
  };
  for (let after: Position | null = null; ;) {
    const page: AwaitingMessage[] = await unsettledMessages(ports.messages, since, after, pageSize);
    for (const some of inChunks(page)) await checkSome(ports, some, check);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return { completed, incompleteSince };
    after = [last.createdAt, last._id];
  }
}

/**
 * Settles a message that a waiver completed, when the tool ended after recording the waiver and before the settlement.
 */
export async function settleWaived(ports: DeliveryPorts, since: Date): Promise<void> {
  for (let after: Position | null = null; ;) {
    const page: WaivedDelivery[] = await waivedSince(ports.deliveries, since, after, pageSize);
    await inParallel(page, async ({ operationId }) => void (await settleMessage(ports, operationId)));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = [last.resolution.at, last._id];
  }
}

/** Settles these operations of `owed`, by default all, and takes those out of it whose settlement is known. */
export async function settleOwed(ports: DeliveryPorts, owed: Set<string>, some = [...owed]): Promise<void> {
  await inParallel(some, async (operationId) => {
    const settled = await settleMessage(ports, operationId);
    if (settled.kind === 'ack') owed.delete(operationId);
  });
}

/** Chunks of messages whose deliveries fit one query. */
function inChunks(messages: readonly AwaitingMessage[]): AwaitingMessage[][] {
  const chunks: AwaitingMessage[][] = [];
  let size = deliveriesPerQuery;
  for (const message of messages) {
    size += message.required.length;
    if (size > deliveriesPerQuery) {
      chunks.push([]);
      size = message.required.length;
    }
    chunks.at(-1)?.push(message);
  }
  return chunks;
}

/** One query for all of them, since nearly all are complete and wait for a receipt. */
async function checkSome(
  ports: DeliveryPorts,
  messages: readonly AwaitingMessage[],
  check: (message: AwaitingMessage, deliveries: readonly Delivery[]) => Promise<void>,
): Promise<void> {
  const count = messages.reduce((sum, { required }) => sum + required.length, 0);
  const ids = messages.map(({ _id }) => _id);
  const known = await deliveriesOfEach(ports.deliveries, ids, Math.min(count, deliveriesPerQuery));
  await inParallel(messages, (message) => check(message, known.get(message._id) ?? []));
}

async function completeMessage(
  ports: DeliveryPorts,
  message: AwaitingMessage,
  deliveries: readonly Delivery[],
): Promise<'waits' | 'completed' | 'incomplete'> {
  const complete = deliveries.length === message.required.length;
  if (complete && deliveries.some(isOpen)) return 'waits';
  const completion = complete ? null : await completeDeliveries(ports, message);
  const settled = await settleMessage(ports, message._id);
  return completion?.result === 'incomplete' || settled.kind !== 'ack' ? 'incomplete' : 'completed';
}
