/**
 * Signed proposals for the end of an investigation, as documents: the gateway signs them, the off-line program of the service
 * that owns the record verifies and applies them. Both are signed with Ed25519 over the canonical JSON of their statement.
 */
import { shownText, shownTextRule } from '@platform/kernel/text';
import { z } from 'zod';

export const proposalFormat = 'workspace-platform.resolution-proposal.v1';
export const approvalFormat = 'workspace-platform.resolution-approval.v1';

/**
 * Kinds of records whose resolution can be proposed, in the work queue's terms. An `event_admission` is the record that
 * provisioning keeps of an event; it is shown in the case of the `webhook_event`.
 */
export const proposedKinds = [
  'operation',
  'migration_item',
  'provisioning_attempt',
  'deletion',
  'webhook_event',
  'event_admission',
] as const;
export type ProposedKind = (typeof proposedKinds)[number];

export const proposalIdSchema = z.string().regex(/^[A-Za-z0-9_-]{10,64}$/, 'must be 10 to 64 letters, digits, _ or -');
const instantSchema = z.iso.datetime();

export const proposalWordsSchema = z.string().trim().min(10).max(2_000).regex(shownText, shownTextRule);
/** Both proofs, as the person states them. */
export const proposedProofs = {
  executorStopped: proposalWordsSchema.describe('First proof: how it is known that the executor is stopped.'),
  outcome: z.enum(['applied', 'not_applied']).describe('Second proof: what came of the effect.'),
  providerObject: z.string().min(1).max(255).nullable().describe("The provider's object behind it, or null."),
};

const personSchema = z.strictObject({ id: z.string(), email: z.string() });
const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  keyId: z.string(),
  value: z.string(),
});

export const proposalStatementSchema = z.strictObject({
  format: z.literal(proposalFormat),
  proposalId: proposalIdSchema,
  kind: z.enum(proposedKinds),
  itemId: z.string(),
  /** Null for an event that names no workspace. */
  tenantId: z.string().nullable(),
  /** The revision of the record as read; for an event, a value that a redelivery does not change. */
  revision: z.string(),
  ...proposedProofs,
  override: z.strictObject({ reason: z.string(), contradiction: z.string() }).optional(),
  evidence: z.strictObject({
    readAt: instantSchema,
    /** SHA-256 over what the provider showed. */
    shown: z.string(),
    objects: z.array(z.string()),
    /** Searches and answers, in sentences. */
    statements: z.array(z.string()),
  }),
  /** The consequences for the record, and notes for the investigator. */
  consequences: z.array(z.string()),
  proposedBy: personSchema,
  proposedAt: instantSchema,
  expiresAt: instantSchema,
});
export type ProposalStatement = z.infer<typeof proposalStatementSchema>;

export const approvalStatementSchema = z.strictObject({
  format: z.literal(approvalFormat),
  proposalId: proposalIdSchema,
  /** SHA-256 over the proposal with its signature. */
  proposal: z.string(),
  approvedBy: personSchema,
  approvedAt: instantSchema,
});
export type ApprovalStatement = z.infer<typeof approvalStatementSchema>;

/** A proposal as a file; complete once it is approved. */
export const signedProposalSchema = z
  .strictObject({
    statement: proposalStatementSchema,
    signature: signatureSchema,
    approval: z.strictObject({ statement: approvalStatementSchema, signature: signatureSchema }).optional(),
  })
  .meta({ id: 'SignedProposal' });
export type SignedProposal = z.infer<typeof signedProposalSchema>;
