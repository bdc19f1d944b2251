/**
 * No other executor handles an event whose handler has not ended, however long ago it began: elapsed time is no proof.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { createLatch } from '@platform/testing';
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { handleProviderEvent } from './handle-provider-event';
import { stopInterruptedEvents } from './stop-interrupted-events';

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

describe('the start after a handler was cut off', () => {
  it.each([
    ['no writer was faster than', { outcome: 'not_applied' }],
    ['the store does not answer', { outcome: 'unknown', reason: 'unreachable' }],
  ] as const)('writes its end once more when %s the first try', async (_name, answer) => {
    const world = await createOperatorWorld();
    const latch = createLatch();
    const { events: first } = bootEvents(world, 1);
    world.provider.seed({ subscriptions: [subscription] });
    const retrieveSubscription: typeof first.provider.retrieveSubscription = async (id) => {
      await latch.wait();
      return first.provider.retrieveSubscription(id);
    };
    void handleProviderEvent({ ...first, provider: { ...first.provider, retrieveSubscription } }, event);
    await latch.reached();
    const { events } = bootEvents(world, 2);
    let tries = 0;
    const admissions: typeof events.admissions = {
      ...events.admissions,
      mutate: (...write) => {
        tries += 1;
        return tries === 1 ? Promise.resolve(answer) : events.admissions.mutate(...write);
      },
    };
    expect(await stopInterruptedEvents({ ...events, admissions }, async () => 'superseded')).toEqual(['evt_1']);
    expect(await events.admissions.findById('evt_1')).toMatchObject({ status: 'unknown' });
  });
});

describe('an event whose admission has no answer', () => {
  it.each(['before', 'after'] as const)(
    'is handled to its end when the store then cannot be read either, lost %s it was stored',
    async (when) => {
      const world = await createOperatorWorld();
      const { events } = bootEvents(world, 1);
      world.provider.seed({ subscriptions: [subscription] });
      let unreadable = 1;
      const admissions: typeof events.admissions = {
        ...events.admissions,
        findById: async (id) => {
          if ((unreadable -= 1) >= 0) throw new StoreUnavailableError('the store is unreachable');
          return events.admissions.findById(id);
        },
      };
      world.store.loseNextWrite(when);
      // As the broker does it: what is not acknowledged comes again.
      for (let handled = ''; handled !== 'done';)
        handled = await handleProviderEvent({ ...events, admissions }, event).catch(() => 'again');
      expect(outcomesOf(world)).toEqual({ evt_1: 'success' });
    },
  );
});
