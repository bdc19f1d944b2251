import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { admission, complete, stopped, type PendingEvent, type WebhookEvent } from '../domain/webhook-event';
import { receiverPorts } from '../receiver';
import { webhookDigestsCollection } from '../store/webhook-digests';
import { webhookEventsCollection } from '../store/webhook-events';
import { received } from '../testing/webhook-world';
import { configSchema } from '../config';
import { receiveEvent } from './receive-event';
import { removeOldEvents } from './remove-old-events';
import { eventInvestigation } from './resolve-event';
import { watchEndpoint } from './watch-endpoint';

const day = 86_400_000;
const executor = { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'one' };

function open() {
  const clock = createManualClock(new Date('2026-01-01T00:00:00.000Z'));
  const ids = createSequentialIds(5);
  const store = createFakeStore({ clock, ids });
  const events = store.collection(webhookEventsCollection);
  const digests = store.collection(webhookDigestsCollection);
  const errors: unknown[] = [];
  const log = { ...silentLog, error: (fields: unknown) => void errors.push(fields) };
  const ports = receiverPorts({
    store,
    clock,
    ids,
    executor,
    log,
    publishNow: () => undefined,
    budget: () => ({
      over: Promise.resolve('over' as const),
      look: () => new Promise<'look'>(() => undefined),
      cancel: () => undefined,
    }),
    askOwner: async () => ({ status: 'failed', error: 'it broke' }),
    meter: { verified() {}, rejected() {}, duplicate() {}, reached() {}, clockSkew() {} },
  });
  async function put(eventId: string, result: WebhookEvent['result']): Promise<void> {
    const draft = admission(
      received({ eventId, created: clock.now() }),
      result === 'skipped' ? null : 'operator',
      executor,
      `rev-${eventId}`,
      clock.now(),
    );
    const inserted = await events.insert(draft);
    if (inserted.outcome !== 'applied') throw new Error('not inserted');
    if (result === 'success')
      await events.mutate(
        inserted.record,
        complete(
          inserted.record as PendingEvent,
          { eventId, admittedRevision: `rev-${eventId}`, outcome: 'success' },
          clock.now(),
        ),
      );
    if (result === 'reconciliation_required')
      await events.mutate(inserted.record, stopped(inserted.record as PendingEvent, 'owner', 'it broke', clock.now()));
  }
  return { clock, store, events, digests, ports, put, errors };
}

const everyResult = ['success', 'skipped', 'pending', 'reconciliation_required'] as const;

