/** What the report of an owner does to the record of its event, to the meter, and to the people who are alerted. */
import { silentLog, type OutboxEntry } from '@platform/kernel';
import type { ProviderOutcomeMessage } from '@platform/contracts-provisioning';
import { stopped, type PendingEvent } from '../domain/webhook-event';
import { bootReceiver, createWebhookWorld, dispatchId, received } from '../testing/webhook-world';
import { completeEvent } from './complete-event';
import { receiveEvent } from './receive-event';

/** A pending event whose owner reports when a test says so. */
async function setStage() {
  const world = createWebhookWorld();
  world.decide = () => 'silence';
  const { ports, counts } = bootReceiver(world, 1);
  await receiveEvent(ports, received({ object: { id: 'sub_acme', metadata: { tenantId: 'acme' } } }));
  const warnings: object[] = [];
  const published: OutboxEntry[] = [];
  const observed = {
    ...ports,
    log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) },
    publishNow: (_id: string, entries: readonly OutboxEntry[]) => void published.push(...entries),
  };
  const [event] = world.events();
  const report = (outcome: ProviderOutcomeMessage['outcome'], error?: string) =>
    completeEvent(observed, {
      eventId: 'evt_1',
      admittedRevision: event!.admittedRevision,
      outcome,
      ...(error !== undefined && { error }),
    });
  const stopAtRestart = () =>
    ports.events.mutate(event!, stopped(event as PendingEvent, 'restart', 'it ended', world.clock.now()));
  return { world, ports, counts, warnings, published, report, stopAtRestart, event: () => world.events()[0]! };
}

describe('the report of an owner', () => {
  it('of an end is counted, and the dispatch is confirmed', async () => {
    const { counts, published, ports, report, event } = await setStage();
    expect(await report('success')).toBe('recorded');
    expect(event()).toMatchObject({ result: 'success' });
    expect(counts).toEqual({ 'reached pending': 1, 'reached success': 1 });
    expect(published).toEqual([]);
    expect(await ports.events.outbox.pending(10)).toEqual([]);
  });

  it('of a failure is counted as a stop, and people get one alert that names the workspace', async () => {
    const { counts, warnings, published, report, event } = await setStage();
    expect(await report('failed', 'it broke')).toBe('recorded');
    const { admittedRevision, processedAt } = event() as unknown as { admittedRevision: string; processedAt: Date };
    expect(counts).toEqual({ 'reached pending': 1, 'reached reconciliation_required': 1 });
    expect(warnings).toEqual([]);
    expect(published).toMatchObject([
      {
        id: `alert:billing-webhook:webhook_event:evt_1:${admittedRevision}`,
        subject: 'alert.reconciliation_required.billing-webhook.webhook_event',
        body: {
          service: 'billing-webhook',
          kind: 'webhook_event',
          id: 'evt_1',
          tenantId: 'acme',
          reason: 'customer.subscription.updated: it broke',
        },
      },
    ]);
    expect(processedAt.getTime()).toBeLessThan(published[0]!.createdAt.getTime());
  });

  it('that is no end, after a stop at a restart, is kept as evidence, which the log says, and is not counted', async () => {
    const { counts, warnings, published, report, stopAtRestart, event } = await setStage();
    await stopAtRestart();
    expect(await report('unknown', 'lost')).toBe('recorded');
    expect(event()).toMatchObject({ result: 'reconciliation_required', lateOutcome: { outcome: 'unknown' } });
    expect(warnings).toEqual([{ eventId: 'evt_1', outcome: 'unknown' }]);
    expect(counts).toEqual({ 'reached pending': 1 });
    expect(published).toEqual([]);
  });

  it('of an end is counted also after such evidence, and replaces it', async () => {
    const { counts, warnings, report, stopAtRestart, event } = await setStage();
    await stopAtRestart();
    await report('unknown', 'lost');
    expect(await report('success')).toBe('recorded');
    expect(event()).not.toHaveProperty('lateOutcome');
    expect(warnings).toHaveLength(1);
    expect(counts).toEqual({ 'reached pending': 1, 'reached success': 1 });
  });

  it('is asked for again while the store does not answer', async () => {
    const { world, ports, report, event } = await setStage();
    world.store.loseNextWrite('before');
    expect(await report('success')).toBe('again');
    world.store.setAvailable(false);
    expect(await report('success')).toBe('again');
    world.store.setAvailable(true);
    expect(event()).toMatchObject({ result: 'pending' });
    expect(await ports.events.outbox.pending(10)).toMatchObject([{ entry: { id: dispatchId('evt_1') } }]);
  });

  it('on an event that retention has removed is acknowledged', async () => {
    const { ports, report, event, world } = await setStage();
    await report('success');
    await ports.events.remove(event());
    const { type } = received();
    await ports.digests.insert({
      _id: 'evt_1',
      type,
      result: 'success',
      removedAt: world.clock.now(),
      lateDeliveries: 0,
    });
    expect(await report('success')).toBe('recorded');
    expect(world.events()).toEqual([]);
  });
});
