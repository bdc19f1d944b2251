/** The port between the registry of this process and the platform that delivers. `connect` attaches one over NATS. */
import type { Log } from '@platform/kernel';
import type { AccessDecision } from '../access/guard';
import type { TenantPage, TenantPageOptions } from './inventory';
import type { TenantProvisioningListener } from './provisioning-listener';
import type { TenantLifecycleConsumer } from './types';

/** The connection of one registration in this process. */
export interface PlatformConnection {
  /** Resolves when the registration is recorded and is served or read for the first time. */
  readonly stands?: Promise<void>;
  /** Stops delivering to this process and waits for a running call; the registration stays required. */
  detach(): Promise<void>;
}

/** One consumer's deliveries in this process. */
export type ConsumerConnection = PlatformConnection;

export interface TenantLifecyclePlatform {
  /** Registers the consumer durably and delivers to it, retrying without a limit; does not throw. */
  connectConsumer(consumer: TenantLifecycleConsumer): PlatformConnection;
  /** Removes the durable registration; resolves when that is recorded. */
  removeConsumer(name: string): Promise<void>;
  /** Answers for the listener and registers it durably, retrying without a limit; does not throw. */
  connectListener(listener: TenantProvisioningListener): PlatformConnection;
  /** Removes the durable registration; resolves when that is recorded. */
  removeListener(name: string): Promise<void>;
  /** Throws when the state is unknown. */
  isProvisioningCommitted(tenantId: string): Promise<boolean>;
  /** One page of the inventory. Throws when the state is unknown. */
  listTenants(options: TenantPageOptions): Promise<TenantPage>;
  /** Whether the product may be used in this workspace at this moment; never throws. */
  decideAccess(tenantId: string): Promise<AccessDecision>;
  /** Resolves when every currently connected consumer and listener is registered. */
  ready(): Promise<void>;
  readonly log: Log;
}

export interface TenantLifecycleAttachment {
  /** Ends deliveries to this process. Registrations stay: here for the next attach, and on the platform. */
  detach(): Promise<void>;
}
