/**
 * Schema steps of this service's documents: forward only, one step per version of a collection, never edited after its
 * release. Empty as long as the code still reads every document that was ever written.
 */
import type { SchemaStep } from '@platform/mongo';

export const schemaSteps: readonly SchemaStep[] = [];
