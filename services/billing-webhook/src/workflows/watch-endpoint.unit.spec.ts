/** Which event the watch over the endpoint judges, and what it gives to people. */
import { createManualClock, silentLog, type OutboxEntry } from '@platform/kernel';
import { stopped, type PendingEvent } from '../domain/webhook-event';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { receiveEvent } from './receive-event';
import { watchEndpoint } from './watch-endpoint';

const hourMs = 3_600_000;
const metadata = { tenantId: 'acme' };

async function setStage() {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const clock = createManualClock();
  const ports = { ...bootReceiver(world, 1).ports, clock };
  const published: OutboxEntry[] = [];
  const errors: object[] = [];
  const observed = {
    ...ports,
    publishNow: (_id: string, entries: readonly OutboxEntry[]) => void published.push(...entries),
    log: { ...silentLog, error: (fields: object) => void errors.push(fields) },
  };
  /** A pending event of this hour; `end` stops it. */
  const put = async (eventId: string, end?: 'stopped') => {
    await receiveEvent(ports, received({ eventId, created: clock.now(), object: { id: 'sub_acme', metadata } }));
    const event = world.events().find(({ _id }) => _id === eventId) as PendingEvent;
    if (end) await ports.events.mutate(event, stopped(event, 'owner', 'it broke', clock.now()));
  };
  return { clock, put, published, errors, watch: () => watchEndpoint(observed, 24) };
}

describe('the watch over the endpoint', () => {
  it('judges nothing without an unresolved event', async () => {
    const { watch, published } = await setStage();
    expect(await watch()).toEqual({ oldest: null, oldestUnresolvedHours: 0, hoursLeft: null, warningDay: 0 });
    expect(published).toEqual([]);
  });

  it.each([
    ['stopped', undefined],
    [undefined, 'stopped'],
  ] as const)('judges the oldest whichever its result (%s before %s)', async (older, younger) => {
    const { clock, put, watch } = await setStage();
    await put('evt_older', older);
    clock.advance(hourMs);
    await put('evt_younger', younger);
    expect((await watch()).oldest).toMatchObject({ _id: 'evt_older' });
  });

  it('judges the oldest that the provider still repeats, whatever lies behind it', async () => {
    const { clock, put, watch, published } = await setStage();
    await put('evt_given_up', 'stopped');
    clock.advance(47 * hourMs);
    await put('evt_repeated', 'stopped');
    clock.advance(25 * hourMs);
    expect(await watch()).toMatchObject({ oldest: { _id: 'evt_repeated' }, oldestUnresolvedHours: 25 });
    expect(published).toHaveLength(1);
  });

  it('alerts the people of the workspace at once, and of two replicas one does', async () => {
    const { clock, put, watch, published, errors } = await setStage();
    await put('evt_1', 'stopped');
    clock.advance(25.5 * hourMs);
    await Promise.all([watch(), watch()]);
    await watch();
    expect(published).toMatchObject([
      {
        id: 'alert:billing-webhook:webhook_event:evt_1:endpoint:1',
        subject: 'alert.reconciliation_required.billing-webhook.webhook_event',
        body: { service: 'billing-webhook', kind: 'webhook_event', id: 'evt_1', tenantId: 'acme' },
      },
    ]);
    expect(errors).toEqual([{ eventId: 'evt_1', oldestUnresolvedHours: 25, hoursLeft: 46 }]);
  });
});
