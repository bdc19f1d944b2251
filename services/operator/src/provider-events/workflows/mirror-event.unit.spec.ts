/** Which reads an event of a workspace makes, and how its workspace is found. */
import { losingWrites } from '@platform/durable/testing';
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import type { Subscription } from '../../mirror/domain/subscription';
import { createOperatorWorld } from '../../testing/operator-world';
import type { EventPorts } from './event-ports';
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

describe('an event whose workspace cannot be mirrored now', () => {
  const ended = async (workspace: Partial<Subscription>, change: (events: EventPorts) => Partial<EventPorts>) => {
    const world = await createOperatorWorld(workspace);
    const { events } = bootEvents(world, 1);
    const event = providerEvent('evt_1', 'customer.updated', { id: 'cus_acme' });
    await handleProviderEvent({ ...events, ...change(events) }, event);
    const { status, error } = (await events.admissions.findById('evt_1')) as {
      readonly status: string;
      readonly error?: string;
    };
    return { status, error, notes: await events.refreshes.find({}, { limit: 10 }) };
  };
  const transition = { operationId: 'op-other-00001', kind: 'suspend', requestedAt: new Date(0) } as const;
  const unread: EventPorts['provider']['retrieveSubscription'] = async () => ({
    outcome: 'unknown',
    reason: 'no answer',
    phase: 'bytes_written',
  });

  it('has nothing to mirror when the workspace has no subscription', async () => {
    const workspace = { provider: { customerId: 'cus_acme' } };
    expect(await ended(workspace, () => ({}))).toEqual({
      status: 'skipped',
      error: 'the workspace mirrors no subscription',
      notes: [],
    });
  });

  it('has nothing to mirror when the workspace is gone before the mirror is written', async () => {
    const gone = ({ subscriptions, provider }: EventPorts): Partial<EventPorts> => ({
      provider: { ...provider, retrieveSubscription: changed(provider) },
      subscriptions: { ...subscriptions, mutate: async () => ({ outcome: 'not_applied' }), findById: async () => null },
    });
    expect(await ended({}, gone)).toMatchObject({ status: 'skipped', notes: [] });
  });

  it('is not known to be mirrored when the mirror could not be written', async () => {
    const away = ({ subscriptions, provider }: EventPorts): Partial<EventPorts> => ({
      provider: { ...provider, retrieveSubscription: changed(provider) },
      subscriptions: losingWrites(subscriptions),
    });
    expect(await ended({}, away)).toMatchObject({ status: 'unknown', error: 'the mirror could not be written' });
  });

  it.each<[string, Partial<Subscription>]>([
    ['under a transition', { transition }],
    ['while the provider does not answer', {}],
  ])('%s is noted, and is not known when the note could not be written', async (_case, workspace) => {
    const silent = ({ provider }: EventPorts) => ({ provider: { ...provider, retrieveSubscription: unread } });
    expect(await ended(workspace, silent)).toMatchObject({
      status: 'success',
      notes: [
        { _id: 'acme', eventId: 'evt_1', reason: workspace.transition ? 'transition_pending' : 'provider_unavailable' },
      ],
    });
    const forgetful = (events: EventPorts) => ({
      ...silent(events),
      refreshes: losingWrites(events.refreshes),
    });
    expect(await ended(workspace, forgetful)).toMatchObject({
      status: 'unknown',
      error: 'the note to read the mirror again could not be recorded',
      notes: [],
    });
  });

  it.each(['its workspace', 'its transition'])('succeeds when %s is gone after it was read', async (what) => {
    const gone = ({ subscriptions }: EventPorts): Partial<EventPorts> => ({
      subscriptions: {
        ...subscriptions,
        findById: async (id) => {
          const { transition: _ended, ...rest } = (await subscriptions.findById(id))!;
          return what === 'its workspace' ? null : rest;
        },
      },
    });
    expect(await ended({ transition }, gone)).toMatchObject({ status: 'success', notes: [] });
  });

  it('looks for no payment while the provider does not answer, because no transition waits', async () => {
    const { world, reads, handle } = await open();
    world.provider.setDown(true);
    await handle(providerEvent('evt_1', 'customer.updated', { id: 'cus_acme' }));
    expect(reads.filter((read) => read === 'store: by id')).toHaveLength(1);
  });
});

/** The provider's subscription with another quantity than the mirror, so that there is something to write. */
function changed(provider: EventPorts['provider']): EventPorts['provider']['retrieveSubscription'] {
  return async (id) => {
    const read = await provider.retrieveSubscription(id);
    return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, quantity: 7 } } : read;
  };
}
