/**
 * Which workspaces a person owns who has signed in at the product's identity provider. A claim names them where one is
 * configured. Elsewhere it is the address that the workspace was created with, and it counts only when the provider says
 * that it has verified it: otherwise a person could enter the address of another one.
 */
import { namesOf, type SignedInPerson } from '@platform/http-server';
import type { RevisionedCollection } from '@platform/mongo';
import { z } from 'zod';
import type { Subscription } from '../../mirror/domain/subscription';

export interface OwnerPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
}

/** The most workspaces that one person's page shows. */
const workspacesMax = 100;

const tenantId = z.string().min(1).max(128);
/** As in tokens of the platform, or a list of workspaces that the person owns. */
const claimSchema = z.union([
  z.record(tenantId, z.enum(['owner', 'member'])),
  z.array(tenantId).transform((ids) => Object.fromEntries(ids.map((id) => [id, 'owner' as const]))),
  z.undefined().transform(() => ({})),
]);

/** `claim`: undefined finds owners by their verified address. Throws StoreUnavailableError. */
export async function ownerOfClaims(
  { subscriptions }: OwnerPorts,
  claims: Readonly<Record<string, unknown>>,
  claim: string | undefined,
): Promise<SignedInPerson | 'no_identity'> {
  const names = namesOf(claims);
  if (!names) return 'no_identity';
  const { subject, email, verified } = names;
  if (claim === undefined && !verified) return 'no_identity';
  const owned = claim === undefined ? await ownedBy(subscriptions, email) : namedBy(claims, claim);
  return { subject, email, role: 'user', workspaces: Object.fromEntries(owned.map((each) => [each, 'owner'])) };
}

async function ownedBy(subscriptions: OwnerPorts['subscriptions'], email: string): Promise<readonly string[]> {
  // Records keep the address as the product's token spelled it; a provider may send it in lower case.
  const spellings = [...new Set([email, email.toLowerCase()])];
  const found = await Promise.all(
    spellings.map((spelling) =>
      subscriptions.find({ 'owner.email': spelling }, { sort: { createdAt: -1, _id: -1 }, limit: workspacesMax }),
    ),
  );
  return found
    .flat()
    .slice(0, workspacesMax)
    .map(({ _id }) => _id);
}

/** Empty when the claim has another form; its meaning is not guessed. */
function namedBy(claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] {
  const given = claimSchema.safeParse(Object.hasOwn(claims, claim) ? claims[claim] : undefined);
  const parts: Readonly<Record<string, 'owner' | 'member'>> = given.success ? given.data : {};
  return Object.keys(parts)
    .filter((id) => parts[id] === 'owner')
    .slice(0, workspacesMax);
}
