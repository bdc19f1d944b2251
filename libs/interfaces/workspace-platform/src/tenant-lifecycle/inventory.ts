/**
 * Bootstrap and backfill (specification §6 rules 8 and 9): the tenants that existed before a consumer was registered,
 * passed to it like `created` deliveries, under the same operation id, so that one deduplicator serves both.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import type { InventoryPage, InventoryTenant } from '@platform/contracts-operator';
import type { AccessDecision } from '../access/guard';
import { TenantLifecycleError, type TenantLifecycleMessage } from './types';

/** `cursor`: the `nextCursor` of an earlier page. `limit`: tenants of a page, 1 to 500; default 100. */
export interface TenantPageOptions {
  readonly cursor?: string;
  readonly limit?: number;
}

/**
 * A tenant that is neither cancelled nor deleted. `committed` is the commit gate's answer, `access` is the workspace's
 * access.
 */
export type Tenant = InventoryTenant;
export type TenantPage = InventoryPage;

/**
 * Awaited: the requested page. Iterated with `for await`: every tenant from that page on; further pages are requested
 * as needed.
 */
export type TenantPages = Promise<TenantPage> & AsyncIterable<Tenant>;

type AskPage = (options: TenantPageOptions) => Promise<TenantPage>;

export function pagesOf(ask: AskPage, options: TenantPageOptions): TenantPages {
  const first = ask(options);
  async function* tenants(): AsyncGenerator<Tenant> {
    for (let page = await first; ; page = await ask({ ...options, cursor: page.nextCursor })) {
      yield* page.tenants;
      if (page.nextCursor === undefined) return;
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: tenants });
}

/** The progress of a backfill, stored by the caller across restarts. A position is a text of at most 64 characters. */
export interface BackfillProgress {
  load(): Promise<string | null>;
  /** Called when every tenant up to the position has been consumed, and once more at the end. */
  save(position: string): Promise<void>;
}

export interface BackfillOptions {
  /** Default: each run begins at the first tenant, and the deduplication by `operationId` skips what is done. */
  readonly progress?: BackfillProgress;
  /** Concurrent calls of `consume`; default 8. */
  readonly concurrency?: number;
  /** Tenants of a page, 1 to 500; default 100. */
  readonly pageSize?: number;
  /** Ends the backfill after the current page; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface BackfillResult {
  /** Tenants for which `consume` succeeded in this run. */
  readonly consumed: number;
  /** Creations that are not committed: their `created` is delivered if they commit. */
  readonly notCommitted: number;
  /** Tenants that were deleted after their page was read. */
  readonly deleted: number;
}

export interface BackfillPorts {
  /**
   * Resolves when the consumers of this process are registered: tenants that commit from then on are delivered to them.
   */
  registered(): Promise<void>;
  listTenants: AskPage;
  isProvisioningCommitted(tenantId: string): Promise<boolean>;
  readAccess(tenantId: string): Promise<AccessDecision>;
}

/** Cannot be a tenant id, because those contain no `$`. */
const complete = '$complete';

export async function runBackfill(
  ports: BackfillPorts,
  consume: (message: TenantLifecycleMessage) => Promise<unknown>,
  { progress, concurrency = 8, pageSize, signal }: BackfillOptions,
): Promise<BackfillResult> {
  await ports.registered();
  let cursor = (await progress?.load()) ?? undefined;
  const counts = { consumed: 0, notCommitted: 0, deleted: 0 };
  while (cursor !== complete) {
    signal?.throwIfAborted();
    const page = await ports.listTenants({
      ...(cursor !== undefined && { cursor }),
      ...(pageSize !== undefined && { limit: pageSize }),
    });
    await inParallel(page.tenants, concurrency, async ({ tenantId }) => {
      const kind = await kindOf(ports, tenantId);
      if (kind === 'consumed') await consume(messageOf(tenantId));
      counts[kind] += 1;
    });
    cursor = page.nextCursor ?? complete;
    await progress?.save(cursor);
  }
  return counts;
}

/** Asked again for each tenant, because it may have committed or been deleted since its page was read. */
async function kindOf(ports: BackfillPorts, tenantId: string): Promise<keyof BackfillResult> {
  if (!(await ports.isProvisioningCommitted(tenantId))) return 'notCommitted';
  const access = await ports.readAccess(tenantId);
  if (access.state === 'unknown')
    throw new TenantLifecycleError('inventory_unavailable', `it is unknown whether tenant ${tenantId} still exists`);
  return access.state === 'closed' && access.reason === 'deleted' ? 'deleted' : 'consumed';
}

/**
 * The inventory does not tell when a creation was requested. Consumers that apply no transition older than the last one
 * (docs/consumer-protocol.md, section 11) must not take it for newer than a suspension.
 */
const beforeEveryTransition = new Date(0).toISOString();

function messageOf(tenantId: string): TenantLifecycleMessage {
  return Object.freeze({
    tenantId,
    operationId: creationOperationId(tenantId),
    transition: 'created' as const,
    requestedAt: beforeEveryTransition,
  });
}

/**
 * Waits for every run that has begun, even when one fails; after the first failure it begins no more runs, and rejects
 * with that error.
 */
async function inParallel<T>(items: readonly T[], atATime: number, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (failure) return;
      await run(item).catch((error: unknown) => void (failure ??= { error }));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, atATime) }, work));
  if (failure) throw failure.error;
}
