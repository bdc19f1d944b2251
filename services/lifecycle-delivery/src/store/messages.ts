/** Collection `lifecycle_messages`, `_id` = operationId; its rows carry the announcement `lifecycle.settled.*`. */
import type { CheckedCollection } from '@platform/durable/record';
import type { CollectionDeclaration } from '@platform/mongo';
import type { AwaitingMessage, MessageRecord } from '../domain/lifecycle-message';

export type Messages = CheckedCollection<MessageRecord>;

export const messagesCollection: CollectionDeclaration<MessageRecord> = {
  name: 'lifecycle_messages',
  indexes: [{ name: 'unsettled_by_age', key: { status: 1, createdAt: 1, _id: 1 } }],
  announces: true,
  tells: ({ _id, tenantId, transition, status }) => ({
    ...{ record: 'lifecycle_message', operationId: _id, tenantId, transition },
    state: status,
  }),
};

/** Messages that still wait for receipts, oldest first; with `since` only those accepted after it. */
export async function unsettledMessages(
  messages: Messages,
  since: Date | null,
  after: readonly [createdAt: Date, id: string] | null,
  limit: number,
): Promise<AwaitingMessage[]> {
  const filter = { status: 'awaiting_receipts', ...(since && { createdAt: { $gt: since } }) };
  return (await messages.find(filter, {
    sort: { createdAt: 1, _id: 1 },
    limit,
    ...(after && { after }),
  })) as AwaitingMessage[];
}

/** The records of these operations; one request names a bounded number. */
export function messagesOf(messages: Messages, operationIds: readonly string[]): Promise<MessageRecord[]> {
  return messages.find({ _id: { $in: [...operationIds] } }, { limit: operationIds.length });
}
