/** A difference between the payment provider and the records, as a row of the work queue. */
import { differenceWords, type Difference } from '../../reconciliation/domain/difference';
import type { WorkItemFacts } from './work-item';

export function projectDifference(difference: Difference): WorkItemFacts | null {
  if (difference.status !== 'open') return null;
  const { _id, kind, tenantId, objectId, operationId, money, atProvider, inPlatform, createdAt } = difference;
  return {
    kind: 'difference',
    itemId: _id,
    tenantId,
    state: 'stopped',
    status: 'open',
    title: differenceWords[kind].title,
    reason: `${atProvider} ${inPlatform}`,
    money: money ?? null,
    since: createdAt,
    ids: [_id, tenantId, objectId, operationId].filter((id) => typeof id === 'string'),
  };
}
