/**
 * How this service's documents became what they are: forward only, one step per version of a collection, never edited
 * once released. Empty as long as every document that was ever written is one that the code still reads.
 */
import type { SchemaStep } from '@platform/mongo';

export const schemaSteps: readonly SchemaStep[] = [];
