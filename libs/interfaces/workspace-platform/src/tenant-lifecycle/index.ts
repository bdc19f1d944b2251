/**
 * Entry point `tenant-lifecycle` (specification §§3, 4, 6): modules register required consumers of tenant lifecycle
 * transitions and listeners of a workspace's creation, and ask the commit gate and whether a workspace is open.
 * Registering works before a platform is attached; `connect` attaches it.
 */
import { tenantIdSchema } from '@platform/contracts-lifecycle-delivery';
import type { AccessDecision } from '../access/guard';
import { fastifyGuard, plainGuard, type WorkspaceGuardOptions } from '../access/middleware';
import {
  pagesOf,
  runBackfill,
  type BackfillOptions,
  type BackfillResult,
  type TenantPageOptions,
  type TenantPages,
} from './inventory';
import type { TenantLifecycleAttachment, TenantLifecyclePlatform } from './platform';
import { processState } from './process-registry';
import type { TenantProvisioningListener } from './provisioning-listener';
import {
  TenantLifecycleError,
  type TenantLifecycleConsumer,
  type TenantLifecycleConsumerRegistration,
  type TenantLifecycleMessage,
} from './types';

export {
  createOperationDeduplicator,
  createStoredOperationDeduplicator,
  type OperationDeduplicator,
  type ReceiptCollection,
  type StoredReceipt,
} from './deduplicator';
export type {
  BackfillOptions,
  BackfillProgress,
  BackfillResult,
  Tenant,
  TenantPage,
  TenantPageOptions,
  TenantPages,
} from './inventory';
export type {
  ConsumerConnection,
  PlatformConnection,
  TenantLifecycleAttachment,
  TenantLifecyclePlatform,
} from './platform';
export {
  TenantProvisioningRefusal,
  type TenantProvisioningEvent,
  type TenantProvisioningListener,
  type TenantProvisioningNotice,
} from './provisioning-listener';
export type { AccessDecision } from '../access/guard';
export type { FastifyReply, PlainResponse, WorkspaceGuardOptions } from '../access/middleware';
export * from './types';

/**
 * Registers a required consumer: for every operation from now on whose transition it lists, the platform waits for its
 * receipt. Returns at once; the registration is passed on, with retries, as soon as a platform is attached. A later
 * registration of the same name replaces this one, and is logged. Throws {@link TenantLifecycleError}
 * `invalid_registration`.
 */
export function RegisterTenantLifecycleConsumer(
  registration: TenantLifecycleConsumer,
): TenantLifecycleConsumerRegistration {
  const { registry, owner } = processState();
  return registry.register(registration, owner.getStore());
}

/**
 * Registers a required listener of `TENANT_BEING_PROVISIONED`, `TENANT_DELETED` or both (specification §3): every
 * creation from now on calls it, in series with the others, and stops when it does not succeed, or when no process
 * answers. Returns at once; the registration is passed on, with retries, as soon as a platform is attached. A later
 * registration of the same name replaces this one, and is logged. Throws {@link TenantLifecycleError}
 * `invalid_registration`.
 */
export function RegisterTenantProvisioningListener(
  registration: TenantProvisioningListener,
): TenantLifecycleConsumerRegistration {
  const { registry, owner } = processState();
  return registry.listen(registration, owner.getStore());
}

/**
 * Runs a module's construction in the scope of its owner: every consumer and listener that it registers, also after an
 * `await`, is removed when `owner` aborts, that is, when the module loader unloads the module. Ending the process is
 * not unloading: a consumer that is only offline stays required, and its deliveries wait for it.
 */
export function runAsTenantLifecycleOwner<T>(owner: AbortSignal, construct: () => T): T {
  return processState().owner.run(owner, construct);
}

/**
 * The commit gate, for reconcilers that are about to create external resources. True for a committed creation and for
 * tenants without a creation marker; false while preparing, unpaid or cancelled. It does not replace checks of
 * existence, authorization or suspension. Throws when no answer comes: callers fail closed.
 */
export async function IsTenantProvisioningCommitted(tenantId: string): Promise<boolean> {
  if (!tenantIdSchema.safeParse(tenantId).success)
    throw new TenantLifecycleError(
      'invalid_tenant',
      'tenantId must be 1 to 64 letters, digits, hyphens or underscores',
    );
  return processState().registry.isProvisioningCommitted(tenantId);
}

/**
 * The tenant inventory (specification §6 rule 9): tenants that are neither cancelled nor deleted, in the order of their
 * ids, including those without a creation marker. `await` gives one page with its `nextCursor`; `for await` gives every
 * tenant from there on. A tenant that exists from the first page to the last is listed exactly once. Rejects with
 * {@link TenantLifecycleError} `inventory_unavailable` or `not_attached` when the state is unknown: it never returns an
 * incomplete list.
 */
export function listTenants(options: TenantPageOptions = {}): TenantPages {
  const { registry } = processState();
  return pagesOf((page) => registry.listTenants(page), options);
}

/**
 * Calls `consume` for every tenant that exists and is committed, as a `created` delivery would: inventory and commit
 * gate in one. Waits until the consumers of this process are registered, so a tenant that commits later is delivered to
 * them. One tenant may arrive both ways, and a restarted run repeats tenants whose progress was not saved: deduplicate
 * by `operationId`, which is that of the delivery. Rejects with the error of the first `consume` that fails, or with
 * {@link TenantLifecycleError} when the state is unknown; then run it again. No receipts are needed.
 */
export function backfill(
  consume: (message: TenantLifecycleMessage) => Promise<unknown>,
  options: BackfillOptions = {},
): Promise<BackfillResult> {
  const { registry } = processState();
  const ports = {
    registered: () => registry.registered(),
    listTenants: (page: TenantPageOptions) => registry.listTenants(page),
    isProvisioningCommitted: (tenantId: string) => registry.isProvisioningCommitted(tenantId),
    readAccess: (tenantId: string) => registry.decideAccess(tenantId),
  };
  return runBackfill(ports, consume, options);
}

/**
 * Whether the product may be used in this workspace at this moment (specification §3: closed before consumers receive a
 * suspension, and until each receipt of a reactivation is durable). True rests on an answer of the platform within the
 * last second. False means that access is closed, that there is no such workspace, or that the state is unknown, for
 * example while no platform is attached. Never throws. {@link readWorkspaceAccess} distinguishes these cases.
 */
export async function isWorkspaceOpen(tenantId: string): Promise<boolean> {
  return (await readWorkspaceAccess(tenantId)).state === 'open';
}

/**
 * Like {@link isWorkspaceOpen}, with the reason of a closed workspace; `unknown` must be refused too, and may be
 * temporary. Never throws.
 */
export async function readWorkspaceAccess(tenantId: string): Promise<AccessDecision> {
  if (!tenantIdSchema.safeParse(tenantId).success) return { state: 'closed', reason: 'unknown' };
  return processState().registry.decideAccess(tenantId);
}

/**
 * A guard `(request, response, next)` for node, connect and express: refuses requests about a workspace that is not
 * open.
 */
export function guardWorkspaces<Request>(options: WorkspaceGuardOptions<Request>) {
  return plainGuard(options, readWorkspaceAccess);
}

/** The same as a fastify hook, for `preHandler`. */
export function guardWorkspacesInFastify<Request>(options: WorkspaceGuardOptions<Request>) {
  return fastifyGuard(options, readWorkspaceAccess);
}

/**
 * Attaches the platform of this process and replays every registration to it; attaching again replaces the former one.
 */
export function attachTenantLifecyclePlatform(platform: TenantLifecyclePlatform): TenantLifecycleAttachment {
  return processState().registry.attach(platform);
}
