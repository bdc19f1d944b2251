/**
 * The two signatures of a proposal: the proposer's, and the approval of a second person. Pure. The documents are those
 * of the contract; this file names the parts that are judged.
 */
import { digestOf, ok, refused, type Result, type SigningKey, type VerifyingKey } from '@platform/kernel';
import type { z } from 'zod';

type Signature = ReturnType<SigningKey['sign']>;

export interface Person {
  readonly id: string;
  readonly email: string;
}

interface ProposalStatement {
  readonly proposalId: string;
  readonly kind: string;
  readonly itemId: string;
  readonly revision: string;
  readonly executorStopped: string;
  readonly outcome: 'applied' | 'not_applied';
  readonly providerObject: string | null;
  readonly override?: { readonly reason: string } | undefined;
  readonly evidence: { readonly shown: string };
  readonly proposedBy: Person;
  /** ISO 8601. */
  readonly expiresAt: string;
}

interface ProposalPart<S extends ProposalStatement = ProposalStatement> {
  readonly statement: S;
  readonly signature: Signature;
}

interface Approval {
  readonly statement: {
    readonly proposalId: string;
    /** Digest of the proposal with its signature. */
    readonly proposal: string;
    readonly approvedBy: Person;
  };
  readonly signature: Signature;
}

interface ProposalDocument extends ProposalPart {
  readonly approval?: Approval | undefined;
}

/** A proposal that may be applied: genuine, approved by another person, and not expired. */
export type WholeProposal = ProposalPart & { readonly approval: Approval };

/** The contract's schema of the document. */
export type ProposalSchema = z.ZodType<ProposalDocument>;

/** Identifies a proposal together with its signature. */
export const digestOfProposal = ({
  statement,
  signature,
}: {
  readonly statement: object;
  readonly signature: object;
}) => digestOf({ statement, signature });

/** The mailbox of an address, without the part after a plus sign, which its owner can choose freely. */
const mailboxOf = ({ email }: Person): string => email.toLowerCase().replace(/\+[^@]*(?=@[^@]*$)/, '');

export const samePerson = (one: Person, other: Person): boolean =>
  one.id === other.id || mailboxOf(one) === mailboxOf(other);

export const isExpired = ({ statement }: { readonly statement: { readonly expiresAt: string } }, now: Date): boolean =>
  new Date(statement.expiresAt) <= now;

/** Verifies a file or a stored document with the public key. The refusal is a text that says what is wrong. */
export function verifyProposal(
  document: unknown,
  schema: ProposalSchema,
  key: VerifyingKey,
  now: Date,
): Result<WholeProposal, string> {
  const decoded = schema.safeParse(document);
  if (!decoded.success) {
    const [issue] = decoded.error.issues;
    return refused(`It is no signed proposal: /${issue?.path.map(String).join('/') ?? ''} ${issue?.message ?? ''}`);
  }
  const { statement, signature, approval } = decoded.data;
  if (!key.verifies(statement, signature))
    return refused(`Its signature does not fit: it was changed, or not signed with the key ${key.keyId}.`);
  if (!approval) return refused('It is not approved: a second person approves it in the console first.');
  if (!key.verifies(approval.statement, approval.signature))
    return refused(
      `The signature of its approval does not fit: it was changed, or not signed with the key ${key.keyId}.`,
    );
  const { proposal, proposalId, approvedBy } = approval.statement;
  if (proposal !== digestOfProposal({ statement, signature }) || proposalId !== statement.proposalId)
    return refused('Its approval is for another proposal.');
  if (samePerson(statement.proposedBy, approvedBy))
    return refused(`It needs a second person: ${approvedBy.email} cannot approve what they propose.`);
  if (isExpired({ statement }, now))
    return refused(`It expired at ${statement.expiresAt}. Look again, and prepare a new one.`);
  return ok({ statement, signature, approval });
}
