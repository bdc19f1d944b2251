/** A credit above the limit of its person, proposed with a signature and approved by a second person (decision 24). */
import { z } from 'zod';
import { operatorLimits } from './limits';
import { nextCursorSchema } from './list-conventions';
import { chosenOperationIdSchema, instantSchema, operationIdSchema, tenantIdSchema, writtenText } from './vocabulary';

export const creditProposalFormat = 'workspace-platform.credit-proposal.v1';
export const creditApprovalFormat = 'workspace-platform.credit-approval.v1';

const personSchema = z.object({ id: z.string(), email: z.string() });
const signatureSchema = z.object({ algorithm: z.literal('Ed25519'), keyId: z.string(), value: z.string() });
const amountCentsSchema = z.int().min(1).max(1_000_000_000);
const reasonSchema = writtenText(operatorLimits.reasonCharacters);

/** The exact request that will be sent after the approval. */
export const creditProposalBodySchema = z
  .strictObject({ operationId: chosenOperationIdSchema, amountCents: amountCentsSchema, reason: reasonSchema })
  .meta({ id: 'CreditProposalRequest' });

export const creditProposalStatementSchema = z.object({
  format: z.literal(creditProposalFormat),
  operationId: operationIdSchema,
  tenantId: tenantIdSchema,
  amountCents: amountCentsSchema,
  currency: z.string(),
  reason: reasonSchema,
  proposedBy: personSchema,
  proposedAt: instantSchema,
  expiresAt: instantSchema,
});
export type CreditProposalStatement = z.infer<typeof creditProposalStatementSchema>;

const creditApprovalStatementSchema = z.object({
  format: z.literal(creditApprovalFormat),
  operationId: operationIdSchema,
  /** SHA-256 over the proposal with its signature. */
  proposal: z.string(),
  approvedBy: personSchema,
  approvedAt: instantSchema,
});
export type CreditApprovalStatement = z.infer<typeof creditApprovalStatementSchema>;

export const creditProposalViewSchema = z
  .object({
    status: z.enum(['proposed', 'approved', 'expired']),
    /** Identifies this proposal with its signature; an approval repeats it. */
    digest: z.string(),
    statement: creditProposalStatementSchema,
    signature: signatureSchema,
    approval: z.object({ statement: creditApprovalStatementSchema, signature: signatureSchema }).optional(),
  })
  .meta({ id: 'CreditProposal' });
export type CreditProposalView = z.infer<typeof creditProposalViewSchema>;

export const creditProposalListSchema = z
  .object({ proposals: z.array(creditProposalViewSchema), nextCursor: nextCursorSchema })
  .meta({ id: 'CreditProposals' });
