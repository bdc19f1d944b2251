/**
 * `npm run ops -- resolve … --proposal FILE|ID`: applies a proposal that two people signed in the console. Both
 * signatures are verified with the public key, and all evidence is read again before anything is written.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { Misuse } from '@platform/command-line';
import {
  ok,
  refused,
  signingKeyOf,
  verifyingKeyOf,
  type Clock,
  type Result,
  type Revisioned,
  type SigningKey,
  type VerifyingKey,
} from '@platform/kernel';
import type { Claimed, People } from './people';
import type { Planned } from './plan';
import type { OutcomeProofs, Proofs } from './proofs';
import { digestOfShown } from './second-proof';
import { digestOfProposal, verifyProposal, type ProposalSchema, type WholeProposal } from './signed-proposal';

/** What to apply, and who applies it. */
export interface AppliedProposalRequest {
  readonly id: string;
  /** A file, or the id of a stored proposal. */
  readonly proposal: string;
  readonly by: Claimed;
}

interface Values {
  readonly proposal?: string | undefined;
  readonly by?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly [option: string]: unknown;
}

/** Options that a proposal replaces. */
const saidByProposal = [
  'executor-stopped',
  'outcome',
  'provider-object',
  'override',
  'approved-by',
  'approval-token-file',
] as const;

/** Null without --proposal. Throws `Misuse`. */
export function appliedProposalOf(id: string, values: Values): AppliedProposalRequest | null {
  const { proposal } = values;
  if (proposal === undefined) return null;
  const twice = saidByProposal.find((option) => values[option] !== undefined);
  if (twice !== undefined) throw new Misuse(`--proposal says --${twice} itself: what was approved is what is applied`);
  return { id, proposal, by: { email: values.by, tokenFile: values['token-file'] } };
}

/** As the gateway demands it: a shorter secret can be guessed, and with it every signature forged. */
const secretCharacters = 32;

/** Reads the secret of the gateway from the environment; null where there is none. Throws `Misuse`. */
export function signingKey(environment = process.env): SigningKey | null {
  const { CASE_SIGNING_KEY: secret } = environment;
  if (!secret) return null;
  if (secret.length >= secretCharacters) return signingKeyOf(secret);
  throw new Misuse(`CASE_SIGNING_KEY has less than ${secretCharacters} characters, so it is not that of the gateway`);
}

/** Reads the environment: the public key, or the secret from which the key pair is derived. Throws `Misuse`. */
export function verifyingKey(environment = process.env): VerifyingKey {
  const { CASE_VERIFYING_KEY: publicKey } = environment;
  if (publicKey) {
    try {
      return verifyingKeyOf(publicKey);
    } catch (error) {
      throw new Misuse(`CASE_VERIFYING_KEY: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const key = signingKey(environment);
  if (key) return key;
  throw new Misuse('signatures cannot be verified here: set CASE_VERIFYING_KEY, the public key of the gateway');
}

function fileOf(named: string): Result<unknown, string> {
  try {
    const document = JSON.parse(readFileSync(named, 'utf8')) as unknown;
    // The gateway's answer contains the proposal inside its status.
    const inner =
      typeof document === 'object' && document !== null && 'proposal' in document ? document.proposal : document;
    return ok(inner);
  } catch (error) {
    return refused(`${named} cannot be read as a proposal: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a stored proposal by its id; null when there is none. */
type ReadStored = (proposalId: string) => Promise<unknown>;

async function read(named: string, stored: ReadStored | undefined): Promise<Result<unknown, string>> {
  const file = resolvePath(process.env['INIT_CWD'] ?? '.', named);
  if (/[./\\]/.test(named) || existsSync(file)) return fileOf(file);
  if (!stored)
    return refused(`There is no file ${named}. Proposals are stored by the gateway: download this one in the console.`);
  const found = await stored(named);
  return found === null ? refused(`There is no proposal ${named}, and no file of that name.`) : ok(found);
}

export interface AppliedProposalWork {
  readonly people: People;
  readonly clock: Clock;
  readonly schema: ProposalSchema;
  /** Only for the service that stores proposals; the programs of other services read files. */
  readonly stored?: ReadStored;
}

type Shown = Pick<Planned<Revisioned, Proofs, unknown>, 'revision' | 'secondProof'> & {
  readonly resolution: { readonly override?: { readonly contradiction: string } };
};

export interface VerifiedProposal {
  readonly request: OutcomeProofs;
  /** How the current situation differs from the approved one; null when it does not. */
  readonly differs: (planned: Shown) => string | null;
}

/**
 * Verifies the proposal and its people. Returns a text to refuse. Throws `Misuse` for a person without a valid token,
 * and what the store throws.
 */
export async function readAppliedProposal(
  { id, proposal: named, by }: AppliedProposalRequest,
  kind: string,
  { people, clock, schema, stored }: AppliedProposalWork,
): Promise<Result<VerifiedProposal, string>> {
  const key = verifyingKey();
  const { email: appliedBy } = await people.personOf(by, '--token-file');
  const found = await read(named, stored);
  if (!found.ok) return found;
  const verified = verifyProposal(found.value, schema, key, clock.now());
  if (!verified.ok) return verified;
  const { statement } = verified.value;
  if (statement.kind !== kind || statement.itemId !== id)
    return refused(`It is about the ${statement.kind.replaceAll('_', ' ')} ${statement.itemId}, not about this one.`);
  return ok({ request: proofsIn(verified.value, appliedBy), differs: differenceFrom(statement) });
}

function proofsIn({ statement, signature, approval }: WholeProposal, appliedBy: string): OutcomeProofs {
  const { itemId: id, executorStopped, outcome, providerObject, override, proposedBy, proposalId } = statement;
  const approvedBy = approval.statement.approvedBy.email;
  return {
    id,
    executorStopped,
    outcome,
    providerObject,
    by: proposedBy.email,
    ...(override && { override: { reason: override.reason, approvedBy } }),
    proposal: { id: proposalId, digest: digestOfProposal({ statement, signature }), approvedBy, appliedBy },
  };
}

function differenceFrom({ revision, evidence, override }: WholeProposal['statement']): VerifiedProposal['differs'] {
  const again = 'Look again, and prepare a new proposal.';
  return ({ revision: now, secondProof, resolution }) => {
    if (now !== revision) return `evidence_changed: The record has changed since it was proposed. ${again}`;
    if (digestOfShown(secondProof ?? { findings: [] }) !== evidence.shown)
      return `evidence_changed: What the provider shows is not what was approved. ${again}`;
    // Two people agreed on one contradiction; a different one is refused.
    return override && resolution.override?.contradiction === undefined
      ? `evidence_changed: Nothing contradicts it any more; it needs no override. ${again}`
      : null;
  };
}
