/** Collection `lifecycle_messages`, `_id` = operationId; its rows carry the announcement `lifecycle.settled.*`. */
import type { CollectionDeclaration, RevisionedCollection } from '@platform/mongo';
import type { AwaitingMessage, MessageRecord } from '../domain/lifecycle-message';

export type Messages = RevisionedCollection<MessageRecord>;

export const messagesDeclaration: CollectionDeclaration<MessageRecord> = {
  name: 'lifecycle_messages',
  indexes: [{ name: 'unsettled', key: { status: 1, _id: 1 } }],
  announces: true,
};

/** Messages that still wait for receipts, in the order of their ids. */
export async function unsettledMessages(messages: Messages, after: string | null, limit: number): Promise<AwaitingMessage[]> {
  const found = await messages.find({ status: 'awaiting_receipts' }, { sort: { _id: 1 }, limit, ...(after !== null && { after: [after] }) });
  return found as AwaitingMessage[];
}
