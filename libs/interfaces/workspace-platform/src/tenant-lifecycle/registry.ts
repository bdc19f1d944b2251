/** The registrations of this process, consumers and listeners, and the platform to which both are attached. */
import type { AccessDecision } from '../access/guard';
import type { TenantLifecycleAttachment, TenantLifecyclePlatform } from './platform';
import type { TenantPage, TenantPageOptions } from './inventory';
import { validateListener, type TenantProvisioningListener } from './provisioning-listener';
import { createKindRegistry, type RegistryKind } from './kind-registry';
import { TenantLifecycleError, type TenantLifecycleConsumer, type TenantLifecycleConsumerRegistration } from './types';
import { validateRegistration } from './validate-registration';

export interface TenantLifecycleRegistry {
  register(registration: TenantLifecycleConsumer, ambientOwner?: AbortSignal): TenantLifecycleConsumerRegistration;
  listen(registration: TenantProvisioningListener, ambientOwner?: AbortSignal): TenantLifecycleConsumerRegistration;
  attach(platform: TenantLifecyclePlatform): TenantLifecycleAttachment;
  isProvisioningCommitted(tenantId: string): Promise<boolean>;
  listTenants(options: TenantPageOptions): Promise<TenantPage>;
  /** Resolves when everything that is registered here is registered on the platform. */
  registered(): Promise<void>;
  /** `unknown` while no platform is attached. */
  decideAccess(tenantId: string): Promise<AccessDecision>;
}

/** Deliveries to an unreachable consumer wait for it. */
const consumerKind: RegistryKind<TenantLifecycleConsumer> = {
  title: 'tenant lifecycle consumer',
  noun: 'consumer',
  describe: ({ transitions }) => ({ transitions }),
  connect: (platform, consumer) => platform.connectConsumer(consumer),
  remove: (platform, name) => platform.removeConsumer(name),
  answersUntilReplaced: false,
};

/** A required listener that does not answer stops a creation permanently. */
const listenerKind: RegistryKind<TenantProvisioningListener> = {
  title: 'tenant provisioning listener',
  noun: 'listener',
  describe: ({ order }) => ({ order }),
  connect: (platform, listener) => platform.connectListener(listener),
  remove: (platform, name) => platform.removeListener(name),
  answersUntilReplaced: true,
};

/** `warn` receives warnings while no platform, and so no log, is attached. */
export function createTenantLifecycleRegistry(warn: (message: string) => void): TenantLifecycleRegistry {
  const consumers = createKindRegistry(consumerKind, warn);
  const listeners = createKindRegistry(listenerKind, warn);
  let attached: TenantLifecyclePlatform | null = null;
  const platform = (what: string): TenantLifecyclePlatform => {
    if (attached) return attached;
    throw new TenantLifecycleError('not_attached', `no platform is attached, so it is unknown ${what}`);
  };
  return {
    register: (registration, ambientOwner) => consumers.register(validateRegistration(registration), ambientOwner),
    listen: (registration, ambientOwner) => listeners.register(validateListener(registration), ambientOwner),
    attach(next) {
      if (attached) next.log.warn({}, 'another platform attaches; the former one delivers no more');
      attached = next;
      for (const registry of [consumers, listeners]) registry.attach(next);
      return {
        async detach() {
          if (attached !== next) return;
          attached = null;
          await Promise.all([consumers.detach(), listeners.detach()]);
        },
      };
    },
    isProvisioningCommitted: async (tenantId) =>
      platform('whether the tenant is committed').isProvisioningCommitted(tenantId),
    listTenants: async (options) => platform('which tenants there are').listTenants(options),
    registered: async () => platform('whether this process is registered').ready(),
    decideAccess: async (tenantId) => (attached ? attached.decideAccess(tenantId) : { state: 'unknown' }),
  };
}
