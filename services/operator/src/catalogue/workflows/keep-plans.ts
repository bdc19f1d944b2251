/** Reads and writes of the plan catalog. */
import type { PlanRequest } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderReads } from '@platform/payment-provider';
import { billedEveryOf, complaintsAbout, differencesFromPrice, type FieldComplaint, type Plan } from '../domain/plan';

const plansMax = 1_000;

export interface CatalogPorts {
  readonly plans: RevisionedCollection<Plan>;
}

export interface PlanWritePorts extends CatalogPorts {
  readonly provider: Pick<ProviderReads, 'retrievePrice'>;
}

export type PlanPut =
  | { readonly kind: 'written'; readonly plan: Plan; readonly created: boolean }
  | { readonly kind: 'refused'; readonly errors: readonly FieldComplaint[] }
  /** The provider did not say what the price is. */
  | { readonly kind: 'price_unread'; readonly reason: string }
  | { readonly kind: 'changed' }
  /** The plan is not in the state that the caller has read. */
  | { readonly kind: 'another_state' }
  | { readonly kind: 'unknown' };

/** By id. The catalog is bounded by 1,000 plans. */
export function listPlans({ plans }: CatalogPorts): Promise<Plan[]> {
  return plans.find({}, { sort: { _id: 1 }, limit: plansMax });
}

/**
 * Creates the plan, or updates its editable fields; with `isSeen`, only in the state that `isSeen` accepts. A new plan,
 * and one that goes back on sale, is compared with its price at the provider. A provider that does not answer holds up
 * a new plan alone. How often it is paid is read with it, for a stored plan that does not say it too.
 */
export async function putPlan(
  { plans, provider }: PlanWritePorts,
  planId: string,
  request: PlanRequest,
  isSeen: (standing: Plan | null) => boolean = () => true,
): Promise<PlanPut> {
  const standing = await plans.findById(planId);
  if (!isSeen(standing)) return { kind: 'another_state' };
  const errors = complaintsAbout(request, standing);
  if (errors.length > 0) return { kind: 'refused', errors };
  const { priceId } = request;
  const isJudged = !standing || (request.offered && !standing.offered);
  const isRead = priceId !== undefined && (isJudged || !standing.billedEvery);
  const price = isRead ? await provider.retrievePrice(priceId) : undefined;
  if (!standing && price?.outcome === 'unknown') return { kind: 'price_unread', reason: price.reason };
  const read = price?.outcome === 'succeeded' ? price.value : null;
  const isKnown = price !== undefined && price.outcome !== 'unknown';
  const differing = isJudged && isKnown ? differencesFromPrice(request, read) : [];
  if (differing.length > 0) return { kind: 'refused', errors: differing };
  // What a newer release keeps in the plan stays; every field of a request is in each request or never changes.
  const draft = { ...standing, _id: planId, ...request, ...(read && { billedEvery: billedEveryOf(read) }) };
  const written = standing ? await plans.mutate(standing, draft) : await plans.insert(draft);
  if (written.outcome === 'applied') return { kind: 'written', plan: written.record, created: !standing };
  return { kind: written.outcome === 'unknown' ? 'unknown' : 'changed' };
}
