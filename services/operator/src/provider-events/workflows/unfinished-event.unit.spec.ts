/**
 * No other executor handles an event whose handler has not ended, however long ago it began: elapsed time is no proof.
 */
import { createLatch } from '@platform/testing';
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { handleProviderEvent } from './handle-provider-event';

const subscription = {
  id: 'sub_acme',
  customerId: 'cus_acme',
  itemId: 'si_acme',
  status: 'active',
  priceId: 'price_pro',
} as const;
const event = providerEvent('evt_1', 'customer.subscription.updated', { id: 'sub_acme', customer: 'cus_acme' });

describe('an event whose first handling has no end yet', () => {
  it.each([1, 14, 15, 16, 60, 24 * 60, 72 * 60])(
    'is not handled again when its message comes again after %d minutes',
    async (minutes) => {
      const world = await createOperatorWorld();
      const latch = createLatch();
      const { events } = bootEvents(world, 1);
      let reads = 0;
      const provider: typeof events.provider = {
        ...events.provider,
        retrieveSubscription: async (id) => {
          reads += 1;
          if (reads === 1) await latch.wait();
          return events.provider.retrieveSubscription(id);
        },
      };
      world.provider.seed({ subscriptions: [subscription] });
      const handling = handleProviderEvent({ ...events, provider }, event);
      await latch.reached();
      const before = reads;
      world.clock.advance(minutes * 60_000);
      for (const life of [2, 3])
        expect(await handleProviderEvent({ ...bootEvents(world, life).events, provider }, event)).toBe('done');
      expect(reads).toBe(before);
      latch.open();
      expect(await handling).toBe('done');
      expect(outcomesOf(world)).toEqual({ evt_1: 'success' });
    },
  );
});
