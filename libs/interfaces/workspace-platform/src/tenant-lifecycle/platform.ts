/** The port between the registry of this process and the platform that delivers. `connect` attaches one over NATS. */
import type { Log } from '@platform/kernel';
import type { TenantLifecycleConsumer } from './types';

/** One consumer's deliveries in this process. */
export interface ConsumerConnection {
  /** Stops delivering to this process and waits for a run under way; the consumer stays required. */
  detach(): Promise<void>;
}

export interface TenantLifecyclePlatform {
  /** Registers the consumer durably and delivers to it, for as long as it takes; does not throw. */
  connectConsumer(consumer: TenantLifecycleConsumer): ConsumerConnection;
  /** Removes the durable registration; resolves when that is recorded. */
  removeConsumer(name: string): Promise<void>;
  /** Throws when nobody can say. */
  isProvisioningCommitted(tenantId: string): Promise<boolean>;
  readonly log: Log;
}

export interface TenantLifecycleAttachment {
  /** Ends deliveries to this process. Registrations stay, here to be replayed at the next attach, and on the platform. */
  detach(): Promise<void>;
}
