/**
 * Schema steps of this service's documents: forward only, one step per version of a collection, never edited after its
 * release.
 */
import type { SchemaStep } from '@platform/mongo';
import { withSearchKeys, type Searched } from '../mirror/domain/search-keys';

export const schemaSteps: readonly SchemaStep[] = [
  {
    collection: 'subscriptions',
    to: 1,
    describe: 'adds the keys by which the directory finds a workspace',
    change: (document) => withSearchKeys(document as unknown as Searched) as unknown as Record<string, unknown>,
  },
];
