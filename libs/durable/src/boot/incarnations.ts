/**
 * Collection `executor_incarnations` of every service: its boots, as evidence for the first proof of an investigation.
 */
import { unlessUnreadable, type CollectionDeclaration, type Store } from '@platform/mongo';
import { byResolution, type Trail, type TrailBlock } from '../investigation/trail';
import { supersession, type IncarnationRecord } from '@platform/service-host';

export const incarnationsCollection: CollectionDeclaration<IncarnationRecord> = {
  name: 'executor_incarnations',
  indexes: [{ name: 'by_instance', key: { service: 1, instance: 1, startedAt: 1, _id: 1 } }, byResolution],
};

/** The register's entry for the boot of an executor. */
export type ExecutorStateOf = (incarnation: string) => Promise<ReturnType<typeof supersession>>;

/** The lookup throws StoreUnavailableError. */
export function executorStateIn(store: Pick<Store, 'collection'>): ExecutorStateOf {
  const records = store.collection(incarnationsCollection);
  return async (incarnation) => supersession(await unlessUnreadable(records.findById(incarnation)));
}

/** Collection `instance_audit_blocks`: the trail of instances that people declared gone. */
export const instanceBlocksCollection: CollectionDeclaration<TrailBlock> = {
  name: 'instance_audit_blocks',
  indexes: [],
};

export function instanceTrail(store: Pick<Store, 'collection'>): Trail<IncarnationRecord> {
  return {
    records: store.collection(incarnationsCollection),
    blocks: store.collection(instanceBlocksCollection),
    vouched: ({ service, instance, startedAt }) => ({ service, instance, startedAt }),
  };
}
