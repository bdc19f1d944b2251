/**
 * What would be recorded as the end of an investigation, judged by the service that owns the record, with the current
 * evidence. Read-only: the gateway asks, and signs the answer as a proposal.
 */
import { z } from 'zod';
import { proposalWordsSchema, proposedProofs } from './resolution-proposals';

export const judgedRequests = {
  provisioning_attempt: 'provisioning.resolutions.judged',
  deletion: 'provisioning.deletions.judged',
  event_admission: 'provisioning.event_admissions.judged',
  webhook_event: 'webhook_events.resolutions.judged',
} as const;

export const judgedRequestSchema = z.strictObject({
  id: z.string().min(1).max(300),
  ...proposedProofs,
  /** E-mail address of the person who proposes. */
  by: z.string().max(320),
  /** The reason for recording it against the evidence; the second person is known when the proposal is approved. */
  override: proposalWordsSchema.optional(),
});

export const judgedSchema = z.object({
  tenantId: z.string().nullable(),
  revision: z.string(),
  evidence: z.object({ shown: z.string(), objects: z.array(z.string()), statements: z.array(z.string()) }),
  /** The refusal that two people would override. */
  contradiction: z.string().optional(),
  consequences: z.array(z.string()),
});
export type JudgedResolution = z.infer<typeof judgedSchema>;

/** `refused` is a text for people; a refusal by evidence begins with its code. */
export const judgedAnswerSchema = z.union([
  z.object({ judged: judgedSchema }),
  z.object({ refused: z.string().max(4_000) }),
]);