describe('retention', () => {
  it('reduces resolved events to their digests after the window, and never an unresolved one', async () => {
    const { clock, events, digests, ports, put } = open();
    for (const result of everyResult) await put(`evt_${result}`, result);
    clock.advance(90 * day);
    expect(await removeOldEvents(ports, 90)).toBe(0);
    clock.advance(1);
    await put('evt_fresh', 'success');
    expect(await removeOldEvents(ports, 90)).toBe(2);
    expect(
      events
        .all()
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual(['evt_fresh', 'evt_pending', 'evt_reconciliation_required']);
    expect(digests.all()).toMatchObject([
      { _id: 'evt_success', result: 'success' },
      { _id: 'evt_skipped', result: 'skipped' },
    ]);
    clock.advance(10 * 365 * day);
    await removeOldEvents(ports, 90);
    expect(
      events
        .all()
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual(['evt_pending', 'evt_reconciliation_required']);
  });

  it('recognises a late duplicate by its digest, shows it and dispatches nothing', async () => {
    const { clock, digests, events, ports, put } = open();
    const created = clock.now();
    await put('evt_old', 'success');
    clock.advance(91 * day);
    await removeOldEvents(ports, 90);
    expect(await receiveEvent(ports, received({ eventId: 'evt_old', created }))).toEqual({
      kind: 'accepted',
      result: 'success',
      duplicate: true,
    });
    expect(
      await receiveEvent(ports, received({ eventId: 'evt_old', created, type: 'customer.updated' })),
    ).toMatchObject({ kind: 'conflict' });
    expect(digests.all()).toMatchObject([{ _id: 'evt_old', lateDeliveries: 2, lastLateAt: clock.now() }]);
    expect(events.all()).toEqual([]);
  });

  it('goes through more than a page, and keeps a record whose digest is not durable', async () => {
    const { clock, store, events, digests, ports, put } = open();
    for (let count = 0; count < 450; count += 1) await put(`evt_${count}`, count % 3 === 0 ? 'skipped' : 'success');
    clock.advance(100 * day);
    store.loseNextWrite('before');
    expect(await removeOldEvents(ports, 90)).toBe(449);
    expect(events.all()).toHaveLength(1);
    expect(digests.all()).toHaveLength(449);
    expect(await removeOldEvents(ports, 90)).toBe(1);
  });

  it('of a record that was written meanwhile waits for the next round', async () => {
    const { clock, events, ports, put } = open();
    await put('evt_raced', 'success');
    clock.advance(100 * day);
    const raced = {
      ...ports,
      events: {
        ...events,
        find: async (...args: Parameters<typeof events.find>) => {
          const page = await events.find(...args);
          for (const event of page) await events.mutate(event, event);
          return page;
        },
      },
    };
    expect(await removeOldEvents(raced, 90)).toBe(0);
    expect(events.all()).toHaveLength(1);
  });

  it('has a floor that only an explicit flag lowers', () => {
    const base = {
      MONGODB_URL: 'mongodb://127.0.0.1:1',
      NATS_URL: 'nats://127.0.0.1:1',
      WEBHOOK_SECRETS: 'whsec_0123456789abcdef, whsec_fedcba9876543210',
      PLATFORM_MODE: 'local',
    };
    expect(configSchema.safeParse(base).data).toMatchObject({
      WEBHOOK_RETENTION_DAYS: 90,
      WEBHOOK_TOLERANCE_SECONDS: 300,
      WEBHOOK_WAIT_MS: 8_000,
    });
    expect(configSchema.safeParse({ ...base, WEBHOOK_RETENTION_DAYS: '44' }).success).toBe(false);
    expect(configSchema.safeParse({ ...base, WEBHOOK_RETENTION_DAYS: '45' }).success).toBe(true);
    expect(
      configSchema.safeParse({ ...base, WEBHOOK_RETENTION_DAYS: '7', WEBHOOK_SHORT_RETENTION: 'true' }).success,
    ).toBe(true);
    expect(configSchema.safeParse({ ...base, WEBHOOK_SECRETS: ' , ' }).success).toBe(false);
  });
});

describe('a resolution', () => {
  const proofs = { executorStopped: 'the pod was deleted at 10:00, see the log', by: 'ann@example.com' };

  it.each([
    ['applied', 'success'],
    ['not_applied', 'skipped'],
  ] as const)('recorded as %s ends the event as %s, without a dispatch', async (outcome, result) => {
    const { events, ports, put } = open();
    await put('evt_1', 'reconciliation_required');
    const planned = await eventInvestigation.plan(ports, { id: 'evt_1', outcome, ...proofs });
    expect(planned.ok && (await eventInvestigation.record(ports, planned.value)).ok).toBe(true);
    expect(events.all()).toMatchObject([
      { result, errorMessage: 'it broke', resolution: { outcome, by: 'ann@example.com' } },
    ]);
    expect(await ports.events.outbox.pending(10)).toEqual([]);
    expect(await receiveEvent(ports, received({ eventId: 'evt_1' }))).toEqual({
      kind: 'accepted',
      result,
      duplicate: true,
    });
  });

  it('demands both proofs and an event that is unresolved', async () => {
    const { ports, put } = open();
    await put('evt_1', 'reconciliation_required');
    await put('evt_2', 'success');
    const ask = (change: object) =>
      eventInvestigation.plan(ports, { id: 'evt_1', outcome: 'applied', ...proofs, ...change });
    for (const change of [{ executorStopped: 'gone' }, { by: 'ann' }, { id: 'evt_2' }, { id: 'evt_9' }])
      expect((await ask(change)).ok).toBe(false);
  });

  it('is refused when the record has changed since', async () => {
    const { ports, put } = open();
    await put('evt_1', 'reconciliation_required');
    const planned = await eventInvestigation.plan(ports, { id: 'evt_1', outcome: 'applied', ...proofs });
    await ports.countRedelivery('evt_1');
    expect(planned.ok && (await eventInvestigation.record(ports, planned.value)).ok).toBe(false);
  });
});

describe('the watch over the endpoint', () => {
  const hour = 3_600_000;
  const alerts = async ({ events }: ReturnType<typeof open>) =>
    (await events.outbox.pending(10))
      .filter(({ entry }) => entry.subject.startsWith('alert.'))
      .map(({ recordId, entry }) => ({
        recordId,
        id: entry.id,
        closesOn: entry.closesOn,
        reason: String(entry.body['reason']),
      }));

  it('alerts people while the provider still repeats an old event, once a day, and neither before nor after', async () => {
    const world = open();
    const { clock, ports, put, errors } = world;
    await put('evt_1', 'reconciliation_required');
    clock.advance(23 * hour);
    expect(await watchEndpoint(ports, 24)).toMatchObject({ warningDay: 0, hoursLeft: 49 });
    expect(await alerts(world)).toEqual([]);
    clock.advance(hour);
    expect(await watchEndpoint(ports, 24)).toMatchObject({ warningDay: 1, hoursLeft: 48 });
    expect(await watchEndpoint(ports, 24)).toMatchObject({ warningDay: 1 });
    expect(await alerts(world)).toEqual([
      {
        recordId: 'evt_1',
        id: 'alert:billing-webhook:webhook_event:evt_1:endpoint:1',
        closesOn: 'publish_ack',
        reason: expect.stringMatching(/error for 24 h.*gives it up in 48 h.*disable/),
      },
    ]);
    expect(errors).toMatchObject([{ eventId: 'evt_1', hoursLeft: 48, oldestUnresolvedHours: 24 }]);
    clock.advance(24 * hour);
    await watchEndpoint(ports, 24);
    expect((await alerts(world)).map(({ id }) => id)).toEqual([
      'alert:billing-webhook:webhook_event:evt_1:endpoint:1',
      'alert:billing-webhook:webhook_event:evt_1:endpoint:2',
    ]);
    clock.advance(24 * hour);
    expect(await watchEndpoint(ports, 24)).toMatchObject({ warningDay: 0, hoursLeft: null });
    expect(await alerts(world)).toHaveLength(2);
  });

  it('looks at the oldest, also when it is pending, and at the next when that is resolved', async () => {
    const world = open();
    const { clock, ports, put, events } = world;
    await put('evt_old', 'pending');
    clock.advance(hour);
    await put('evt_young', 'reconciliation_required');
    clock.advance(30 * hour);
    await watchEndpoint(ports, 24);
    const old = events.all().find(({ _id }) => _id === 'evt_old')!;
    await events.mutate(
      old,
      complete(
        old as PendingEvent,
        { eventId: 'evt_old', admittedRevision: 'rev-evt_old', outcome: 'success' },
        clock.now(),
      ),
    );
    await watchEndpoint(ports, 24);
    expect((await alerts(world)).map(({ recordId }) => recordId)).toEqual(['evt_old', 'evt_young']);
    expect(events.all().find(({ _id }) => _id === 'evt_old')).toMatchObject({
      result: 'success',
      endpointWarning: { day: 1 },
    });
  });

  it('of two replicas alerts once', async () => {
    const world = open();
    const { clock, ports, put } = world;
    await put('evt_1', 'reconciliation_required');
    clock.advance(25 * hour);
    await Promise.all([watchEndpoint(ports, 24), watchEndpoint(ports, 24)]);
    expect(await alerts(world)).toHaveLength(1);
  });
});
