/** The case file of one operation (contracts §3): everything an investigator needs for the two proofs, and what is not proven. */
import { z } from 'zod';
import { lifecycleOfOperationSchema } from '@platform/contracts-lifecycle-delivery';
import { adminStateSchema } from './admin-state-view';
import { operationViewSchema } from './operation-view';
import { instantSchema } from './vocabulary';

const sourceSchema = z.enum(['answered', 'not_applicable', 'unavailable']);

export const evidenceSchema = z
  .object({
    operation: operationViewSchema,
    collectedAt: instantSchema,
    workspace: adminStateSchema.nullable(),
    provider: z.object({
      source: sourceSchema,
      /** Objects of the customer that carry this operation's id, found by list endpoints, never by search. */
      objects: z.array(z.object({ kind: z.string(), id: z.string(), summary: z.record(z.string(), z.unknown()) })),
      problem: z.string().optional(),
    }),
    lifecycle: z
      .object({ source: sourceSchema, problem: z.string().optional() })
      .extend(lifecycleOfOperationSchema.partial().shape),
    /** Sentences about what this file does not prove. A matching provider read alone does not prove quiescence. */
    notProven: z.array(z.string()),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof evidenceSchema>;
