/** Deletions for people: the open ones in pages, oldest first, or one. Read-only. */
import { deletionsListed, type DeletionPage, type DeletionView } from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { encodeCursor, type CreationPosition } from '@platform/mongo';
import type { Facts } from '@platform/durable/steps';
import type { Deletion } from '../domain/deletion';
import type { ProvisioningCollections } from './ports';
import { deletionKey } from './work-keys';

export type DeletionReads = Pick<ProvisioningCollections, 'deletions'> & { readonly askExecutors: AskExecutors };

const unended = ['requested', 'calling', 'reconciliation_required'] as const;

/** Throws StoreUnavailableError. */
export async function listDeletions(reads: DeletionReads, after?: CreationPosition): Promise<DeletionPage> {
  const options = { sort: { createdAt: 1, _id: 1 }, limit: deletionsListed + 1, ...(after && { after }) } as const;
  const found = await Promise.all(unended.map((status) => reads.deletions.find({ status }, options)));
  const oldest = found.flat().sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1));
  const page = oldest.slice(0, deletionsListed);
  const last = page.at(-1);
  return {
    deletions: await Promise.all(page.map((deletion) => viewOf(reads, deletion))),
    ...(last && oldest.length > page.length && { nextCursor: encodeCursor(last) }),
  };
}

/** Null when the deletion of this workspace was never requested. Throws StoreUnavailableError. */
export async function readDeletion(reads: DeletionReads, tenantId: string): Promise<DeletionView | null> {
  const deletion = await reads.deletions.findById(tenantId);
  return deletion && viewOf(reads, deletion);
}

async function viewOf(
  { askExecutors }: Pick<DeletionReads, 'askExecutors'>,
  deletion: Deletion,
): Promise<DeletionView> {
  const { tenantId, workspaceName, planId, operationId, status, revision, requestedAt, updatedAt } = deletion;
  const { executor, lastError, deletedAt }: Facts<Deletion> = deletion;
  const known = executor && {
    ...executor,
    ...(await askExecutors([{ key: deletionKey(tenantId), executor, wroteAt: updatedAt }]))[0]!,
  };
  return {
    ...{ tenantId, workspaceName, planId, operationId, status, revision },
    ...(known && { executor: known }),
    listenerCalls: deletion.listenerCalls.map(({ listener, calledAt, outcome }) => ({
      listener,
      calledAt: calledAt.toISOString(),
      ...(outcome !== undefined && { outcome }),
    })),
    ...(lastError && { lastError }),
    resolutions: (deletion.resolutions ?? []).map(({ by, executorStopped, at }) => ({
      by,
      executorStopped,
      at: at.toISOString(),
    })),
    requestedAt: requestedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(deletedAt && { deletedAt: deletedAt.toISOString() }),
  };
}
