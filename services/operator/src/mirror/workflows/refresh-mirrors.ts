/**
 * Mirrors that an event could not write stay noted until they are written: after the transition has ended, or when the
 * provider answers again. Reading is no effect, so this may be repeated as often as it likes.
 */
import type { MirrorRefresh } from '../domain/mirror-refresh';
import type { OperatorPorts } from '../../operations/workflows/ports';
import { mirrorSubscription } from './mirror-subscription';

const pageSize = 100;
const races = 8;

type RefreshPorts = Pick<OperatorPorts, 'subscriptions' | 'plans' | 'provider' | 'refreshes'>;

/** Makes the note durable, or bumps the one that stands, so that a refresh under way does not take it away. False when that is not known. */
export async function requestRefresh(
  { refreshes }: Pick<OperatorPorts, 'refreshes'>,
  tenantId: string,
  eventId: string,
  reason: MirrorRefresh['reason'],
): Promise<boolean> {
  for (let race = 0; race < races; race += 1) {
    const inserted = await refreshes.insert({ _id: tenantId, eventId, reason });
    if (inserted.outcome === 'applied') return true;
    const standing = inserted.outcome === 'not_applied' ? inserted.existing : await refreshes.findById(tenantId);
    if (!standing) continue;
    const bumped = await refreshes.mutate(standing, { _id: tenantId, eventId, reason });
    if (bumped.outcome === 'applied') return true;
  }
  return false;
}

/** Refreshes one workspace if that is noted; returns whether nothing is noted any more. Throws StoreUnavailableError. */
export async function refreshMirror(ports: RefreshPorts, tenantId: string): Promise<boolean> {
  for (let race = 0; race < races; race += 1) {
    const note = await ports.refreshes.findById(tenantId);
    if (!note) return true;
    const { kind } = await mirrorSubscription(ports, tenantId);
    if (kind === 'transition_pending' || kind === 'provider_unavailable' || kind === 'store_unavailable') return false;
    if ((await ports.refreshes.remove(note)).outcome === 'applied') return true;
  }
  return false;
}

/** Tries every note once; returns how many remain. Throws StoreUnavailableError. */
export async function refreshMirrors(ports: RefreshPorts, stopping: () => boolean = () => false): Promise<number> {
  let remaining = 0;
  let after: readonly [string] | undefined;
  for (;;) {
    const page: MirrorRefresh[] = await ports.refreshes.find(
      {},
      { sort: { _id: 1 }, limit: pageSize, ...(after && { after }) },
    );
    for (const { _id } of page) {
      if (stopping()) return remaining;
      if (!(await refreshMirror(ports, _id))) remaining += 1;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return remaining;
    after = [last._id];
  }
}
