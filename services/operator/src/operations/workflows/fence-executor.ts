/**
 * How a resolution fences the subscription, so that an executor that still runs, despite the first proof, loses its
 * next write there too. The recorded transition is closed to its attempts before the journal is written. Where there is
 * no transition, the record gets a new revision after that write, which the executor has not read.
 */
import type { RevisionedCollection } from '@platform/mongo';
import { investigateTransition, leftTransition, type Subscription } from '../../mirror/domain/subscription';
import type { UnresolvedOperation } from '../domain/journal';

interface FencingPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
}

const races = 8;

async function fence(
  { subscriptions }: FencingPorts,
  tenantId: string,
  next: (subscription: Subscription) => Subscription | null,
): Promise<boolean> {
  for (let race = 0; race < races; race += 1) {
    const subscription = await subscriptions.findById(tenantId);
    const fenced = subscription && next(subscription);
    if (!subscription || !fenced) return true;
    if ((await subscriptions.mutate(subscription, fenced)).outcome === 'applied') return true;
  }
  return false;
}

/** Before the resolution is written; false when it is not known. Throws StoreUnavailableError. */
export function fenceTransition(ports: FencingPorts, operation: UnresolvedOperation): Promise<boolean> {
  return fence(ports, operation.tenantId, (subscription) =>
    leftTransition(subscription, operation) ? investigateTransition(subscription, operation) : null,
  );
}

/** After the resolution was written: an executor that has not taken its transition yet finds another revision. */
export function fenceAdmission(ports: FencingPorts, { tenantId }: UnresolvedOperation): Promise<boolean> {
  return fence(ports, tenantId, (subscription) => (subscription.transition ? null : subscription));
}
