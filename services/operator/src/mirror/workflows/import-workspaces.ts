/**
 * Imports workspaces that existed before the platform, as records of its own. The provider is only read. Every
 * workspace is checked before the first one is written: its plan must be in the catalog, and its subscription must
 * belong to the customer and sell that plan. Existing records do not change, so an import can be repeated.
 */
import type { ProviderReads } from '@platform/payment-provider';
import { sellsPrice } from '@platform/payment-provider/effects';
import type { Draft } from '@platform/mongo';
import type { Subscription } from '../domain/subscription';
import type { MirrorPorts } from './mirror-ports';
import { nextMirror } from './mirror-subscription';
import { customerPaths } from './workspace-of-customer';

export interface ImportedWorkspace {
  readonly tenantId: string;
  readonly workspaceName: string;
  readonly planId: string;
  readonly owner?: { readonly userId: string; readonly email?: string | undefined } | undefined;
  readonly customerId?: string | undefined;
  readonly subscriptionId?: string | undefined;
}

export type ImportPorts = Pick<MirrorPorts, 'subscriptions' | 'plans' | 'clock'> & { readonly provider: ProviderReads };

export type Judged =
  | { readonly kind: 'new'; readonly draft: Draft<Subscription> }
  | { readonly kind: 'exists' }
  | { readonly kind: 'refused'; readonly why: string };

/** Throws StoreUnavailableError. */
export async function judgeImport(ports: ImportPorts, wanted: ImportedWorkspace): Promise<Judged> {
  if (await ports.subscriptions.findById(wanted.tenantId)) return { kind: 'exists' };
  for (const name of ['subscriptionId', 'customerId'] as const) {
    const holder = wanted[name] && (await holderOf(ports, name, wanted[name]));
    if (holder) return refused(`${name} ${wanted[name]} is that of ${holder}`);
  }
  const plan = await ports.plans.findById(wanted.planId);
  if (!plan) return refused(`plan ${wanted.planId} is not in the catalog`);
  const draft = draftOf(wanted, ports.clock.now());
  if (plan.amountCents === 0 && wanted.subscriptionId === undefined) return { kind: 'new', draft };
  if (wanted.subscriptionId === undefined || wanted.customerId === undefined)
    return refused(`plan ${wanted.planId} is paid for, so customerId and subscriptionId are needed`);
  const read = await ports.provider.retrieveSubscription(wanted.subscriptionId);
  if (read.outcome === 'failed') return refused(`subscription ${wanted.subscriptionId}: ${read.message}`);
  if (read.outcome === 'unknown') return refused(`the provider did not answer: ${read.reason}`);
  if (read.value.customerId !== wanted.customerId)
    return refused(`subscription ${wanted.subscriptionId} is of customer ${read.value.customerId}`);
  const next = await nextMirror(ports, { ...draft, revision: '', createdAt: new Date(0), updatedAt: new Date(0) });
  if ('kind' in next) return refused('reason' in next ? next.reason : next.kind);
  if (next.planId !== wanted.planId || plan.priceId === undefined || !sellsPrice(read.value, plan.priceId))
    return refused(
      `subscription ${wanted.subscriptionId} sells price ${read.value.priceId}, plan ${wanted.planId} has ${plan.priceId ?? 'none'}`,
    );
  const { revision: _revision, createdAt: _createdAt, updatedAt: _updatedAt, ...found } = next;
  return { kind: 'new', draft: found };
}

const placesOf = { subscriptionId: ['provider.subscriptionId'], customerId: customerPaths } as const;

/** What the provider has belongs to one workspace: two would mirror, charge and end the same subscription. */
async function holderOf(
  { subscriptions }: ImportPorts,
  name: 'subscriptionId' | 'customerId',
  id: string,
): Promise<string | undefined> {
  for (const path of placesOf[name]) {
    const [holder] = await subscriptions.find({ [path]: id }, { sort: { _id: 1 }, limit: 1 });
    if (holder) return `workspace ${holder._id}`;
    if ((await subscriptions.count({ [path]: id })) > 0) return 'a workspace whose record cannot be read';
  }
  return undefined;
}

function refused(why: string): Judged {
  return { kind: 'refused', why };
}

function draftOf({ tenantId, workspaceName, planId, owner, customerId, subscriptionId }: ImportedWorkspace, now: Date) {
  return {
    _id: tenantId,
    workspaceName,
    ...(owner && { owner: { userId: owner.userId, ...(owner.email !== undefined && { email: owner.email }) } }),
    status: 'active' as const,
    access: { state: 'open' as const, since: now, operationId: null },
    accessRevision: 1,
    planId,
    provider: { ...(customerId && { customerId }), ...(subscriptionId && { subscriptionId }) },
    isComplimentary: false,
  };
}

/** Writes one; returns whether it is new. Throws when the outcome of the write is unknown: the import is repeated. */
export async function writeImport(
  { subscriptions }: Pick<ImportPorts, 'subscriptions'>,
  draft: Draft<Subscription>,
): Promise<boolean> {
  const inserted = await subscriptions.insert(draft);
  if (inserted.outcome === 'unknown') throw new Error(`${draft._id}: ${inserted.reason}`);
  return inserted.outcome === 'applied';
}
