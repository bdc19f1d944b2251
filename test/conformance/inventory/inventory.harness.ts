/**
 * The path of the inventory from two stores to a consumer's process: provisioning and the gateway answer with their
 * real endpoints, and the consumer uses its package. Store and broker are in memory or real.
 */
import type { Subscription } from '../../../services/operator/src/mirror/domain/subscription';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { Draft, Store } from '@platform/mongo';
import { forged } from '@platform/durable/testing';
import { creationOperationId } from '@platform/contracts-provisioning';
import {
  createMessagingPlatform,
  type MessagingPlatform,
} from '../../../libs/interfaces/workspace-platform/src/connect/messaging-platform';
import { accessEndpoint } from '../../../services/operator/src/access/messages/serve-access';
import { inventoryEndpoint, tenantRowsOf } from '../../../services/operator/src/access/messages/serve-inventory';
import { readAccess } from '../../../services/operator/src/access/workflows/read-access';
import { readInventory } from '../../../services/operator/src/access/workflows/read-inventory';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import type { Attempt } from '../../../services/provisioning/src/domain/attempt';
import type { CreationMarker, MarkerState } from '../../../services/provisioning/src/domain/marker';
import { requestEndpoints } from '../../../services/provisioning/src/messages/serve-requests';
import { provisioningCollections } from '../../../services/provisioning/src/store/collections';
import {
  bootProvisioning,
  createProvisioningWorld,
} from '../../../services/provisioning/src/testing/provisioning-world';
import type { ProvisioningCollections } from '../../../services/provisioning/src/workflows/ports';

export interface InventoryStage {
  readonly platform: MessagingPlatform;
  readonly collections: ProvisioningCollections;
  /**
   * Puts a workspace into the state that the workflows leave: row, marker, and the gateway's record when it is
   * mirrored.
   */
  created(tenantId: string, state?: MarkerState, mirrored?: 'mirrored' | 'not yet'): Promise<void>;
  /** A tenant that is older than provisioning's records: only the gateway has a record. */
  legacy(tenantId: string): Promise<void>;
  /** A running attempt whose marker does not exist yet, with a row that should not exist. */
  unmarked(tenantId: string): Promise<void>;
  /** The deletion marker at the gateway, as the first write of a deletion leaves it. */
  deleted(tenantId: string): Promise<void>;
  stopProvisioning(): Promise<void>;
  close(): Promise<void>;
}

export interface Servers {
  readonly store: Store;
  connect(name: string): Promise<Messaging>;
  close(): Promise<void>;
}

const about = { version: '1.0.0', description: 'conformance of the inventory' };

export async function openInventory({ store, connect, close }: Servers): Promise<InventoryStage> {
  const [provisioning, operator, consumer] = [
    await connect('provisioning'),
    await connect('operator'),
    await connect('storage'),
  ];
  for (const declaration of [...provisioningCollections, subscriptionsCollection])
    store.collection(declaration as never);
  await store.ensureIndexes();
  const { ports } = bootProvisioning(await createProvisioningWorld(), 1, { store });
  const subscriptions = store.collection(subscriptionsCollection);
  const reads = { ...ports, askExecutors: () => Promise.reject(new Error('not asked here')) };
  const served = await provisioning.serve({ name: 'provisioning', ...about }, requestEndpoints(ports, reads));
  const tenantRows = tenantRowsOf(operator);
  await operator.serve({ name: 'operator', ...about }, [
    inventoryEndpoint((request) => readInventory({ subscriptions, tenantRows }, request)),
    accessEndpoint((tenantId) => readAccess({ subscriptions, attemptStatus: async () => null }, tenantId)),
  ]);
  const platform = createMessagingPlatform({
    messaging: consumer,
    instance: 'storage-1',
    clock: systemClock,
    monotonic: () => performance.now(),
    ids: createIds(),
    log: silentLog,
    wait: async () => undefined,
    limits: { consumeTimeoutMs: 1_000, runsMax: 8 },
    stopGraceMs: 0,
  });
  const mirror = async (tenantId: string): Promise<void> => {
    const subscription: Draft<Subscription> = {
      _id: tenantId,
      workspaceName: tenantId,
      status: 'active',
      access: { state: 'open', since: new Date(0), operationId: null },
      accessRevision: 1,
      planId: 'free',
      provider: {},
      isComplimentary: false,
    };
    await subscriptions.insert(subscription);
  };
  return {
    platform,
    collections: ports,
    legacy: mirror,
    async created(tenantId, provisioningState = 'committed', mirrored = 'mirrored') {
      const marker = { _id: creationOperationId(tenantId), tenantId, provisioningState };
      await ports.markers.insert(forged(marker as Draft<CreationMarker>));
      const status = provisioningState === 'cancelled' ? 'cancelled' : 'provisioned';
      await ports.tenants.insert({ _id: tenantId, name: tenantId, status, owners: ['user-1'] });
      if (provisioningState === 'committed' && mirrored === 'mirrored') await mirror(tenantId);
    },
    async unmarked(tenantId) {
      await ports.attempts.insert(forged({ _id: tenantId, tenantId, status: 'preparing' } as Draft<Attempt>));
      await ports.tenants.insert({ _id: tenantId, name: tenantId, status: 'provisioned', owners: ['user-1'] });
    },
    async deleted(tenantId) {
      const standing = await subscriptions.findById(tenantId);
      const deletion = { startedAt: new Date(1), operationId: 'op-delete-0001' };
      await subscriptions.mutate(standing!, { ...standing!, deletion });
    },
    stopProvisioning: () => served.close(),
    async close() {
      platform.close();
      await close();
    },
  };
}
