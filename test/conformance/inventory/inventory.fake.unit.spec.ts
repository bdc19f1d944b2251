/** The inventory over the store and the broker in memory. */
import { systemClock } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { inventoryFeatures } from './inventory.features';
import { openInventory } from './inventory.harness';

inventoryFeatures(async () => {
  const broker = createFakeBroker({ clock: systemClock });
  return openInventory({
    store: createFakeStore({ clock: systemClock }),
    connect: async (name) => broker.connect(name),
    close: async () => undefined,
  });
});
