/**
 * Proposals for the end of an investigation over HTTP. The record does not change until a person applies one off-line.
 */
import {
  proposalWordsSchema,
  proposedKinds,
  proposedProofs,
  signedProposalSchema,
} from '@platform/contracts-provisioning';
import { z } from 'zod';
import { nextCursorSchema } from './list-conventions';
import { workItemIdSchema } from './work-queue-view';

/** What a person proposes. */
export const proposalBodySchema = z
  .strictObject({
    kind: z.enum(proposedKinds),
    id: workItemIdSchema,
    ...proposedProofs,
    override: proposalWordsSchema.optional().describe('Why it is to be recorded against what the evidence shows.'),
  })
  .meta({ id: 'ProposalRequest' });

export const proposalViewSchema = z
  .object({
    status: z.enum(['proposed', 'approved', 'expired']),
    /** Identifies this proposal with its signature; an approval repeats it. */
    digest: z.string(),
    proposal: signedProposalSchema,
    /** The command that applies an approved proposal, off-line. */
    command: z.string().optional(),
  })
  .meta({ id: 'Proposal' });
export type ProposalView = z.infer<typeof proposalViewSchema>;

export const proposalListSchema = z
  .object({
    proposals: z.array(proposalViewSchema),
    /** The public key that verifies them, Ed25519, 32 bytes in base64url; null where nothing can be signed. */
    verifyingKey: z.string().nullable(),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'Proposals' });

/** The digest that the approving person was shown. */
export const approvalBodySchema = z
  .strictObject({
    proposal: z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest of the proposal: 64 hexadecimal digits'),
  })
  .meta({ id: 'ApprovalRequest' });
