/** Collection `mirror_refreshes`: mirrors that must be read again; `_id` is the tenant id. */
import type { CollectionDeclaration } from '@platform/mongo';
import type { MirrorRefresh } from '../domain/mirror-refresh';

export const mirrorRefreshesCollection: CollectionDeclaration<MirrorRefresh> = {
  name: 'mirror_refreshes',
  indexes: [],
};
