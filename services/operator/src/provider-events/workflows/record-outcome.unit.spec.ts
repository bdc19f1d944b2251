/** What is recorded, published and logged about an event, however its handling ends. */
import { fromThe, losing, losingWrites } from '@platform/durable/testing';
import { silentLog, type Log } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { createLatch } from '@platform/testing';
import { bootEvents, providerEvent } from '../testing/event-world';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';
import { createOperatorWorld } from '../../testing/operator-world';
import type { EventPorts } from './event-ports';
import { handleProviderEvent } from './handle-provider-event';

const event = providerEvent('evt_1', 'invoice.paid', { id: 'in_1', subscription: 'sub_acme' }, 'rev-1');

async function open(change: (ports: EventPorts) => Partial<EventPorts> = () => ({})) {
  const world = await createOperatorWorld();
  const logged: object[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields) => void logged.push(fields),
    warn: (fields) => void logged.push(fields),
  };
  const { events } = bootEvents(world, 1);
  const ports = { ...events, log, ...change(events) };
  const recorded = () => events.admissions.findById('evt_1');
  return { world, events, ports, logged, recorded, handle: () => handleProviderEvent(ports, event) };
}

const outcomes = ({ published }: Awaited<ReturnType<typeof open>>['world']) =>
  published.map(({ id, subject, body }) => ({ id, subject, body }));
const told = (outcome: object, admittedRevision = 'rev-1') => ({
  id: 'provider-outcome:evt_1',
  subject: 'provider.outcome.operator',
  body: { eventId: 'evt_1', admittedRevision, ...outcome },
});
const brokenReads = (error: Error) => (ports: EventPorts) => ({
  subscriptions: { ...ports.subscriptions, find: () => Promise.reject(error) },
});

describe('the end of an event', () => {
  it('is recorded with its executor and its workspace, and published under the revision of the receiver', async () => {
    const { world, ports, recorded, handle, logged } = await open();
    expect(await handle()).toBe('done');
    expect(await recorded()).toEqual({
      _id: 'evt_1',
      type: 'invoice.paid',
      status: 'success',
      admittedRevision: 'rev-1',
      token: expect.any(String),
      executor: ports.executor,
      tenantId: 'acme',
      finishedAt: expect.any(Date),
      outbox: [],
      revision: expect.any(String),
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(outcomes(world)).toEqual([told({ outcome: 'success' })]);
    expect(logged).toEqual([]);
  });

  it('names the workspace of its payload when the handling found none', async () => {
    const { events, recorded } = await open();
    const object = { id: 'cs_1', metadata: { tenantId: 'newcomer' } };
    await handleProviderEvent(events, providerEvent('evt_1', 'checkout.session.expired', object));
    expect(await recorded()).toMatchObject({ status: 'failed', tenantId: 'newcomer' });
  });

  it.each([
    ['failed', new Error('the record has no plan'), /the handler broke/],
    ['unknown', new StoreUnavailableError('away'), /did not answer while the event was handled/],
  ])('is %s when the handling breaks, and the log has the reason', async (outcome, error, why) => {
    const { world, recorded, handle, logged } = await open(brokenReads(error));
    expect(await handle()).toBe('done');
    expect(await recorded()).toMatchObject({ status: outcome, error: expect.stringMatching(why) });
    expect(outcomes(world)).toEqual([told({ outcome, error: expect.stringMatching(why) })]);
    expect(logged).toEqual([{ eventId: 'evt_1', type: 'invoice.paid', error: String(error) }]);
  });

  it('that is no success is logged with its event, and its reason fits into a message', async () => {
    const message = 'x'.repeat(600);
    const { world, recorded, handle, logged } = await open((ports) => ({
      provider: {
        ...ports.provider,
        retrieveSubscription: async () => ({ outcome: 'failed', kind: 'refused', code: 'gone', message }) as never,
      },
    }));
    await handle();
    const { error } = (await recorded()) as { readonly error: string };
    expect(error).toHaveLength(500);
    expect(outcomes(world)).toEqual([told({ outcome: 'failed', error })]);
    const fields = { eventId: 'evt_1', type: 'invoice.paid', outcome: 'failed', tenantId: 'acme' };
    expect(logged).toEqual([{ ...fields, error: expect.stringContaining(message) as string }]);
  });

  it('that is not known is logged with its event', async () => {
    const unread = { outcome: 'unknown', reason: 'no answer', phase: 'bytes_written' } as const;
    const { recorded, handle, logged } = await open(({ provider, refreshes }) => ({
      provider: { ...provider, retrieveSubscription: async () => unread },
      refreshes: losingWrites(refreshes),
    }));
    await handle();
    expect(await recorded()).toMatchObject({ status: 'unknown' });
    expect(logged).toEqual([expect.objectContaining({ eventId: 'evt_1', outcome: 'unknown', tenantId: 'acme' })]);
  });

  it('that cannot be recorded stays pending, is not published, and is logged for people', async () => {
    const { world, recorded, handle, logged } = await open(losing('admissions', fromThe(2)));
    expect(await handle()).toBe('done');
    expect(await recorded()).toMatchObject({ status: 'pending' });
    expect(outcomes(world)).toEqual([]);
    expect(logged).toEqual([{ eventId: 'evt_1', outcome: 'success' }]);
  });

  it('waits in the record for the sweep while it has not been published', async () => {
    const { events, world, recorded, handle } = await open(() => ({ publishEventNow: () => undefined }));
    await handle();
    expect(outcomes(world)).toEqual([]);
    const type = 'provider.outcome.v1';
    const entry = { ...told({ outcome: 'success' }), type, closesOn: 'publish_ack', createdAt: expect.any(Date) };
    expect(await events.admissions.outbox.pending(10)).toEqual([{ recordId: 'evt_1', entry }]);
    expect(providerEventAdmissionsCollection.tells!((await recorded())!)).toEqual({
      record: 'event_admission',
      eventId: 'evt_1',
      type: 'invoice.paid',
      state: 'success',
    });
  });
});

describe('an event that comes again', () => {
  it('gets its recorded outcome under the revision of the new admission', async () => {
    const { world, events, handle } = await open();
    await handle();
    world.published.length = 0;
    expect(await handleProviderEvent(events, { ...event, admittedRevision: 'rev-2' })).toBe('done');
    expect(outcomes(world)).toEqual([told({ outcome: 'success' }, 'rev-2')]);
  });

  it('comes once more when its outcome may not have been published', async () => {
    const { ports, handle } = await open();
    await handle();
    expect(await handleProviderEvent({ ...ports, publish: async () => 'unknown' }, event)).toBe('again');
  });

  it('is left to its executor while that one handles it', async () => {
    const latch = createLatch();
    const { world, events, handle } = await open(({ provider }) => ({
      provider: {
        ...provider,
        retrieveSubscription: async (id) => {
          await latch.wait();
          return provider.retrieveSubscription(id);
        },
      },
    }));
    const handling = handle();
    await latch.reached();
    expect(await handleProviderEvent(events, event)).toBe('done');
    expect(outcomes(world)).toEqual([]);
    latch.open();
    await handling;
  });

  it('begins when its first admission was not stored', async () => {
    const { world, handle, recorded } = await open();
    world.store.setAvailable(false);
    expect(await handle().catch(() => 'again')).toBe('again');
    world.store.setAvailable(true);
    expect(await recorded()).toBeNull();
    expect(await handle()).toBe('done');
    expect(outcomes(world)).toEqual([told({ outcome: 'success' })]);
  });
});
