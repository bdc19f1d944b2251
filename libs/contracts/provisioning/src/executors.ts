/**
 * What is known of the executor that a record names (specification §3): evidence that every service shows in one form.
 */
import { executorStates, type ExecutorKnowledge } from '@platform/kernel/executor';
import { z } from 'zod';

const instant = z.iso.datetime();

export const executorStateSchema = z.enum(executorStates);

/** `alive` only when that very process has just answered that it is working on it. */
export const executorKnowledgeSchema = z.object({
  state: executorStateSchema,
  lastHeardOf: instant.optional(),
  declaredGone: z.object({ by: z.string(), at: instant, proof: z.string() }).optional(),
  /** The executor knows the outcome, but the store has not accepted it. */
  unrecorded: z.object({ since: instant, reason: z.string() }).optional(),
}) satisfies z.ZodType<ExecutorKnowledge>;
