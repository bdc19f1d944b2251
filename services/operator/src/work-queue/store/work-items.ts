/**
 * Collection `work_items`: the read model of the unified work queue; `_id` is `<kind>:<id>`. Each list of the queue is
 * a merge of ranges `weight, since`, so every filter has an index that ends with these fields. Lost rows are restored
 * by a walk.
 */
import type { CollectionDeclaration } from '@platform/mongo';
import type { WorkItem } from '../domain/work-item';

export const workItemsCollection: CollectionDeclaration<WorkItem> = {
  name: 'work_items',
  indexes: [
    { name: 'by_weight', key: { weight: -1, since: 1, _id: 1 } },
    { name: 'by_kind_and_weight', key: { kind: 1, weight: -1, since: 1, _id: 1 } },
    { name: 'by_state_and_weight', key: { state: 1, weight: -1, since: 1, _id: 1 } },
    { name: 'by_kind_state_and_weight', key: { kind: 1, state: 1, weight: -1, since: 1, _id: 1 } },
    { name: 'by_tenant_and_weight', key: { tenantId: 1, weight: -1, since: 1, _id: 1 } },
    { name: 'by_cause_and_weight', key: { cause: 1, weight: -1, since: 1, _id: 1 } },
    { name: 'by_age', key: { since: 1, _id: 1 } },
    { name: 'by_owner', key: { kind: 1, status: 1, since: 1, _id: 1 } },
    { name: 'by_identifier', key: { ids: 1, _id: 1 } },
  ],
};
