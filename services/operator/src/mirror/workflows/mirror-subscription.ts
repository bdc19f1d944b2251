/**
 * Makes a workspace's mirror equal to the provider. The local record is read before the provider, and its revision
 * fences the write. Of two concurrent runs, one that read an older state of the provider loses the race and reads both
 * again.
 */
import { decide, type Decision, type RetryPolicy } from '@platform/durable/record';
import { canonicalJson } from '@platform/kernel';
import { mirror, withCustomer, type Subscription } from '../domain/subscription';
import { mirrorOf } from '../domain/mirror-provider';
import { itemsOf, phasesFromNow, pricesOf } from '@platform/payment-provider/effects';
import type { ProviderReads, ProviderSubscription, ProviderSubscriptionItem } from '@platform/payment-provider';
import type { MirrorPorts } from './mirror-ports';

export type Mirroring =
  | { readonly kind: 'mirrored' }
  | { readonly kind: 'no_workspace' | 'no_subscription' | 'deletion_started' }
  /** Ordinary writes refuse a pending transition (specification §2). */
  | { readonly kind: 'transition_pending' }
  | { readonly kind: 'provider_unavailable' | 'store_unavailable' | 'gone'; readonly reason: string };

/** No pauses: a mirror that cannot be written now stays noted and is tried again later. */
const mirrorTries: RetryPolicy = { tries: 12, pause: () => Promise.resolve() };

/** `read` saves the first reading when the caller has just made it. */
export async function mirrorSubscription(
  ports: MirroringPorts,
  tenantId: string,
  read?: Subscription,
): Promise<Mirroring> {
  const decided = await decide<Subscription, Subscription, Mirroring>(
    { retryPolicy: mirrorTries, races: mirrorTries.tries },
    ports.subscriptions,
    tenantId,
    (subscription) => mirroringOf(ports, subscription),
    read,
  );
  if (decided.kind === 'answered') return decided.answer;
  return decided.kind === 'written'
    ? { kind: 'mirrored' }
    : { kind: 'store_unavailable', reason: 'the mirror could not be written' };
}

async function mirroringOf(
  ports: MirroringPorts,
  subscription: Subscription | null,
): Promise<Decision<Subscription, Mirroring>> {
  if (!subscription) return { answer: { kind: 'no_workspace' } };
  const next = await nextMirror(ports, subscription);
  if ('kind' in next) return { answer: next };
  return canonicalJson(next) === canonicalJson(subscription) ? { answer: { kind: 'mirrored' } } : { write: next };
}

/** The mirror as the provider would have it now, or why there is none. Writes nothing. */
export async function nextMirror(
  ports: ReadingPorts,
  subscription: Subscription,
): Promise<Subscription | Exclude<Mirroring, { readonly kind: 'mirrored' }>> {
  if (subscription.deletion) return { kind: 'deletion_started' };
  if (subscription.transition) return { kind: 'transition_pending' };
  if (!subscription.provider.subscriptionId) return { kind: 'no_subscription' };
  const read = await ports.provider.retrieveSubscription(subscription.provider.subscriptionId);
  if (read.outcome === 'failed') return { kind: 'gone', reason: read.message };
  if (read.outcome === 'unknown') return { kind: 'provider_unavailable', reason: read.reason };
  const pending = await pendingPlanOf(ports, subscription, read.value);
  if (pending === 'unavailable') return { kind: 'provider_unavailable', reason: 'its schedules could not be read' };
  const { item, planId } = await soldItemOf(ports, subscription, read.value);
  const patch = mirrorOf(subscription, { ...read.value, ...item }, planId, pending, ports.clock.now());
  // The mirror may have no customer, or a former one, when an investigation has named the subscription of a checkout.
  const provider = withCustomer(patch.provider ?? {}, read.value.customerId);
  return mirror(subscription, { ...patch, provider });
}

/**
 * The item that sells a plan of the catalog, and that plan. A person may have added items for other things at the
 * provider; of several that sell a plan, and where none does, it is the mirrored one.
 */
async function soldItemOf(
  ports: Pick<MirrorPorts, 'plans'>,
  subscription: Subscription,
  found: ProviderSubscription,
): Promise<{ readonly item: ProviderSubscriptionItem; readonly planId: string | undefined }> {
  const mirrored = ({ itemId }: ProviderSubscriptionItem): boolean => itemId === subscription.provider.itemId;
  const items = itemsOf(found);
  const inOrder = [...items.filter(mirrored), ...items.filter((item) => !mirrored(item))];
  for (const item of inOrder) {
    const planId = await planOfPrice(ports, subscription, item.priceId);
    if (planId !== undefined) return { item, planId };
  }
  return { item: inOrder[0]!, planId: undefined };
}

type MirroringPorts = Pick<MirrorPorts, 'subscriptions' | 'plans' | 'clock'> & { readonly provider: ProviderReads };
type ReadingPorts = Omit<MirroringPorts, 'subscriptions'>;

/** The change to which the schedule leads; a phase that has begun is no pending change any more. */
async function pendingPlanOf(
  ports: ReadingPorts,
  subscription: Subscription,
  { scheduleId }: Pick<ProviderSubscription, 'scheduleId'>,
): Promise<Subscription['pendingPlan'] | 'unavailable'> {
  if (scheduleId === null) return undefined;
  const read = await ports.provider.retrieveSchedule(scheduleId);
  if (read.outcome !== 'succeeded') return 'unavailable';
  const { upcoming } = phasesFromNow(read.value);
  for (const priceId of upcoming ? pricesOf(upcoming) : []) {
    const planId = await planOfPrice(ports, subscription, priceId, true);
    if (planId !== undefined) return { planId, at: upcoming!.startDate, scheduleId };
  }
  return undefined;
}

/**
 * The catalog's plan with this price. Several may have it, and the provider cannot tell them apart: the plan of the
 * workspace and the one that is pending come first, for a price that follows in the other order.
 */
async function planOfPrice(
  { plans }: Pick<MirrorPorts, 'plans'>,
  { planId, pendingPlan }: Subscription,
  priceId: string,
  follows = false,
): Promise<string | undefined> {
  const known = follows ? [pendingPlan?.planId, planId] : [planId, pendingPlan?.planId];
  for (const id of known) if (id !== undefined && (await plans.findById(id))?.priceId === priceId) return id;
  return (await plans.find({}, { sort: { _id: 1 }, limit: 1_000 })).find((plan) => plan.priceId === priceId)?._id;
}
