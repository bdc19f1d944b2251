/** Collection `contradictions`: `_id` is `<kind>:<id>` of the record whose resolution is contradicted. */
import type { CollectionDeclaration } from '@platform/mongo';
import { contradictionStatuses, type Contradiction } from '../domain/contradiction';

export const contradictionsCollection: CollectionDeclaration<Contradiction> = {
  name: 'contradictions',
  vocabulary: { status: contradictionStatuses },
  announces: true,
  tells: ({ status }) => ({ record: 'contradiction', state: status }),
  indexes: [{ name: 'by_status_and_kind', key: { status: 1, kind: 1, createdAt: 1, _id: 1 } }],
};
