/** A registered provisioning listener: required from its registration on, called in a fixed order. */
import type { ProvisioningEvent, RegisterListener, UnregisterListener } from '@platform/contracts-provisioning';
import type { Revisioned } from '@platform/kernel';

export const listenerStatuses = ['registered', 'unregistered'] as const;

/** `_id` = the listener's name. */
export interface Listener extends Revisioned {
  readonly status: (typeof listenerStatuses)[number];
  readonly events: readonly ProvisioningEvent[];
  readonly order: number;
  readonly registeredBy: string;
  /** The release that registered last; absent when the registration named none. */
  readonly version?: number;
}

/** The listeners of this event, in the order in which they are called. */
export function listenersOf(listeners: readonly Listener[], event: ProvisioningEvent): Listener[] {
  return listeners
    .filter(({ status, events }) => status === 'registered' && events.includes(event))
    .sort((a, b) => a.order - b.order || (a._id < b._id ? -1 : 1));
}

export type RegistrationDecision =
  /** The registration is already as requested. */
  | { readonly kind: 'unchanged' }
  /** `replaced`: the registration replaces another instance's, or one with other values. */
  | { readonly kind: 'write'; readonly replaced: boolean };

/**
 * The latest registration of a name replaces the former, unless it belongs to an older release. A renewal does not
 * change the registration of another process, unless that belongs to an older release: in a rolling deployment the old
 * release must not take an event away from the new one.
 */
export function decideRegistration(
  former: Listener | null,
  { events, order, registeredBy, renew, version }: RegisterListener,
): RegistrationDecision {
  if (former?.status !== 'registered') return { kind: 'write', replaced: false };
  const releases = version !== undefined && former.version !== undefined ? version - former.version : 0;
  if (releases < 0 || (renew && releases === 0 && former.registeredBy !== registeredBy)) return { kind: 'unchanged' };
  const same =
    former.order === order &&
    former.version === version &&
    former.events.length === events.length &&
    events.every((event) => former.events.includes(event));
  return same && (renew || former.registeredBy === registeredBy)
    ? { kind: 'unchanged' }
    : { kind: 'write', replaced: true };
}

/**
 * A removal counts only when the instance that registered last requests it: a replica that still runs remains required.
 */
export function decideRemoval(former: Listener | null, { registeredBy }: UnregisterListener): boolean {
  return former?.status === 'registered' && former.registeredBy === registeredBy;
}
