/**
 * Mirrors that an event could not write stay noted until they are written: after the transition has ended, or when the
 * provider answers again. Reading has no effect, so it can be repeated at any time.
 */
import { decide, walk, type RetryPolicy } from '@platform/durable/record';
import type { MirrorRefresh } from '../domain/mirror-refresh';
import type { MirrorPorts } from './mirror-ports';
import { mirrorSubscription } from './mirror-subscription';

const races = 8;
/** No pauses, because the caller has a deadline. */
const noteTries: RetryPolicy = { tries: 8, pause: () => Promise.resolve() };

/**
 * Makes the note durable, or changes the revision of the stored one, so that a refresh under way does not remove it.
 * False when the outcome is unknown.
 */
export async function requestRefresh(
  { refreshes }: Pick<MirrorPorts, 'refreshes'>,
  tenantId: string,
  eventId: string,
  reason: MirrorRefresh['reason'],
): Promise<boolean> {
  const note = () => ({ write: { _id: tenantId, eventId, reason } });
  return (await decide({ retryPolicy: noteTries }, refreshes, tenantId, note, null)).kind === 'written';
}

/** Refreshes one workspace if its mirror is noted; returns whether no note is left. Throws StoreUnavailableError. */
export async function refreshMirror(ports: MirrorPorts, tenantId: string): Promise<boolean> {
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
export async function refreshMirrors(ports: MirrorPorts, stopping?: () => boolean): Promise<number> {
  let remaining = 0;
  for await (const { _id } of walk(ports.refreshes, {})) {
    if (stopping?.()) return remaining;
    if (!(await refreshMirror(ports, _id))) remaining += 1;
  }
  return remaining;
}
