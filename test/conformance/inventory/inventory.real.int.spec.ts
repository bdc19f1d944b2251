/** The inventory over a real document store and a real broker. */
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { openTestDatabase } from '@platform/mongo/test-database';
import { uniqueName } from '@platform/testing';
import { inventoryFeatures } from './inventory.features';
import { openInventory } from './inventory.harness';

inventoryFeatures(async () => {
  const url = process.env['TEST_NATS_URL'];
  if (!url) throw new Error('TEST_NATS_URL is not set: the test run has started no broker');
  const namespace = uniqueName('inventory');
  const database = await openTestDatabase('inventory');
  const open: Messaging[] = [];
  return openInventory({
    store: await database.connect(),
    async connect(name) {
      const messaging = await connectMessaging({ url, name, namespace, topology: platformTopology(), log: silentLog });
      open.push(messaging);
      return messaging;
    },
    async close() {
      await Promise.all(open.map((messaging) => messaging.close()));
      await database.drop();
    },
  });
});
