/** The platform of this process over a broker connection; the registry of `tenant-lifecycle` is attached to it. */
import { lifecycleRequests, unregisteredConsumerSchema } from '@platform/contracts-lifecycle-delivery';
import { listenerRequests, unregisteredListenerSchema } from '@platform/contracts-provisioning';
import type { Clock, Ids, Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { askOverBroker, createAccessGuard } from '../access/guard';
import type { TenantLifecyclePlatform } from '../tenant-lifecycle/platform';
import type { TenantProvisioningListener } from '../tenant-lifecycle/provisioning-listener';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { askCommitGate } from './commit-gate';
import { deliverTo, type DeliveryLimits } from './deliver';
import { askInventory } from './inventory';
import type { KeptRegistration, Wait } from './keep-registered';
import { linkConsumer } from './link-consumer';
import { linkListener } from './link-listener';
import { removeRegistration, type RemovalPorts } from './remove-registration';

export interface PlatformPorts {
  readonly messaging: Pick<Messaging, 'request' | 'consume' | 'publish' | 'serve' | 'restored'>;
  readonly instance: string;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
  readonly ids: Ids;
  readonly log: Log;
  readonly wait: Wait;
  readonly limits: DeliveryLimits;
  /** How long running calls may take when the process detaches. */
  readonly stopGraceMs: number;
}

export interface MessagingPlatform extends TenantLifecyclePlatform {
  /** Ends all outstanding requests; called after the registry was detached. */
  close(): void;
}

export function createMessagingPlatform(ports: PlatformPorts): MessagingPlatform {
  const { messaging, log, instance } = ports;
  const links = new Set<KeptRegistration>();
  const stop = new AbortController();
  const access = createAccessGuard({ ask: askOverBroker(messaging), now: ports.monotonic });

  function connection(link: KeptRegistration, abandon: AbortController) {
    links.add(link);
    return {
      stands: link.ready,
      async detach(): Promise<void> {
        links.delete(link);
        const grace = setTimeout(() => abandon.abort(), ports.stopGraceMs);
        await link.close().finally(() => clearTimeout(grace));
      },
    };
  }

  const removal: RemovalPorts = { messaging, log, registeredBy: instance, wait: ports.wait, closing: stop.signal };

  return {
    log,
    connectConsumer(consumer: TenantLifecycleConsumer) {
      const abandon = new AbortController();
      const handle = deliverTo(consumer, {
        broker: messaging,
        clock: ports.clock,
        ids: ports.ids,
        log,
        limits: ports.limits,
        abandon: abandon.signal,
      });
      return connection(linkConsumer(consumer, handle, ports), abandon);
    },
    removeConsumer: (name) =>
      removeRegistration(removal, lifecycleRequests.unregister(name), name, unregisteredConsumerSchema),
    connectListener(listener: TenantProvisioningListener) {
      const abandon = new AbortController();
      return connection(linkListener(listener, { ...ports, abandon: abandon.signal }), abandon);
    },
    removeListener: (name) =>
      removeRegistration(removal, listenerRequests.unregister(name), name, unregisteredListenerSchema),
    isProvisioningCommitted: (tenantId) => askCommitGate(messaging, tenantId),
    listTenants: (options) => askInventory(messaging, options),
    decideAccess: async (tenantId) => (await access.decide(tenantId)).decision,
    async ready() {
      await Promise.all([...links].map((link) => link.ready));
    },
    close: () => stop.abort(),
  };
}
