/** Collection `plans`: the catalog; `_id` is the plan id. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { Plan } from '../domain/plan';

export const plansCollection: CollectionDeclaration<Plan> = {
  name: 'plans',
  indexes: [],
};
