/** A registered provisioning listener: required from its registration on, called in a fixed order. */
import type { ProvisioningEvent } from '@platform/contracts-provisioning';
import type { Revisioned } from '@platform/kernel';

/** `_id` = the listener's name. */
export interface Listener extends Revisioned {
  readonly status: 'registered' | 'unregistered';
  readonly events: readonly ProvisioningEvent[];
  readonly order: number;
  readonly registeredBy: string;
}

/** Those that hear the event, in the order in which they are called. */
export function listenersOf(listeners: readonly Listener[], event: ProvisioningEvent): Listener[] {
  return listeners.filter(({ status, events }) => status === 'registered' && events.includes(event)).sort((a, b) => a.order - b.order || (a._id < b._id ? -1 : 1));
}
