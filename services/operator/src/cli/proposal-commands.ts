/**
 * `npm run ops -- resolve … --proposal FILE|ID`: applies a proposal that two people signed in the console. Both signatures are
 * verified with the public key, and everything is read again before anything is written.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { Misuse } from '@platform/command-line';
import type { ProposedKind } from '@platform/contracts-operator';
import {
  digestOfShown,
  type Claimed,
  type OfflineWork,
  type OutcomeProofs,
  type Planned,
} from '@platform/durable/investigation';
import { ok, refused, type Result, type Revisioned } from '@platform/kernel';
import { digestOfProposal, signedOf, verifyProposal, type WholeProposal } from '../proposals/domain/proposal';
import { proposalsCollection } from '../proposals/store/proposals';
import { verifyingKey } from './option-values';

/** What is to be applied, and by whom. */
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

/** What a proposal says itself. */
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

function fileOf(named: string): Result<unknown, string> {
  try {
    const document = JSON.parse(readFileSync(named, 'utf8')) as unknown;
    // The gateway answers it with its status around it.
    const inner =
      typeof document === 'object' && document !== null && 'proposal' in document ? document.proposal : document;
    return ok(inner);
  } catch (error) {
    return refused(`${named} cannot be read as a proposal: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function read({ store }: Pick<OfflineWork, 'store'>, named: string): Promise<Result<unknown, string>> {
  const file = resolvePath(process.env['INIT_CWD'] ?? '.', named);
  if (/[./\\]/.test(named) || existsSync(file)) return fileOf(file);
  const stored = await store.collection(proposalsCollection).findById(named);
  return stored ? ok(signedOf(stored)) : refused(`There is no proposal ${named}, and no file of that name.`);
}

export interface AppliedProposalWork<Request> {
  readonly request: Request;
  /** Why what is shown now is not what was approved; null when it is. */
  readonly differs: (planned: Planned<Revisioned, OutcomeProofs, unknown>) => string | null;
}

/** Verifies it and its people. A text refuses. Throws `Misuse` for a person whom no token proves, and what the store throws. */
export async function readAppliedProposal(
  { id, proposal: named, by }: AppliedProposalRequest,
  kind: ProposedKind,
  work: Pick<OfflineWork, 'store' | 'clock' | 'people'>,
): Promise<Result<AppliedProposalWork<OutcomeProofs>, string>> {
  const key = verifyingKey();
  const appliedBy = await work.people.emailOf(by, '--token-file');
  const found = await read(work, named);
  if (!found.ok) return found;
  const verified = verifyProposal(found.value, key, work.clock.now());
  if (!verified.ok) return verified;
  const { statement } = verified.value;
  if (statement.kind !== kind || statement.itemId !== id)
    return refused(`It is about the ${statement.kind.replaceAll('_', ' ')} ${statement.itemId}, not about this one.`);
  return ok({ request: proofsIn(verified.value, appliedBy), differs: (planned) => differenceFrom(statement, planned) });
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

function differenceFrom(
  { revision, evidence, override }: WholeProposal['statement'],
  { record, secondProof, resolution }: Planned<Revisioned, OutcomeProofs, unknown>,
): string | null {
  const again = 'Look again, and prepare a new proposal.';
  if (record.revision !== revision) return `evidence_changed: The record has changed since it was proposed. ${again}`;
  if (digestOfShown(secondProof ?? { findings: [] }) !== evidence.shown)
    return `evidence_changed: What the provider shows is not what was approved. ${again}`;
  // Agreed on against a contradiction of that moment, and on no other.
  return override && resolution.override?.contradiction === undefined
    ? `evidence_changed: Nothing contradicts it any more; it needs no override. ${again}`
    : null;
}
