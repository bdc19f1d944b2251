/**
 * When the gateway asks, resolutions of events that people recorded are compared with the records of the events'
 * owners.
 */
import { contradictedPageSchema, contradictedRequests } from '@platform/contracts-provisioning';
import { createFakeBroker } from '@platform/messaging/testing';
import { bootReceiver, createWebhookWorld, received, type WebhookWorld } from '../testing/webhook-world';
import { receiveEvent } from '../workflows/receive-event';
import { eventInvestigation } from '../workflows/resolve-event';
import { contradictedEventsEndpoint } from './serve-webhook-events';

const metadata = { tenantId: 'acme' };

/** An event whose handler has not reported, resolved by a person. */
async function resolved(outcome: 'applied' | 'not_applied') {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  world.decide = () => 'silence';
  await receiveEvent(ports, received({ object: { id: 'sub_acme', metadata } }));
  const since = new Date(world.clock.now().getTime() - 1).toISOString();
  const planned = await eventInvestigation.plan(ports, {
    id: 'evt_1',
    outcome,
    executorStopped: 'its host was shut down',
    by: 'ann@example.com',
  });
  if (!planned.ok) throw new Error(planned.error);
  await eventInvestigation.record(ports, planned.value);
  const broker = createFakeBroker({ clock: world.clock });
  await broker
    .connect('billing-webhook')
    .serve({ name: 'billing-webhook', version: '0.1.0', description: 'events' }, [contradictedEventsEndpoint(ports)]);
  const gateway = broker.connect('operator');
  const ask = (body: Record<string, unknown>) => gateway.request(contradictedRequests.events, body, 1_000);
  const contradicted = async (question: Record<string, unknown> = { since }) => {
    const answer = await ask(question);
    return contradictedPageSchema.parse(answer.ok && answer.value).contradicted;
  };
  return { world, ask, contradicted };
}

/** The handler reports late. */
function report(world: WebhookWorld, outcome: 'success' | 'skipped'): void {
  const [event] = world.events();
  world.outcomes.push({ eventId: 'evt_1', admittedRevision: event!.admittedRevision, outcome });
}

describe('a recorded end of an event', () => {
  it.each([
    ['not_applied', 'success', 1],
    ['applied', 'skipped', 1],
    ['not_applied', 'skipped', 0],
    ['applied', 'success', 0],
  ] as const)('as %s whose owner then records %s is contradicted %i times', async (outcome, end, times) => {
    const { world, contradicted } = await resolved(outcome);
    expect(await contradicted()).toEqual([]);
    report(world, end);
    const before = world.events();
    expect(await contradicted()).toMatchObject(
      Array.from({ length: times }, () => ({
        itemId: 'evt_1',
        tenantId: 'acme',
        resolvedBy: 'ann@example.com',
        text: expect.stringContaining(`operator has recorded it as ${end}`),
        objects: [],
      })),
    );
    expect(await contradicted()).toHaveLength(times);
    expect(world.events()).toEqual(before);
  });

  it('is read again since an instant, and no longer', async () => {
    const { world, contradicted } = await resolved('not_applied');
    report(world, 'success');
    expect(await contradicted({ since: world.clock.now().toISOString() })).toEqual([]);
  });

  it.each([[{}], [{ since: 'yesterday' }], [{ since: '2026-01-01T00:00:00.000Z', after: { id: 'evt_1' } }]])(
    'is not looked for by %j',
    async (question) => {
      const { ask } = await resolved('applied');
      expect(await ask(question)).toMatchObject({ ok: false, error: { serverCode: 'invalid_request' } });
    },
  );

  it('is not looked for while the store is unreachable', async () => {
    const { world, ask } = await resolved('applied');
    world.store.setAvailable(false);
    const answer = await ask({ since: '2026-01-01T00:00:00.000Z' });
    expect(answer).toMatchObject({ ok: false, error: { serverCode: 'store_unavailable' } });
  });
});
