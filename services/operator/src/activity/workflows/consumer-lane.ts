/** What people did to consumers: rows of lifecycle-delivery, which alone has them. */
import { actionsPageSchema, lifecycleLimits, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { consumerActivityActions, type ActivityQuery } from '@platform/contracts-operator';
import type { Messaging } from '@platform/messaging';
import type { Lane, Position } from '../../listing/bounded-page';
import { consumerActionRow, type Placed } from '../domain/rows';

export type AskDelivery = Pick<Messaging, 'request'>;

/** lifecycle-delivery did not answer the request for its rows. */
export class ConsumerActionsUnavailable extends Error {
  override name = 'ConsumerActionsUnavailable';
}

const answerWithinMs = 2_000;
const words: readonly string[] = Object.values(consumerActivityActions);

/** Whether the query admits rows of consumers: they concern no workspace, and have no amount. */
export function admitsConsumers({ workspace, action, amountFrom, amountTo }: ActivityQuery): boolean {
  const free = workspace === undefined && amountFrom === undefined && amountTo === undefined;
  return free && (action === undefined || words.includes(action));
}

/** Throws {@link ConsumerActionsUnavailable}. `placeIn`: where this kind continues after a position. */
export function consumerLane(
  messaging: AskDelivery,
  { actor: by, from, to, order }: ActivityQuery,
  placeIn: (after: Position) => string,
): Lane<Placed> {
  return async (after, limit) => {
    const asked = {
      ...(by !== undefined && { by }),
      ...(from !== undefined && { from: new Date(from).toISOString() }),
      ...(to !== undefined && { to: new Date(to).toISOString() }),
      ...(after && { after: { at: after.at.toISOString(), id: placeIn(after) } }),
      order,
      limit: Math.min(limit, lifecycleLimits.actionItems),
    };
    const answer = await messaging.request(lifecycleRequests.actions, asked, answerWithinMs);
    if (!answer.ok) throw new ConsumerActionsUnavailable(answer.error.serverCode ?? answer.error.code);
    const decoded = actionsPageSchema.safeParse(answer.value);
    if (!decoded.success) throw new ConsumerActionsUnavailable('answer_not_understood');
    return decoded.data.actions.map(consumerActionRow);
  };
}
