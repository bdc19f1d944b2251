/**
 * Signed proposals for the end of an investigation. The console prepares and approves them; nothing about the record changes
 * until a person applies one off-line. Both documents are signed with Ed25519 over the canonical JSON of their statement.
 */
import { z } from 'zod';
import { instantSchema } from './vocabulary';
import { workItemIdSchema } from './work-queue-view';

export const proposalFormat = 'workspace-platform.resolution-proposal.v1';
export const approvalFormat = 'workspace-platform.resolution-approval.v1';

/** Kinds of records whose resolution can be proposed. */
export const proposedKinds = ['operation', 'migration_item'] as const;
export type ProposedKind = (typeof proposedKinds)[number];

export const proposalIdSchema = z.string().regex(/^[A-Za-z0-9_-]{10,64}$/);

const words = z.string().trim().min(10).max(2_000);
const proofs = {
  executorStopped: words.describe('First proof: how it is known that the executor is stopped.'),
  outcome: z.enum(['applied', 'not_applied']).describe('Second proof: what came of the effect.'),
  providerObject: z.string().min(1).max(255).nullable().describe("The provider's object behind it, or null."),
};

/** What a person proposes. */
export const proposalBodySchema = z
  .strictObject({
    kind: z.enum(proposedKinds),
    id: workItemIdSchema,
    ...proofs,
    override: words.optional().describe('Why it is to be recorded against what the evidence shows.'),
  })
  .meta({ id: 'ProposalRequest' });

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
  tenantId: z.string(),
  /** Of the record as it was read. */
  revision: z.string(),
  ...proofs,
  override: z.strictObject({ reason: z.string(), contradiction: z.string() }).optional(),
  evidence: z.strictObject({
    readAt: instantSchema,
    /** SHA-256 over what the provider showed. */
    shown: z.string(),
    objects: z.array(z.string()),
    /** Searches and answers, in sentences. */
    statements: z.array(z.string()),
  }),
  /** What becomes of the record, and what an investigator should know. */
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

/** A proposal as a file; whole once it is approved. */
export const signedProposalSchema = z
  .strictObject({
    statement: proposalStatementSchema,
    signature: signatureSchema,
    approval: z.strictObject({ statement: approvalStatementSchema, signature: signatureSchema }).optional(),
  })
  .meta({ id: 'SignedProposal' });
export type SignedProposal = z.infer<typeof signedProposalSchema>;

export const proposalViewSchema = z
  .object({
    status: z.enum(['proposed', 'approved', 'expired']),
    /** Names this proposal with its signature; an approval repeats it. */
    digest: z.string(),
    proposal: signedProposalSchema,
    /** The line that applies an approved one, off-line. */
    command: z.string().optional(),
  })
  .meta({ id: 'Proposal' });
export type ProposalView = z.infer<typeof proposalViewSchema>;

export const proposalListSchema = z
  .object({
    proposals: z.array(proposalViewSchema),
    /** The public key that verifies them, Ed25519, 32 bytes in base64url; null where nothing can be signed. */
    verifyingKey: z.string().nullable(),
  })
  .meta({ id: 'Proposals' });

/** The digest that the approving person was shown. */
export const approvalBodySchema = z
  .strictObject({ proposal: z.string().regex(/^[0-9a-f]{64}$/) })
  .meta({ id: 'ApprovalRequest' });
