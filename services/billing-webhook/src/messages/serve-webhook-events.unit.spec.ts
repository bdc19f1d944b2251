import { webhookEventsSubject, webhookEventsPageSchema } from '@platform/contracts-operator';
import { createFakeBroker } from '@platform/messaging/testing';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { listEvents } from '../workflows/list-events';
import { receiveEvent } from '../workflows/receive-event';
import { webhookEventsEndpoint } from './serve-webhook-events';

async function open() {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  for (const [at, outcome] of (['failed', 'success', 'unknown', 'skipped', 'failed'] as const).entries()) {
    world.decide = () => outcome;
    await receiveEvent(ports, received({ eventId: `evt_${at}` }));
  }
  await receiveEvent(ports, received({ eventId: 'evt_0' }));
  const broker = createFakeBroker({ clock: world.clock });
  await broker
    .connect('billing-webhook')
    .serve({ name: 'billing-webhook', version: '0.1.0', description: 'events' }, [
      webhookEventsEndpoint((request) => listEvents(ports, request)),
    ]);
  const gateway = broker.connect('operator');
  const ask = async (body: Record<string, unknown>) => gateway.request(webhookEventsSubject, body, 1_000);
  return { world, ask };
}

describe("the gateway's request for events", () => {
  it('is answered page by page, oldest first, with what an investigator needs', async () => {
    const { ask } = await open();
    const first = await ask({ result: 'reconciliation_required', limit: 2 });
    const page = webhookEventsPageSchema.parse(first.ok && first.value);
    expect(page.events).toMatchObject([
      { eventId: 'evt_0', errorMessage: 'the handler said failed', deliveries: 1, owner: 'operator' },
      { eventId: 'evt_2' },
    ]);
    const second = await ask({ result: 'reconciliation_required', limit: 2, cursor: page.nextCursor });
    expect(webhookEventsPageSchema.parse(second.ok && second.value)).toMatchObject({ events: [{ eventId: 'evt_4' }] });
    const all = await ask({});
    expect(webhookEventsPageSchema.parse(all.ok && all.value).events).toHaveLength(5);
  });

  it('begins with the newest when it is asked so, and its pages do not overlap', async () => {
    const { ask } = await open();
    const pageOf = async (body: Record<string, unknown>) => {
      const answer = await ask({ order: 'newest', limit: 2, ...body });
      const page = webhookEventsPageSchema.parse(answer.ok && answer.value);
      return { ids: page.events.map(({ eventId }) => eventId), cursor: page.nextCursor };
    };
    const first = await pageOf({});
    const second = await pageOf({ cursor: first.cursor });
    const third = await pageOf({ cursor: second.cursor });
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1', 'evt_0']);
    expect(third.cursor).toBeUndefined();
  });

  it.each([[{ cursor: 'nonsense' }], [{ result: 'lost' }], [{ limit: 1_000 }]])('refuses %j', async (question) => {
    const { ask } = await open();
    expect(await ask(question)).toMatchObject({ ok: false, error: { code: 'refused', serverCode: 'invalid_request' } });
  });

  it('is refused while the store is unreachable', async () => {
    const { world, ask } = await open();
    world.store.setAvailable(false);
    expect(await ask({})).toMatchObject({ ok: false, error: { serverCode: 'store_unavailable' } });
  });
});
