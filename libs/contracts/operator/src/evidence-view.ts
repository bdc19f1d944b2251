/** The case file of one operation (contracts §3): everything an investigator needs for the two proofs, and what is not proven. */
import { z } from 'zod';
import { lifecycleOfOperationSchema } from '@platform/contracts-lifecycle-delivery';
import { adminStateSchema } from './admin-state-view';
import { operationViewSchema } from './operation-view';
import { instantSchema } from './vocabulary';

const sourceSchema = z.enum(['answered', 'not_applicable', 'unavailable']);

/** What the provider shows now of the calls of a record: each step has its own search. */
export const providerFindingsSchema = z.object({
  source: sourceSchema,
  /** Objects that show an effect of the operation, found by retrieving them or by list endpoints, never by search. */
  objects: z.array(
    z.object({
      kind: z.string(),
      id: z.string(),
      /** The step whose effect the object shows. */
      step: z.string().optional(),
      summary: z.record(z.string(), z.unknown()),
    }),
  ),
  /** Every search and its result, including searches that found nothing. */
  searches: z
    .array(
      z.object({
        step: z.string(),
        search: z.string(),
        looksFor: z.string(),
        readAt: instantSchema,
        /** `not_askable`: an id that the search needs is in no record. */
        result: z.enum(['found', 'nothing_found', 'unavailable', 'not_askable']),
        problem: z.string().optional(),
      }),
    )
    .optional(),
  problem: z.string().optional(),
});
export type ProviderFindingsView = z.infer<typeof providerFindingsSchema>;

export const evidenceSchema = z
  .object({
    operation: operationViewSchema,
    collectedAt: instantSchema,
    workspace: adminStateSchema.nullable(),
    provider: providerFindingsSchema,
    lifecycle: z
      .object({ source: sourceSchema, problem: z.string().optional() })
      .extend(lifecycleOfOperationSchema.partial().shape),
    /**
     * Sentences about what this file does not prove. A provider read that matches does not by itself prove quiescence.
     */
    notProven: z.array(z.string()),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof evidenceSchema>;
