/** The proofs of a resolution as options of a command line. Throws `Misuse` for a missing option. */
import { Misuse } from '@platform/command-line';
import type { Claimed, People } from './people';
import type { OutcomeProofs, Proofs } from './proofs';
import { samePerson } from './signed-proposal';

interface ProofValues {
  readonly by: string | undefined;
  readonly 'token-file': string | undefined;
  readonly 'executor-stopped': string | undefined;
}

interface OutcomeValues extends ProofValues {
  readonly outcome: OutcomeProofs['outcome'] | undefined;
  readonly override: string | undefined;
  readonly 'approved-by': string | undefined;
  readonly 'approval-token-file': string | undefined;
  readonly 'provider-object': string | undefined;
}

/** The people who claim to answer for a resolution and for its override; verified before anything is planned. */
interface Claims {
  readonly by: Claimed;
  readonly override?: { readonly reason: string; readonly approvedBy: Claimed };
}

/** Proofs whose people are not verified yet. */
export type Unsigned<Request extends Proofs> = Omit<Request, 'by' | 'override'> & { readonly claims: Claims };

const claimOf = ({ by, 'token-file': tokenFile }: ProofValues): Claims => ({ by: { email: by, tokenFile } });

/** Whether the proofs are sufficient is decided with the record. */
export function proofsOf(id: string, values: ProofValues): Unsigned<Proofs> {
  return { id, executorStopped: values['executor-stopped'] ?? '', claims: claimOf(values) };
}

function outcomeOf({ outcome }: Pick<OutcomeValues, 'outcome'>): OutcomeProofs['outcome'] {
  if (outcome === undefined) throw new Misuse('--outcome is missing');
  return outcome;
}

export function outcomeProofsOf(id: string, values: OutcomeValues): Unsigned<OutcomeProofs> {
  const proofs = outcomeAloneOf(id, values);
  const object = values['provider-object'];
  if (object === undefined) throw new Misuse("--provider-object is missing: the id of the provider's object, or none");
  return { ...proofs, providerObject: object === 'none' ? null : object };
}

/** For a record without an object at the provider. */
export function outcomeAloneOf(
  id: string,
  values: Omit<OutcomeValues, 'provider-object'>,
): Unsigned<Omit<OutcomeProofs, 'providerObject'>> {
  const outcome = outcomeOf(values);
  return { ...proofsOf(id, values), outcome, claims: { ...claimOf(values), ...overrideOf(values) } };
}

function overrideOf(values: Omit<OutcomeValues, 'provider-object'>): Pick<Claims, 'override'> {
  const { override: reason, 'approved-by': email, 'approval-token-file': tokenFile } = values;
  const approved = email !== undefined || tokenFile !== undefined;
  if (reason === undefined && approved) throw new Misuse('--override is missing: an approval says what for');
  if (reason === undefined) return {};
  if (!approved) throw new Misuse('--approved-by is missing: an override needs a second person');
  return { override: { reason, approvedBy: { email, tokenFile } } };
}

/** The proofs with the people whose tokens were verified. Throws `Misuse`. */
export async function signedBy<Request extends Proofs>(people: People, unsigned: Unsigned<Request>): Promise<Request> {
  const { claims, ...said } = unsigned;
  const by = await people.personOf(claims.by, '--token-file');
  if (!claims.override) return { ...said, by: by.email } as unknown as Request;
  const { reason } = claims.override;
  const approver = await people.personOf(claims.override.approvedBy, '--approval-token-file');
  // One person may have several addresses, and the token also says who they are: such an approval is their own.
  const approvedBy = samePerson(by, approver) ? by.email : approver.email;
  return { ...said, by: by.email, override: { reason, approvedBy } } as unknown as Request;
}
