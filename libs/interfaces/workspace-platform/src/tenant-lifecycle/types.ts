/**
 * The types of the tenant lifecycle interface, for modules that react to a workspace's creation, suspension and
 * reactivation.
 */
import type { ConsumerTest, LifecycleMessage, LifecycleTransition } from '@platform/contracts-lifecycle-delivery';

/** `created`, `suspended` or `reactivation_requested` (specification §6). */
export type TenantLifecycleTransition = LifecycleTransition;

/**
 * What a consumer receives: `tenantId`, `operationId`, `transition`, `requestedAt` (ISO 8601, UTC). `operationId` is
 * stable across repeats, so consumers deduplicate by it; for a creation it is `workspace-created:<tenantId>`. From
 * `backfill`, `requestedAt` is the beginning of 1970, before every transition.
 */
export type TenantLifecycleMessage = Readonly<LifecycleMessage>;

/** A test message: `testId`, `consumer`, `requestedAt` (ISO 8601, UTC). It names no workspace and no operation. */
export type TenantLifecycleTest = Readonly<ConsumerTest>;

/**
 * The consumer's durable evidence that its effect is durable. `receiptId`: 1 to 200 characters. `effectiveAt`: a date
 * or ISO 8601 text, with `Z` or an offset.
 */
export interface TenantLifecycleConsumerReceipt {
  readonly receiptId: string;
  readonly effectiveAt: Date | string;
}

export interface TenantLifecycleConsumer {
  /**
   * 3 to 64 of a-z, 0-9, _ and -, beginning with a letter; unique on the platform, and stable, because deliveries are
   * addressed to it.
   */
  readonly name: string;
  /** The transitions that this consumer handles: one to three, without repeats. */
  readonly transitions: readonly TenantLifecycleTransition[];
  /**
   * Makes the effect durable and returns the evidence. May be called more than once for one operation, and in any
   * order: deduplicate by `operationId`. Throwing means that the delivery is tried again later.
   */
  consume(message: TenantLifecycleMessage): Promise<TenantLifecycleConsumerReceipt>;
  /**
   * Answers a test that a person sends from the consumer's page: it concerns no workspace. Check here what `consume`
   * needs, for example its database. Default: the receipt `test:<testId>`, which shows that messages arrive and are
   * answered.
   */
  answerTest?(test: TenantLifecycleTest): Promise<TenantLifecycleConsumerReceipt>;
  /**
   * Release of this consumer, an increasing whole number. While two releases run side by side, the older one never
   * removes transitions of the newer one, even when it starts again.
   */
  readonly version?: number;
  /** The contact when deliveries wait: a team's address or channel, 1 to 200 characters. */
  readonly contact?: string;
  /**
   * Concurrent calls of `consume` in this process, 1 (the default) to 64. With more than one, transitions of one
   * workspace may overlap.
   */
  readonly concurrency?: number;
  /**
   * Aborted when the owning module unloads: the registration is then removed. Default: the owner in whose scope it
   * registers.
   */
  readonly owner?: AbortSignal;
}

export interface TenantLifecycleConsumerRegistration {
  readonly name: string;
  /**
   * Removes the registration: it is no longer required for anything that begins from now on. Resolves when the platform
   * has recorded it; repeating it, or calling it after a later registration of the name, does nothing.
   */
  unregister(): Promise<void>;
}

export type TenantLifecycleErrorCode =
  'invalid_registration' | 'invalid_tenant' | 'not_attached' | 'gate_unavailable' | 'inventory_unavailable';

/** `code` is stable; `message` is for people. */
export class TenantLifecycleError extends Error {
  override name = 'TenantLifecycleError';
  constructor(
    readonly code: TenantLifecycleErrorCode,
    message: string,
  ) {
    super(message);
  }
}
