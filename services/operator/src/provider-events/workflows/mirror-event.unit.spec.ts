/** Which reads an event of a workspace makes, and how its workspace is found. */
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { handleProviderEvent } from './handle-provider-event';

const seeded = {
  id: 'sub_acme',
  customerId: 'cus_acme',
  itemId: 'si_acme',
  status: 'past_due',
  priceId: 'price_pro',
} as const;

async function open() {
  const world = await createOperatorWorld();
  world.provider.seed({ subscriptions: [seeded] });
  const { events } = bootEvents(world, 1);
  const reads: string[] = [];
  const noted =
    <A extends readonly unknown[], R>(name: string, read: (...args: A) => R) =>
    (...args: A): R => {
      reads.push(name);
      return read(...args);
    };
  const { provider, subscriptions } = events;
  const watched: typeof events = {
    ...events,
    provider: {
      ...provider,
      retrieveSubscription: noted('provider: subscription', (id) => provider.retrieveSubscription(id)),
      retrieveInvoice: noted('provider: invoice', (id) => provider.retrieveInvoice(id)),
    },
    subscriptions: {
      ...subscriptions,
      findById: noted('store: by id', (id) => subscriptions.findById(id)),
      find: noted('store: by index', (...query) => subscriptions.find(...query)),
    },
  };
  return { world, reads, handle: (event: ReturnType<typeof providerEvent>) => handleProviderEvent(watched, event) };
}

describe('an event of a mirrored subscription', () => {
  it.each([
    ['customer.subscription.updated', { id: 'sub_acme', customer: 'cus_acme' }],
    ['invoice.paid', { id: 'in_1', customer: 'cus_acme', subscription: 'sub_acme' }],
  ])('%s reads the workspace once and the provider once', async (type, object) => {
    const { world, reads, handle } = await open();
    expect(await handle(providerEvent('evt_1', type, object))).toBe('done');
    expect(reads).toEqual(['store: by index', 'provider: subscription']);
    expect(world.subscription()).toMatchObject({ status: 'past_due', planId: 'pro' });
  });
});

describe('an event of a subscription that is not mirrored', () => {
  it('is of the workspace that the provider names on the object', async () => {
    const { world, reads, handle } = await open();
    const subscription = { ...seeded, id: 'sub_other', status: 'active' as const, metadata: { tenantId: 'acme' } };
    world.provider.seed({ subscriptions: [subscription] });
    await handle(providerEvent('evt_1', 'customer.subscription.created', { id: 'sub_other' }));
    expect(outcomesOf(world)).toEqual({ evt_1: 'success' });
    expect(reads).toContain('store: by id');
  });

  it('is skipped when no workspace has its subscription or customer', async () => {
    const { world, handle } = await open();
    const subscription = { ...seeded, id: 'sub_other', customerId: 'cus_other', status: 'active' as const };
    world.provider.seed({ subscriptions: [subscription] });
    await handle(providerEvent('evt_1', 'customer.subscription.updated', { id: 'sub_other', customer: 'cus_other' }));
    expect(outcomesOf(world)).toEqual({ evt_1: 'skipped' });
  });
});
