/** Consumers of one world by the published interface; `close` ends all that they registered and opened. */
import { silentLog } from '@platform/kernel';
import { connectWorkspacePlatform, type WorkspacePlatformConnection } from '@platform/workspace-platform/connect';
import {
  RegisterTenantLifecycleConsumer,
  type TenantLifecycleConsumer,
  type TenantLifecycleConsumerReceipt,
} from '@platform/workspace-platform/tenant-lifecycle';
import type { OpenWorld } from './open-world';

export const receipt = (operationId: string): TenantLifecycleConsumerReceipt => ({
  receiptId: `did:${operationId}`,
  effectiveAt: new Date(),
});

export type Consumers = ReturnType<typeof createConsumers>;

export function createConsumers(world: OpenWorld) {
  const connections: WorkspacePlatformConnection[] = [];
  const registered: (() => Promise<void>)[] = [];
  return {
    attach: async (instance = 'consumers-1', consumeTimeoutMs = 5_000): Promise<WorkspacePlatformConnection> => {
      const connection = await connectWorkspacePlatform({
        natsUrl: world.natsUrl,
        namespace: world.namespace,
        instance,
        log: silentLog,
        consumeTimeoutMs,
        stopGraceMs: 100,
      });
      connections.push(connection);
      return connection;
    },
    register(consumer: TenantLifecycleConsumer) {
      const registration = RegisterTenantLifecycleConsumer(consumer);
      registered.push(() => registration.unregister());
      return registration;
    },
    async close(): Promise<void> {
      for (const unregister of registered) await unregister();
      for (const connection of connections) await connection.close();
    },
  };
}
